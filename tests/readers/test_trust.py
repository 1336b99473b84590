"""`load(path, trust=True)` is the loud way to a live program."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from executorch import exir

import exir_viz
from exir_viz.errors import (
    FileError,
    MalformedFile,
    MissingImport,
    TruncatedFile,
    UnknownFormat,
    WrongArgument,
)
from exir_viz.readers.trusted_loading import loading_error
from tests.corpus.concepts import Fn
from tests.readers import archives
from tests.readers.mutations import pack, program_of, unpack


def test_only_trust_loads_a_live_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archives.write(tmp_path, archives.saved("named_dims"))
    monkeypatch.setattr(torch.export, "load", None)
    assert isinstance(exir_viz.load(path), exir_viz.types.Snapshot)
    for trust in (None, 1, "yes"):
        with pytest.raises(WrongArgument, match=r"trust is .* Expected: True or False"):
            exir_viz.load(path, trust=trust)  # type: ignore[call-overload]


def test_opened_with_trust(tmp_path: Path) -> None:
    path = archives.write(tmp_path, archives.saved("named_dims"))
    assert isinstance(exir_viz.load(path, trust=True).program, torch.export.ExportedProgram)
    with pytest.raises(FileNotFoundError):
        exir_viz.load(tmp_path / "absent.pt2", trust=True)


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (b"", TruncatedFile, "it is empty"),
        (b"PK", TruncatedFile, "it ends after 2 bytes"),
        (b"other", UnknownFormat, "which no supported file does"),
        (b"\0\0\0\0ET12", UnknownFormat, "it is a .pte file, and torch loads .pt2 files only"),
    ],
)
def test_what_is_no_archive_is_not_given_to_torch(
    data: bytes, kind: type[FileError], words: str, tmp_path: Path
) -> None:
    with pytest.raises(kind, match=words):
        exir_viz.load(archives.write(tmp_path, data), trust=True)


def test_an_archive_that_was_cut_off_is_said_to_be(tmp_path: Path) -> None:
    path = archives.write(tmp_path, archives.saved("named_dims")[:1000])
    with pytest.raises(FileError) as read:
        exir_viz.load(path)
    with pytest.raises(FileError) as opened:
        exir_viz.load(path, trust=True)
    assert str(opened.value) == str(read.value)
    assert "cut off" in str(opened.value)


class Records(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


@pytest.fixture
def logged() -> Iterator[list[str]]:
    records, log = Records(), logging.getLogger("torch.export")
    log.addHandler(records)
    yield records.texts
    log.removeHandler(records)


def test_a_log_of_torch_is_not_shown_beside_our_error(tmp_path: Path, logged: list[str]) -> None:
    path = tmp_path / "edge.pt2"
    exir.save(torch.export.export(Fn(torch.sin), (torch.ones(3),)), path)
    with pytest.raises(UnknownFormat, match=r"executorch\.exir\.save or torch up to 2\.7 wrote it"):
        exir_viz.load(path, trust=True)
    assert logged == []


def test_a_log_of_torch_is_shown_if_it_loads_the_file(
    tmp_path: Path, logged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load = torch.export.load

    def logging_load(source: object) -> torch.export.ExportedProgram:
        logging.getLogger("torch.export").warning("This version of file is deprecated.")
        return load(source)

    monkeypatch.setattr(torch.export, "load", logging_load)
    path = archives.write(tmp_path, archives.saved("named_dims"))
    assert isinstance(exir_viz.load(path, trust=True).program, torch.export.ExportedProgram)
    assert logged == ["This version of file is deprecated."]


def _changed(folder: Path, old: bytes, new: bytes) -> Path:
    members = unpack(archives.saved("pytree_inputs"))
    name = program_of(members)
    assert old in members[name]
    return archives.write(folder, pack({**members, name: members[name].replace(old, new)}))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"tests.corpus.concepts.Batch", b"elsewhere.Batch", ("elsewhere.Batch", "Import", "load(path)")),
        (b"torch.ops.aten.add.Tensor", b"torch.ops.mine.add.Tensor", ("mine.add", "not registered")),
        (b'"aten"', b'"aten', ("torch.export.load",)),
    ],
)  # fmt: skip
def test_says_what_would_help(old: bytes, new: bytes, words: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(MalformedFile) as caught:
        exir_viz.load(_changed(tmp_path, old, new), trust=True)
    for word in words:
        assert word in str(caught.value)
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    "text",
    [
        "Deserializing shop.orders.Batch in pytree is not registered.",
        "Deserializing shop.orders.Batch in pytree failed because the serialized type is not registered",
    ],
)
def test_a_class_that_is_not_registered_is_known_by_what_torch_says(text: str) -> None:
    """As torch 2.13 says it, and as 2.15 does."""
    error = loading_error("program.pt2", NotImplementedError(text))
    assert isinstance(error, MissingImport)
    assert error.module == "shop.orders"
    assert "takes or returns a shop.orders.Batch" in str(error)


def test_torch_tells_nothing_beside_the_error(tmp_path: Path, caplog) -> None:
    path = _changed(tmp_path, b"tests.corpus.concepts.Batch", b"elsewhere.Batch")
    with pytest.raises(MissingImport) as caught:
        exir_viz.load(path, trust=True)
    assert caught.value.module == "elsewhere"
    assert [record for record in caplog.records if record.name == "torch.export"] == []


def test_an_edge_program_is_not_told_to_import_its_ops(tmp_path: Path) -> None:
    edge = b"executorch.exir.dialects.edge._ops.aten.add.Tensor"
    with pytest.raises(MalformedFile, match="ops of the edge dialect"):
        exir_viz.load(_changed(tmp_path, b"torch.ops.aten.add.Tensor", edge), trust=True)


SHOP = """
from dataclasses import dataclass
import torch

@dataclass
class Order:
    amounts: torch.Tensor

torch.export.register_dataclass(Order, serialized_type_name="shop_orders.Order")

class Total(torch.nn.Module):
    def forward(self, x):
        return Order(x + 1)

def save(path):
    torch.export.save(torch.export.export(Total(), (torch.ones(3),)), path)
"""


def test_the_modules_of_classes_in_a_trusted_file_are_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for a model of transformers, whose outputs register themselves. Reading as data imports nothing."""
    (tmp_path / "shop_orders.py").write_text(SHOP)
    code = "import shop_orders; shop_orders.save('orders.pt2')"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    with pytest.raises(MissingImport) as caught:
        exir_viz.load(tmp_path / "orders.pt2", trust=True)
    assert caught.value.module == "shop_orders"
    monkeypatch.syspath_prepend(tmp_path)
    assert exir_viz.load(tmp_path / "orders.pt2").method.signature.outputs[0].path == "output.amounts"
    assert "shop_orders" not in sys.modules
    program = exir_viz.load(tmp_path / "orders.pt2", trust=True).program
    order = program.module()(torch.ones(3))
    assert isinstance(order, sys.modules.pop("shop_orders").Order)
