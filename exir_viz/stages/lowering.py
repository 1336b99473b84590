"""Lower a program to a target in one call, and write the result to a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.file_writing import replacing
from exir_viz.snapshot.program import Dialect
from exir_viz.stages.live import NotPossible

if TYPE_CHECKING:
    from exir_viz.stages.session import Session
    from exir_viz.stages.stage import Stage

TARGETS: Final = ("edge", "backend", "executorch")
SUFFIXES: Final = (".exirviz", ".pte", ".pt2")


def lower(session: Session, target: str, backend: str = "") -> Iterator[Stage]:
    """The stages on the way to `target`, each as it is made. Raises StepFailed.

    backend: its name. For `executorch` without a backend, all ops use ExecuTorch's own kernels.
    """
    if target == "backend" or (target == "executorch" and backend):
        stage = session.root.backend(backend or "xnnpack")
    else:
        stage = session.root.edge()
    yield stage
    if target == "executorch":
        yield stage.executorch()


def check(path: Path, target: str) -> None:
    """Raise NotPossible if a file with this name cannot hold the `target`."""
    if path.suffix not in SUFFIXES:
        raise NotPossible(f"Cannot write {path.name!r}: its name must end in {', '.join(SUFFIXES)}.")
    if path.suffix == ".pte" and target != "executorch":
        raise NotPossible(f"Cannot write {path.name!r}: only --to executorch writes a .pte file.")
    if path.suffix == ".pt2" and target == "executorch":
        raise NotPossible(f"Cannot write {path.name!r}: --to executorch writes a .pte or an .exirviz file.")


def write(stage: Stage, path: Path, *, sources: bool = True, absolute_paths: bool = False) -> Path:
    """Write a stage in the format of the file name: .pte the bytes, .exirviz the whole session, .pt2 the
    program.

    sources, absolute_paths: of a session, see `exir_viz.snapshot.redaction`. A lowered .pt2 is read by
    `executorch.exir.load`, not by torch.export.load.
    """
    if path.suffix == ".pte":
        return stage.save_pte(path)
    if path.suffix == ".exirviz":
        return stage.session.save(path, sources=sources, absolute_paths=absolute_paths)
    if len(stage.programs) > 1:
        raise NotPossible(
            f"Cannot write {path.name!r}: a .pt2 file holds only one method. Write an .exirviz file."
        )
    if stage.dialect in (Dialect.EDGE, Dialect.BACKEND):
        from executorch.exir import save
    else:
        from torch.export import save
    with replacing(path) as part:
        save(stage.program, part)
    return path
