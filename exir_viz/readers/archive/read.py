"""An archive → a Snapshot: the way in for `.pt2` files and ETRecords.

Equal to `capture(torch.export.load(path))` field by field, but for NOT_IN_ARCHIVE. Raises FileError for
anything that it cannot read; never another error, and never executes what it reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from exir_viz.errors import FileTooLarge
from exir_viz.readers.archive import limits
from exir_viz.readers.archive.container import Container
from exir_viz.readers.archive.layouts import Layout, recognise
from exir_viz.readers.archive.models import EXIR_MAJOR, ModelReader, by_executorch
from exir_viz.readers.archive.values import DTYPES, EXIR_DTYPES
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.program import OriginOfSnapshot

# What `capture` of the loaded program says and a file cannot, and why. Nothing else differs.
NOT_IN_ARCHIVE: Final = {
    "origin": "one was captured, the other read from a file of a certain version",
    "notices": "what was inferred from a file, or left unread in it, is said",
    "target.schema": "an op's schema is torch's, not the file's",
    "sources": "source files of this machine are not read for a file that names them",
    "example in a class": "to take apart an object of a user's class would take the class's code",
    "custom object": "its class is known by the name that the signature gives it",
    "weight of a subclass": "its class is in the weight's own data, which is not read",
}

SCHEMA_MAJORS: Final = {"pt2": frozenset({8}), "etrecord": frozenset({EXIR_MAJOR, 8})}


def read(path: Path) -> Snapshot:
    """Read an archive of exported programs; each is a method."""
    with Container.open(path) as container:
        layout = recognise(container)
        if len(layout.models) > limits.MAX_METHODS:
            raise FileTooLarge(path.name, f"it holds {len(layout.models):,} programs")
        return _read(container, layout)


def _read(container: Container, layout: Layout) -> Snapshot:
    builder = SnapshotBuilder(OriginOfSnapshot(layout.type, container.file))
    dtypes = DTYPES | EXIR_DTYPES if layout.type == "etrecord" else DTYPES
    reader = ModelReader(container, builder, SCHEMA_MAJORS[layout.type], dtypes, layout.order)
    for model in layout.models:
        alone = len(layout.models) == 1 and model.name == "model"
        program = reader.read(model, "forward" if alone else model.name)
        version = program.schema_version
        builder.origin = OriginOfSnapshot(
            layout.type,
            container.file,
            "" if by_executorch(program) else program.torch_version,
            file_version=f"{version.major}.{version.minor}",
        )
    reader.allowance.add_notice(builder)
    for code, text in layout.unread:
        builder.notice(code, text)
    return builder.finish()
