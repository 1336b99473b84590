"""The backends that have a name, and what a user may pass instead of a name.

All of them are in ExecuTorch's wheel and lower on any machine; their programs need not run on it.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from exir_viz.stages.live import NotPossible
from exir_viz.stages.plain_code import CodeWriter

from .delegation_reasons import WatchedPartitioner

if TYPE_CHECKING:
    from exir_viz.stages.live import LivePrograms


@dataclass(frozen=True)
class Backend:
    """One backend: its label, its partitioner, the package it needs, where its programs run."""

    title: str
    module: str
    cls: str
    runs: str
    needs: str = ""

    @property
    def missing(self) -> str:
        """The package that it needs and that is missing; "" if it can lower."""
        return self.needs if self.needs and find_spec(self.needs) is None else ""


XNNPACK: Final = "xnnpack"
BACKENDS: Final[Mapping[str, Backend]] = {
    XNNPACK: Backend(
        "XNNPACK",
        "executorch.backends.xnnpack.partition.xnnpack_partitioner",
        "XnnpackPartitioner",
        "on CPUs, including this machine",
    ),
    "vulkan": Backend(
        "Vulkan",
        "executorch.backends.vulkan.partitioner.vulkan_partitioner",
        "VulkanPartitioner",
        "on GPUs with Vulkan",
    ),
    "coreml": Backend(
        "Core ML",
        "executorch.backends.apple.coreml.partition",
        "CoreMLPartitioner",
        "on Apple's devices",
        "coremltools",
    ),
}


def about() -> str:
    """Where each backend runs, and which are missing."""
    parts = [f"{one.title} runs {one.runs}" for one in BACKENDS.values()]
    absent = [f"{one.title} needs pip install {one.missing}" for one in BACKENDS.values() if one.missing]
    return "; ".join([*parts, *absent]) + "."


def offered() -> tuple[str, ...]:
    """The names of the backends that can lower here."""
    return tuple(name for name, one in BACKENDS.items() if not one.missing)


def watched(given: object, live: LivePrograms) -> dict[str, list[WatchedPartitioner]]:
    """The partitioners by method.

    given: the name of a backend, a partitioner, a list of these, or a dict of these by method.
    """
    if isinstance(given, Mapping):
        strange = [str(name) for name in given if name not in live.programs]
        if strange:
            have = ", ".join(live.programs)
            raise NotPossible(f"Unknown method {', '.join(strange)}. Methods: {have}.")
        return {str(name): _several(one) for name, one in given.items()}
    several = _several(given)
    return dict.fromkeys(live.programs, several)


def _several(given: object) -> list[WatchedPartitioner]:
    several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not several:
        raise NotPossible(f"No backend given. Pass a partitioner, or one of: {', '.join(offered())}.")
    return [watched_partitioner(given) for given in several]


def partitioner_code(writer: CodeWriter, given: object) -> list[str] | dict[str, list[str]]:
    """The same partitioners as code, in order; by method if they were given so."""
    if isinstance(given, Mapping):
        return {str(name): _several_code(writer, one) for name, one in given.items()}
    return _several_code(writer, given)


def _several_code(writer: CodeWriter, given: object) -> list[str]:
    several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    return [_one_code(writer, one) for one in several]


def _one_code(writer: CodeWriter, given: object) -> str:
    if not isinstance(given, str):
        return writer.provided("partitioner", f"the {type(given).__name__}")
    backend = BACKENDS[given.lower()]
    writer.imports(backend.module, backend.cls)
    return f"{backend.cls}()"


def watched_partitioner(given: object) -> WatchedPartitioner:
    """The partitioner of a backend's name, or the one that was passed. Raises NotPossible for others."""
    if not isinstance(given, str):
        return WatchedPartitioner(_checked(given), type(given).__name__)
    backend = BACKENDS.get(given.lower())
    if backend is None:
        raise NotPossible(
            f"Unknown backend {given!r}. Available: {', '.join(offered())}. For another backend, pass "
            "its partitioner: stage.backend(MyPartitioner())."
        )
    if backend.missing:
        raise NotPossible(
            f"{backend.title} needs a package that is not installed: pip install {backend.missing}"
        )
    return WatchedPartitioner(getattr(importlib.import_module(backend.module), backend.cls)(), backend.title)


def _checked(given: Any) -> Any:
    from executorch.exir.backend.partitioner import Partitioner

    if isinstance(given, type) and issubclass(given, Partitioner):
        raise NotPossible(f"Pass a partitioner, not its class: {given.__name__}().")
    if not isinstance(given, Partitioner):
        raise NotPossible(
            f"A {type(given).__name__} is not a partitioner. Pass one of ExecuTorch's Partitioner, or "
            f"a name: {', '.join(offered())}."
        )
    return given
