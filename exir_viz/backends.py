"""What installed packages contribute for their backends: payload readers, delegation reasons, overlays.

A package names a `Backend` in its metadata:

    [project.entry-points."exir_viz.backends"]
    acme = "acme_exir:AcmeBackend"

A contribution is asked only about programs with delegates, and what it raises is caught: a notice names the
package. See docs/backends.md.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from exir_viz.readers.payloads.source import PayloadSource
    from exir_viz.snapshot import Snapshot
    from exir_viz.snapshot.payload import Payload

T = TypeVar("T")

GROUP = "exir_viz.backends"


class Backend:
    """A contribution: subclass it, and override what the backend can say.

    Attributes
    ----------
    backend_ids
        The backends that it reads, as programs name them: `("XnnpackBackend",)`.

    Examples
    --------
    >>> class Acme(exir_viz.backends.Backend):
    ...     backend_ids = ("AcmeBackend",)
    ...
    ...     def delegation_reasons(self, snapshot):
    ...         return {node.id: "Acme has no sigmoid." for node in snapshot.method.graph}
    """

    backend_ids: tuple[str, ...] = ()

    def read_payload(self, source: PayloadSource) -> Payload | None:  # noqa: ARG002  # for subclasses
        """Read a payload of one of `backend_ids`.

        Parameters
        ----------
        source
            The bytes, read in parts: `source.size`, `source.read_at(offset, size)`.

        Returns
        -------
        Payload or None
            Its graph; None if the format is not known.
        """
        return None

    def delegation_reasons(self, snapshot: Snapshot) -> Mapping[str, str]:  # noqa: ARG002
        """Say why nodes are not delegated.

        Parameters
        ----------
        snapshot
            A program with delegates.

        Returns
        -------
        Mapping
            By id of a node outside of all delegates: the reason, a sentence. Reasons that the partitioner
            gave itself come first.
        """
        return {}

    def overlays(self, snapshot: Snapshot) -> Mapping[str, Mapping[str, float | str]]:  # noqa: ARG002
        """Give numbers or categories to color nodes by.

        Parameters
        ----------
        snapshot
            The program that an explorer shows.

        Returns
        -------
        Mapping
            By name of an overlay: values by node id, as `Explorer.paint` takes them.
        """
        return {}


class Contribution:
    """One entry point: its object, or why it could not be loaded."""

    def __init__(self, package: str, backend: Backend | None, problem: str = "") -> None:
        self.package = package
        self.backend = backend
        self.problem = problem

    def reads(self, backend_id: str) -> bool:
        """Whether it reads payloads of a backend."""
        return self.backend is not None and backend_id in self.backend.backend_ids

    def call(
        self,
        method: str,
        expected: type[T] | tuple[type[T], ...],
        *args: object,
        failed: Callable[[str], None],
    ) -> T | None:
        """What a method of the backend returns; None, and a sentence to `failed`, if it does not work.

        Parameters
        ----------
        method
            The name of a method of `Backend`.
        expected
            What it must return, if not None.
        args
            Its arguments.
        failed
            Is given the sentence.
        """
        if self.backend is None:
            failed(self.problem)
            return None
        try:
            found = getattr(self.backend, method)(*args)
        except Exception as error:  # noqa: BLE001  # foreign code raises what it likes: it is reported
            failed(f"The package {self.package} failed in {method}: {type(error).__name__}: {error}")
            return None
        if found is None or isinstance(found, expected):
            return found
        failed(f"The package {self.package} returned a {type(found).__name__} from {method}.")
        return None


@functools.cache
def contributions() -> tuple[Contribution, ...]:
    """Everything that installed packages contribute, by name of the entry point. Loaded once a process."""
    return tuple(map(_loaded, sorted(entry_points(group=GROUP), key=lambda one: one.name)))


def _loaded(entry: EntryPoint) -> Contribution:
    package = entry.dist.name if entry.dist is not None else entry.name
    try:
        found: Any = entry.load()
        backend = found() if isinstance(found, type) else found
    except Exception as error:  # noqa: BLE001  # a broken package must not break exir_viz: it is reported
        problem = f"The package {package} could not be loaded: {type(error).__name__}: {error}"
        return Contribution(package, None, problem)
    if isinstance(backend, Backend):
        return Contribution(package, backend)
    problem = (
        f"The package {package} contributes a {type(backend).__name__}, not an exir_viz.backends.Backend"
    )
    return Contribution(package, None, problem)


def gather(method: str, snapshot: Snapshot, problems: list[str]) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """What all contributions say about a program: the package and its mapping; failures go to `problems`."""
    for one in contributions():
        found = one.call(method, Mapping, snapshot, failed=problems.append)
        if found:
            yield one.package, found
