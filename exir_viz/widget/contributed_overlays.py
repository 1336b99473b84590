"""The overlays that backend packages contribute, as series of an explorer. A bad one is a notice."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from exir_viz import backends
from exir_viz.errors import ExirVizError
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.placement import delegate_names
from exir_viz.snapshot.program import Notice

from .node_names import NodeNames
from .node_series import Series, series_of


def contributed_series(snapshot: Snapshot, problems: list[str]) -> dict[str, Series]:
    """Overlays by label, of a program with delegates; what is wrong with them goes to `problems`."""
    if not delegate_names(snapshot):
        return {}
    found: dict[str, Series] = {}
    names = NodeNames(snapshot)
    for package, overlays in backends.gather("overlays", snapshot, problems):
        for label, values in overlays.items():
            try:
                found[str(label)] = series_of(values, names, str(label), "")
            except ExirVizError as error:
                problems.append(f"The package {package} gave the overlay {label!r}: {error}")
    return found


def with_problems(snapshot: Snapshot, problems: Sequence[str]) -> Snapshot:
    """The Snapshot with these as notices."""
    if not problems:
        return snapshot
    notices = tuple(Notice("backend", text) for text in dict.fromkeys(problems))
    skeleton = replace(snapshot.skeleton, notices=(*snapshot.skeleton.notices, *notices))
    return snapshot.reworded(skeleton, snapshot.detail)
