"""Reports by name: ours, registered ones, those of packages, and the command."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import torch

import exir_viz
from exir_viz import cli
from exir_viz.errors import UnknownOption, WrongArgument
from exir_viz.reports import Column, Outcome, Report, Row, Section, Unit, registry
from exir_viz.snapshot import Snapshot
from tests.corpus.programs import ROOT, archive
from tests.reports.example import fails, ops, registered
from tests.reports.rules.test_check import SARIF

PAGE = (ROOT / "docs" / "reports.md").read_text("utf-8")


def test_the_page_lists_the_reports() -> None:
    with registered():
        rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE, re.MULTILINE)
        assert rows == [(name, registry.about(name)) for name in exir_viz.reports.names()]


def test_a_name_that_no_report_has() -> None:
    with pytest.raises(WrongArgument, match="Did you mean 'size'"):
        exir_viz.reports.run("sise", archive("dynamic_batch"))


@pytest.mark.parametrize("option", ["file", "live", "nothing"])
def test_what_is_no_option(option: str) -> None:
    with pytest.raises(UnknownOption, match=option):
        exir_viz.reports.run("size", archive("dynamic_batch"), **{option: None})


def test_a_report_is_given_what_it_is_about() -> None:
    given: list[Any] = []

    def asks(snapshot: exir_viz.types.Snapshot, live: object = None, file: object = None) -> Report:
        given.append((live, file))
        return Report(snapshot.method.name)

    path = archive("dynamic_batch")
    program = torch.export.load(path)
    with registered(asks):
        exir_viz.reports.run("asks", program)
        exir_viz.reports.run("asks", str(path))
        exir_viz.reports.run("asks", exir_viz.load(path))
    assert given == [(program, None), (None, path), (None, None)]


def test_what_is_no_report() -> None:
    def none(snapshot: exir_viz.types.Snapshot) -> Any:
        del snapshot

    with registered(none), pytest.raises(TypeError, match="'none' returned None, not a Report"):
        exir_viz.reports.run("none", archive("dynamic_batch"))


def test_a_value_of_the_wrong_type_is_the_error_of_its_report() -> None:
    def odd(snapshot: Snapshot) -> Report:
        return Report("odd", sections=(Section("odd", (Row("odd", values=([snapshot.schema],)),)),))  # type: ignore[arg-type]

    snapshot = exir_viz.load(archive("dynamic_batch"))
    with registered(odd):
        with pytest.raises(TypeError, match=r"'odd' has a value of the wrong type: .*values\[0\]"):
            exir_viz.reports.run("odd", snapshot)
        assert "wrong type" in registry.run_safely("odd", snapshot).headline


def test_the_example_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In Python as the page registers it, and in a terminal as a package names it."""
    code = next(one for one in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "def " in one)
    assert len(code.splitlines()) <= 25
    program = torch.export.export(torch.nn.ReLU(), (torch.ones(2, dtype=torch.float64),))
    path = tmp_path / "doubles.pt2"
    torch.export.save(program, path)
    with registered():
        exec(compile(code, "reports.md", "exec"), {})
        report = exir_viz.reports.run("no_float64", program)
        assert (report.headline, report.outcome) == ("2 nodes in float64", Outcome.ERROR)
        assert exir_viz.reports.run("no_float64", archive("dynamic_batch")).outcome is Outcome.FINE
    (tmp_path / "acme_reports.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    named = tomllib.loads(re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0])
    ((name, value),) = named["project"]["entry-points"][registry.GROUP].items()
    entry = metadata.EntryPoint(name, value, registry.GROUP)
    with registered(), monkeypatch.context() as patch:
        patch.setattr(registry, "entry_points", lambda group: [entry] if group == registry.GROUP else [])
        assert cli.main(["report"]) == 0
        assert re.search("no_float64 +Which ops compute in float64", capsys.readouterr().out)
        arguments = ["report", name, str(path), "--format", "sarif"]
        assert cli.main(arguments) == 0
        assert cli.main([*arguments, "--fail-on", "error"]) == 1
        assert cli.main(["report", name, str(archive("dynamic_batch")), "--fail-on", "warning"]) == 0


def test_the_example_with_a_column() -> None:
    """Casts per module: of two modules that convert, of one that does not, and outside of them."""

    class Half(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x.float() * 2).half()

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = Half(), Half()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.first(x) + self.second(x.half()).float()

    program = torch.export.export(Model(), (torch.ones(2, dtype=torch.float16),))
    code = next(one for one in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "def casts" in one)
    with registered():
        exec(compile(code, "reports.md", "exec"), {})
        for each in (program, program.run_decompositions()):
            report = exir_viz.reports.run("casts", each)
            assert {row.title: row.values for row in report.rows()} == {
                "first": (2,),
                "second": (2,),
                "top level": (1,),
            }
            assert report.headline == "5 casts"


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(archive("dynamic_batch"))
    with registered(ops, fails):
        for form, start in (("text", "Ops: "), ("json", "{"), ("sarif", "{"), ("html", "<!doctype html>")):
            assert cli.main(["report", "ops", file, "--format", form]) == 0
            assert capsys.readouterr().out.startswith(start)
        assert cli.main(["report", "ops", file, "--fail-on", "warning"]) == 1
        assert cli.main(["report", "ops", file, "--fail-on", "error"]) == 0
        assert cli.main(["report", "fails", file]) == 2
        assert "The report 'fails' failed: RuntimeError: no forward" in capsys.readouterr().err
        assert cli.main(["report", "sise", file]) == 2
        assert cli.main(["report", "size", "missing.pt2"]) == 2
    assert cli.main(["report", "size"]) == 2
    assert "Name the file, too" in capsys.readouterr().err


HOSTILE = "<script>alert(1)</script>\x1b[31m [a](b)"
SHOWN = Report(
    HOSTILE,
    Outcome.NOTE,
    sections=(
        Section(
            HOSTILE,
            (
                Row(HOSTILE, HOSTILE, HOSTILE, Outcome.NOTE, (HOSTILE,), values=(1536, 0.5, None)),
                Row("fine", values=(0, 0.25, 3)),
            ),
            (Column("size", Unit.BYTES), Column("part", Unit.SHARE), Column("count", Unit.COUNT)),
        ),
    ),
    name="hostile",
    title=HOSTILE,
)


def test_text_of_a_program_is_only_text() -> None:
    for written in (SHOWN.text(), SHOWN.to_html()):
        assert "\x1b" not in written
    assert "<script" not in SHOWN.to_html()
    assert "&lt;script&gt;" in SHOWN.to_html()
    jsonschema.validate(json.loads(SHOWN.to_sarif()), SARIF)
    (result,) = json.loads(SHOWN.to_sarif())["runs"][0]["results"]
    assert "\x1b" not in result["message"]["text"]
    assert r"\[a\](b)" in result["message"]["text"]


def test_cells_are_written_in_their_unit() -> None:
    for written in (SHOWN.text(), SHOWN.to_html()):
        assert "1.5 KB" in written
        assert "50.0%" in written
        assert "–" in written
    assert "1 more in .frame" in SHOWN.text(1)


def test_tables_have_numbers() -> None:
    first, second = SHOWN.frame.to_dict("records")
    assert (first["size"], first["part"], second["count"]) == (1536, 0.5, 3)
    assert list(SHOWN.node_table().columns)[3] == "node"
    assert [row["node"] for row in json.loads(SHOWN.node_table().json())] == [HOSTILE, ""]


def test_json_has_every_key() -> None:
    written = json.loads(SHOWN.to_json())
    assert list(written) == list(Report.__struct_fields__)
    for row in written["sections"][0]["rows"]:
        assert list(row) == list(Row.__struct_fields__)
    assert written["sections"][0]["rows"][0]["values"] == [1536, 0.5, None]
    assert written["outcome"] == "note"
