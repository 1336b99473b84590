"""A file → a live program: the one place where what a file brings can be executed, when asked for."""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from exir_viz.errors import FileError, MalformedFile, MissingImport, UnknownFormat
from exir_viz.extras import needs_extra
from exir_viz.readers.archive.container import Container
from exir_viz.readers.archive.layouts import ETRECORD, OLD
from exir_viz.readers.files import checked, head_of, kind_of, refusal
from exir_viz.torch_internals.files import logged_errors

if TYPE_CHECKING:
    from torch.export import ExportedProgram

# torch 2.15 words it "in pytree failed because the serialized type is not registered"
_NOT_REGISTERED: Final = re.compile(r"Deserializing (?P<cls>\S+) in pytree [a-z ]*is not registered")
_NOT_AN_OP: Final = re.compile(r"failed to resolve (?P<op>\S+) to an operator")
_EDGE: Final = "executorch.exir.dialects.edge."


def open_program(path: str | os.PathLike[str]) -> ExportedProgram:
    """torch.export.load, which can execute code that the file brings: only after the user said trust=True.

    Raises a FileError, with what would help, where torch cannot load it.
    """
    path = checked(path, "load")
    needs_extra("load(trust=True)", "torch")
    head = head_of(path)
    kind = kind_of(head)
    if not kind:
        raise refusal(path.name, head)
    if kind != ".pt2":
        raise UnknownFormat(
            path.name,
            f"it is a {kind} file, and torch loads .pt2 files only",
            hint="exir_viz.load(path) reads the file.",
        )
    try:
        return _load_with_imports(path)
    except MalformedFile as error:
        cause = None if error.hint else _cause(path)
        if cause is None:
            raise
        raise cause from error


def _load_with_imports(path: Path) -> ExportedProgram:
    """Load a trusted file, and import the modules of its classes, as most register them with torch."""
    while True:
        try:
            return torch_load(path, path.name)
        except MissingImport as error:
            if not error.module or error.module in sys.modules:
                raise
            try:
                importlib.import_module(error.module)
            except Exception as failed:
                raise error from failed


def _cause(path: Path) -> FileError | None:
    """Why torch cannot load an archive, if its directory shows that."""
    try:
        with Container.open(path) as container:
            if ETRECORD in container:
                return UnknownFormat(
                    path.name,
                    "it is an ETRecord, and torch loads .pt2 files only",
                    hint="exir_viz.load(path) reads the file.",
                )
            if OLD in container:
                return UnknownFormat(
                    path.name,
                    "executorch.exir.save or torch up to 2.7 wrote it, which this torch cannot load",
                    hint="exir_viz.load(path) reads the file. executorch.exir.load(path) loads what "
                    "ExecuTorch wrote as a live program.",
                )
    except FileError as error:
        return error
    return None


def torch_load(source: Path | io.BytesIO, name: str) -> ExportedProgram:
    """Load a trusted file as a live program. Raises MalformedFile with a remedy."""
    import torch

    with logged_errors() as logged:
        try:
            return torch.export.load(source)
        except OSError:
            raise
        except Exception as error:
            raise loading_error(name, logged.found or error) from error


def loading_error(file: str, error: BaseException, loader: str = "torch.export.load") -> MalformedFile:
    """The error of a failed load. For the three causes in an undamaged file it has a remedy."""
    chain: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(chain) < 10:
        chain.append(str(cause))
        cause = cause.__cause__ or cause.__context__
    text = "\n".join(chain)
    if found := _NOT_REGISTERED.search(text):
        module, _, cls = found["cls"].rpartition(".")
        return MissingImport(
            file,
            (f"the program takes or returns a {found['cls']}, which is not registered with torch's pytree"),
            module=module,
            hint=(
                f"Import the module that defines {cls} and registers it, or "
                "register it with torch.export.register_dataclass or "
                "torch.utils._pytree.register_pytree_node, then open the file again. exir_viz.load(path) "
                "reads the file without it."
            ),
        )
    if found := _NOT_AN_OP.search(text):
        if found["op"].startswith(_EDGE):
            return MalformedFile(
                file,
                f"the program calls {found['op']}, and torch cannot load ops of the edge dialect",
                hint="exir_viz.load(path) reads the file. Run the program that it was lowered from.",
            )
        return MissingImport(
            file,
            f"the program calls {found['op']}, which is not registered",
            hint="Import the package that defines this op, then open the file again.",
        )
    last = str(error).strip().splitlines()
    return MalformedFile(
        file, f"{loader} could not load it: {type(error).__name__}: {(last or [''])[-1][:500]}"
    )
