"""How reports get to a page: in it, or asked for; no more of the machine than the page may have."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

import exir_viz
from exir_viz.pages.reports import report_of, sections_for_pages
from exir_viz.reports import Report, Row, Section
from exir_viz.reports.registry import run_safely
from exir_viz.snapshot import Snapshot, wire
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.redaction import Redaction
from exir_viz.stages.session import Session
from exir_viz.widget.explorer import Explorer
from exir_viz.widget.session_explorer import SessionExplorer

from .example import fails, ops, registered


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.relu() + x


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return exir_viz.load(Net(), torch.ones(2))


def answered(explorer: Any, what: str, **fields: object) -> tuple[dict[str, Any], list[bytes]]:
    """What a page gets for its question."""
    sent: list[tuple[dict[str, Any], list[bytes]]] = []
    explorer.send = lambda content, buffers=None: sent.append((content, buffers or []))
    explorer._receive(explorer, {"kind": "ask", "what": what, "from": "view", "n": 7, **fields}, [])
    (answer,) = [each for each in sent if each[0].get("n") == 7]
    return answer


def unpacked(buffer: bytes) -> Report:
    return msgspec.json.decode(zlib.decompress(buffer), type=Report)


def test_a_widget_lists_reports_and_makes_one_when_it_is_asked(snapshot: Snapshot) -> None:
    with registered(ops, fails):
        explorer = Explorer(snapshot)
        listed, _ = answered(explorer, "reports")
        assert {"name": "ops", "title": "Ops", "about": "Which operators there are."} in listed["reports"]
        _, [packed] = answered(explorer, "report", name="ops")
        report = unpacked(packed)
        assert (report.name, report.title, report.headline) == ("ops", "Ops", "2 operators")
        assert [row.title for row in report.rows()] == ["relu", "add"]
        assert report == run_safely("ops", Redaction().snapshot(snapshot))


def test_a_report_that_is_not_registered_any_more_is_refused(snapshot: Snapshot) -> None:
    with registered(ops):
        explorer = Explorer(snapshot)
    answer, _ = answered(explorer, "report", name="ops")
    assert answer["kind"] == "refused"
    assert answer["reason"] == "There is no report 'ops'."


def test_a_session_makes_the_report_of_the_stage_that_is_asked_for() -> None:
    session = Session(torch.export.export(Net(), (torch.ones(2),)))
    stage = session.root.decompose("core")
    with registered(ops):
        explorer = SessionExplorer(session)
        listed, _ = answered(explorer, "reports")
        assert listed["reports"][-1]["name"] == "ops"
        _, [packed] = answered(explorer, "report", name="ops", stage=stage.id)
        found = {node for row in unpacked(packed).rows() for node in row.nodes}
    assert found == {node.id for node in stage.snapshot.method.graph if node.op == "call_function"}


def test_a_page_without_a_kernel_has_all_reports_of_its_program(snapshot: Snapshot) -> None:
    with registered(ops, fails):
        made: Any = sections_for_pages(snapshot, Redaction([snapshot]))["reports"]
    by_name = {report.name: report for report in made}
    assert by_name["ops"].headline == "2 operators"
    assert by_name["fails"].headline.startswith("The report failed: RuntimeError: no forward")
    assert by_name["fails"].outcome.value == "error"


def test_of_a_large_program_only_a_kernel_makes_reports_when_it_is_asked(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not wire.page_data(snapshot).is_large
    assert "reports" in sections_for_pages(snapshot, Redaction([snapshot]))
    monkeypatch.setattr(wire, "MOST_NODES", 2)
    assert wire.page_data(snapshot).is_large
    assert "reports" not in sections_for_pages(snapshot, Redaction([snapshot]))
    _, [packed] = answered(Explorer(snapshot), "report", name="size")
    assert unpacked(packed).name == "size"


def test_paths_are_written_as_the_page_may_have_them(snapshot: Snapshot) -> None:
    with registered(ops, fails):
        failed = report_of("fails", snapshot, Redaction([snapshot]))
        places = {
            place for row in report_of("ops", snapshot, Redaction([snapshot])).rows() for place in row.places
        }
        whole = {place for row in run_safely("ops", snapshot).rows() for place in row.places}
    assert "/home/ana" not in failed.headline
    assert "net.py" in failed.headline
    assert {place.rpartition(":")[0] for place in places} == {"tests/reports/test_pages.py"}
    assert {place.rpartition(":")[0] for place in whole} == {__file__}


def test_a_report_gets_no_source_text_where_the_page_has_none(snapshot: Snapshot) -> None:
    def lines(given: Snapshot) -> Report:
        codes = tuple(Row(frame.code) for node in given.method.graph for frame in node.frames if frame.code)
        return Report(f"{len(codes)} lines", sections=(Section("lines", codes),))

    with registered(lines):
        assert "x.relu() + x" in report_of("lines", snapshot, Redaction([snapshot])).text()
        share = Redaction([snapshot], sources=False)
        assert report_of("lines", snapshot, share).headline == "0 lines"


def test_a_package_that_cannot_be_imported_is_listed_with_the_reason() -> None:
    from exir_viz.reports import registry

    def broken() -> Any:
        raise ImportError("No module named 'acme'")

    with registered(ops):
        registry._registered["casts"] = registry.Analysis("casts", "Casts", broken)
        assert registry.about("casts") == "It cannot be imported: ImportError: No module named 'acme'."
        assert "No module named 'acme'" in run_safely("casts", exir_viz.load(Net(), torch.ones(2))).headline


def test_files_do_not_carry_reports(snapshot: Snapshot) -> None:
    assert "reports" not in wire.Sections(wire.encode(snapshot), "a.exirviz")


class Branch(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] > 1:
            x = x.relu()
        return x + torch.searchsorted(x[0], x)


def test_the_lines_of_a_report_have_paths_and_texts_that_a_page_may_have() -> None:
    snapshot = exir_viz.load(Branch(), torch.ones(2, 3), watch=True)
    found = report_of("source", snapshot, Redaction([snapshot]))
    (source,) = found.sources
    assert source.file == "tests/reports/test_pages.py"
    assert "        if x.shape[0] > 1:" in source.texts
    assert str(Path(__file__).parent) not in found.to_json()
    hidden = report_of("source", snapshot, Redaction([snapshot], sources=False))
    assert {text for one in hidden.sources for text in one.texts} == {""}
    assert "shape[0]" not in hidden.to_json()


def test_edge_operators_say_their_dtypes_and_a_refused_combination() -> None:
    from executorch.exir import to_edge

    class Add(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + x

    snapshot = exir_viz.load(to_edge(torch.export.export(Add(), (torch.ones(2),))))
    (found,) = wire.page_data(snapshot).dtypes
    assert found.names == ("self", "other", "result")
    assert (found.found, found.is_allowed) == (("float32",) * 3, True)
    assert all("float32" in allowed for allowed in found.allowed)
    assert found.refused == "aten.add.Tensor with self float64, other float32, result float32"
    assert not found.remedy  # it is an example of another call
    assert Numbering(snapshot).node(found.nodes[0]).target.name == "add"
