"""Small `.pt2` files, made once a process: of today's layout and of the older ones."""

from __future__ import annotations

import functools
import io
import json
import logging
import warnings
import zipfile
from pathlib import Path

import pytest
import torch
from torch._export.serde.serialize import serialize
from torch.export import ExportedProgram
from torch.export.pt2_archive._package import package_pt2

import exir_viz
from exir_viz.errors import FileError, MalformedFile
from exir_viz.snapshot import Snapshot
from tests.corpus.programs import fresh
from tests.readers.mutations import pack, unpack

# torch's own warning there has fewer arguments than its format asks for, which pytest makes an error.
logging.getLogger("torch._export.serde.serialize").setLevel(logging.ERROR)


@functools.cache
def saved(name: str, level: str = "aten") -> bytes:
    """A program as torch.export.save writes it today."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(fresh(name, level), buffer)
    return buffer.getvalue()


def saved_together(**programs: ExportedProgram) -> bytes:
    """Several programs in one archive."""
    buffer = io.BytesIO()
    package_pt2(buffer, exported_programs=programs)
    return buffer.getvalue()


def saved_as_in_2_7(name: str) -> bytes:
    """One JSON and three archives of torch.save, without a folder."""
    artifact = serialize(fresh(name))
    return pack(
        {
            "version": b"8.8",
            "serialized_exported_program.json": artifact.exported_program,
            "serialized_state_dict.pt": artifact.state_dict,
            "serialized_constants.pt": artifact.constants,
            "serialized_example_inputs.pt": artifact.example_inputs,
        }
    )


def saved_as_in_2_8(name: str) -> bytes:
    """Today's folders, with weights and constants each in one archive of torch.save."""
    artifact = serialize(fresh(name))
    members = {
        member: data
        for member, data in unpack(saved(name)).items()
        if "/data/weights/" not in member and "/data/constants/" not in member
    }
    root = next(iter(members)).partition("/")[0]
    members[f"{root}/data/weights/model.pt"] = artifact.state_dict
    members[f"{root}/data/constants/model.pt"] = artifact.constants
    return pack(members)


def without(data: bytes, *fields: str) -> bytes:
    """The program without these fields of its nodes and inputs, as older schemas have it."""
    members = unpack(data)
    name = next(member for member in members if "/models/" in member)
    graph = json.loads(members[name])
    for node in graph["graph_module"]["graph"]["nodes"]:
        for field in fields:
            node.pop(field, None)
        for one in node["inputs"]:
            if "kind" in fields:
                del one["kind"]
    members[name] = json.dumps(graph).encode()
    return pack(members)


def write(folder: Path, data: bytes, name: str = "program.pt2") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def packed(data: bytes) -> bytes:
    """The same archive, deflated."""
    return pack(unpack(data), zipfile.ZIP_DEFLATED)


@functools.cache
def register_model_outputs() -> None:
    """What transformers' models return, told to torch's pytree, without which torch loads none of them."""
    from transformers import cache_utils, modeling_outputs
    from transformers.utils import generic

    known = torch.utils._pytree.SUPPORTED_NODES
    for module in (modeling_outputs, cache_utils):
        for cls in vars(module).values():
            if isinstance(cls, type) and issubclass(cls, generic.ModelOutput) and cls not in known:
                generic._register_model_output_pytree_node(cls)


def refused(folder: Path, data: bytes, kind: type[FileError] = MalformedFile) -> FileError:
    """The error that loading this gives: of this kind, naming the file, and short enough to read."""
    path = write(folder, data)
    with pytest.raises(kind) as caught:
        exir_viz.load(path)
    error = caught.value
    assert error.file == path.name
    assert len(str(error)) < 2000
    return error


def member(members: dict[str, bytes], end: str) -> str:
    """The name of the member that ends so."""
    return next(name for name in members if name.endswith(end))


def loaded(folder: Path, data: bytes) -> Snapshot:
    """The Snapshot of a file of these bytes."""
    return exir_viz.load(write(folder, data))
