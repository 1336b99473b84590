"""What a page asks for later: the same as the reports say, with numbers of nodes."""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec
import torch

import exir_viz
from exir_viz.pages.analysis import analysis_of, encode_analysis, report_of, sections_for_pages
from exir_viz.reports import run
from exir_viz.snapshot.columns import Analysis
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.wire import Sections, encode


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] > 1:
            x = x.relu()
        return x + torch.searchsorted(x[0], x)


def test_an_analysis_is_what_the_functions_say() -> None:
    snapshot = exir_viz.load(Net(), torch.ones(2, 3))
    numbering = Numbering(snapshot)
    found = analysis_of(snapshot, Redaction([snapshot]))
    (source,), (covered,) = found.sources, run("source", snapshot).sources
    assert source.file == "tests/pages/test_analysis.py"
    assert source.lines == covered.numbers
    made = {number: nodes for number, nodes in zip(covered.numbers, covered.nodes, strict=True) if nodes}
    assert len(made) == 2
    for number, nodes in zip(source.lines, source.nodes, strict=True):
        assert tuple(numbering.node(one).id for one in nodes) == made.get(number, ())


def test_edge_operators_say_their_dtypes_and_a_refused_combination() -> None:
    from executorch.exir import to_edge

    class Add(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + x

    snapshot = exir_viz.load(to_edge(torch.export.export(Add(), (torch.ones(2),))))
    (found,) = analysis_of(snapshot, Redaction([snapshot])).dtypes
    assert found.names == ("self", "other", "result")
    assert (found.found, found.is_allowed) == (("float32",) * 3, True)
    assert all("float32" in allowed for allowed in found.allowed)
    assert found.refused == "aten.add.Tensor with self float64, other float32, result float32"
    assert not found.remedy  # it is an example of another call
    assert Numbering(snapshot).node(found.nodes[0]).target.name == "add"


def test_a_page_without_sources_has_no_lines() -> None:
    snapshot = exir_viz.load(Net(), torch.ones(2, 3))
    found = analysis_of(snapshot, Redaction([snapshot], sources=False))
    assert found.sources == ()


def test_files_do_not_carry_it_and_pages_do() -> None:
    snapshot = exir_viz.load(Net(), torch.ones(2, 3))
    share = Redaction([snapshot])
    assert "analysis" not in Sections(encode(snapshot), "a.exirviz")
    assert "reports" not in Sections(encode(snapshot), "a.exirviz")
    written = Sections(encode(snapshot, sections_for_pages(snapshot, share)), "page")
    assert written.record("analysis", Analysis) == analysis_of(snapshot, share)
    packed = encode_analysis(snapshot, share)
    assert msgspec.json.decode(zlib.decompress(packed), type=Analysis) == analysis_of(snapshot, share)


def test_the_lines_of_a_report_have_paths_and_texts_that_a_page_may_have() -> None:
    snapshot = exir_viz.load(Net(), torch.ones(2, 3), watch=True)
    found = report_of("source", snapshot, Redaction([snapshot]))
    (source,) = found.sources
    assert source.file == "tests/pages/test_analysis.py"
    assert "        if x.shape[0] > 1:" in source.texts
    assert str(Path(__file__).parent) not in found.to_json()
    hidden = report_of("source", snapshot, Redaction([snapshot], sources=False))
    assert {text for one in hidden.sources for text in one.texts} == {""}
    assert "shape[0]" not in hidden.to_json()
