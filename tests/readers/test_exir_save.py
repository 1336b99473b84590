"""What `executorch.exir.save` and `exir-viz lower -o x.pt2` write: read, and compared with the live one."""

from __future__ import annotations

import copy
import zipfile
from pathlib import Path

import pytest
import torch
from torch.export import export

import exir_viz
from exir_viz.errors import UnsupportedVersion
from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.program import Dialect
from tests.readers.pte_files import Linear


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, Path]:
    from executorch.exir import save, to_edge

    edge = to_edge(export(Linear().eval(), (torch.randn(2, 4),)))
    path = tmp_path_factory.mktemp("exir") / "edge.pt2"
    save(copy.deepcopy(edge.exported_program()), path)
    return edge, path


def test_it_is_the_live_program(saved: tuple[object, Path]) -> None:
    live, path = saved
    snapshot = exir_viz.load(path)
    assert (snapshot.method.dialect, snapshot.origin.torch) == (Dialect.EDGE, "")
    assert snapshot.origin.file_version.startswith("5.")
    diff = exir_viz.diff(live, path)
    assert diff.counts.same == len(diff)
    assert (diff.contents.weights, diff.contents.other_weights, diff.contents.left) == (2, 0, ())


class Constants(torch.nn.Module):
    def forward(self, x, nothing, no, yes, number, real, text):
        return x + x


def test_inputs_that_are_no_tensors_are_those_of_the_live_program(tmp_path: Path) -> None:
    from executorch.exir import save, to_edge

    given = (None, False, True, 3, 1.5, "text")
    edge = to_edge(export(Constants(), (torch.randn(2), *given)))
    save(copy.deepcopy(edge.exported_program()), tmp_path / "constants.pt2")
    diff = exir_viz.diff(edge, exir_viz.load(tmp_path / "constants.pt2"))
    assert diff.counts.same == len(diff)
    assert [fact for fact in diff.facts if fact.topic == "input"] == []
    constants = [spec.arg.value for spec in diff.b.method.signature.inputs[1:]]
    assert constants == [literal_of(one) for one in given]


def test_arguments_that_ops_take_only_by_name_have_their_names(tmp_path: Path) -> None:
    """The file names all arguments, and does not say which are keywords; `non_blocking` is left out."""
    from executorch.exir import save, to_edge

    class Casts(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.dropout(x, training=False).to(torch.float32) + 1

    edge = to_edge(export(Casts(), (torch.randn(2, 4).half(),)))
    save(copy.deepcopy(edge.exported_program()), tmp_path / "clone.pt2")
    diff = exir_viz.diff(edge, exir_viz.load(tmp_path / "clone.pt2"))
    assert diff.is_empty, str(diff)
    names = {node.target.name for node in diff.b.method.graph if "dim_order" in node.call.names}
    assert "_to_dim_order_copy" in names


def test_torchs_own_of_that_schema_is_still_refused(saved: tuple[object, Path], tmp_path: Path) -> None:
    """Before it had verifiers torch numbered its schema alike, and meant other things."""
    with zipfile.ZipFile(saved[1]) as old, zipfile.ZipFile(tmp_path / "old.pt2", "w") as new:
        for one in old.namelist():
            data = old.read(one)
            new.writestr(one, data.replace(b'"verifiers": ["EDGE"]', b'"verifiers": []'))
    with pytest.raises(UnsupportedVersion, match=r"it is of schema 5\.\d+, and 8 is read"):
        exir_viz.load(tmp_path / "old.pt2")
