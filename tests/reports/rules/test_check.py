"""`exir_viz.check` and `exir-viz check`: what they take, what they return, and that files need no torch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import exir_viz
from exir_viz import cli
from exir_viz.errors import WrongArgument
from exir_viz.reports import Outcome
from exir_viz.reports.rules.edge_dtypes import edge_dtypes
from exir_viz.reports.rules.run import check_snapshot
from exir_viz.snapshot.program import Dialect
from tests.corpus.programs import archive
from tests.nightly import nightly, some
from tests.readers.pte_files import NAMES, lowered

from .conformance import conformance, markdown, rule_table, written
from .found import found
from .programs import Plain, program, snapshot, stage
from .seeds import SEEDS

WILD_FILES = sorted((Path(__file__).parents[2] / "readers" / "wild").glob("*/*.pte"))
BROKEN = next(seed for seed in SEEDS if seed.rule == "no-mutation")
NODE = f"forward/{BROKEN.node}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return BROKEN.broken().save(tmp_path / "broken.exirviz")


def test_what_can_be_checked(file: Path) -> None:
    assert [one.node for one in found(exir_viz.check(str(file)))] == [NODE]
    assert [one.node for one in found(exir_viz.check(BROKEN.broken()))] == [NODE]
    for sound in (program(), program().graph_module, stage(Dialect.ATEN), snapshot(Dialect.ATEN)):
        assert exir_viz.check(sound).outcome is Outcome.FINE
    assert exir_viz.check(stage(Dialect.EXECUTORCH).content.live.manager).outcome is Outcome.FINE


def test_what_cannot_be_checked() -> None:
    with pytest.raises(WrongArgument, match=r"x is 3\. Expected: a Snapshot"):
        exir_viz.check(3)
    with pytest.raises(WrongArgument, match=r"check\(session\.current\)"):
        exir_viz.check(exir_viz.Session(program(Plain)))


def test_the_dialect_is_the_programs_or_the_one_given() -> None:
    report = exir_viz.check(snapshot(Dialect.ATEN), "aten.core")
    assert report.headline.startswith("3 errors (aten.core, ")
    assert {one.node for one in found(report)} == {"forward/linear", "forward/split", "forward/sum_1"}
    with pytest.raises(WrongArgument, match=r"Did you mean 'aten\.core'\?"):
        exir_viz.check(snapshot(Dialect.ATEN), "aten.cor")


@pytest.mark.parametrize("name", some(NAMES, NAMES[::3]))
def test_a_pte_breaks_no_rule_that_its_program_keeps(name: str, tmp_path: Path) -> None:
    """A file has no lifetimes, no names of parameters and no get_attr nodes: their absence breaks nothing."""
    made = lowered(name)
    path = tmp_path / "program.pte"
    path.write_bytes(made.data)
    program, file = exir_viz.check(exir_viz.load(made.manager)), exir_viz.check(path)
    assert {one.rule for one in found(file)} <= {one.rule for one in found(program)}
    assert program.unexamined == ()
    unchecked = {rule.name for rule in check_snapshot(exir_viz.load(path)).unchecked}
    assert unchecked == {"plan-overlap", "branch-results", "plan-lifetime", "constant-tensor"}
    assert all(name in " ".join(file.unexamined) for name in unchecked)


@pytest.mark.parametrize("file", WILD_FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_pte_of_a_release_is_valid(file: Path) -> None:
    assert exir_viz.check(file).outcome is not Outcome.ERROR


def test_what_a_pte_cannot_be_checked_for_is_said() -> None:
    report = exir_viz.check(WILD_FILES[0])
    sentences = (
        "plan-overlap, branch-results and plan-lifetime: A .pte does not say until when a value is used.",
        "constant-tensor: A .pte does not say which tensors are parameters and buffers.",
    )
    assert report.unexamined == sentences
    for sentence in sentences:
        assert f"Not examined: {sentence}" in " ".join(str(report).split())
        assert sentence in report._repr_html_()
    assert found(report, "plan-overlap") == []
    assert json.loads(report.to_json())["unexamined"] == list(sentences)


def test_rules_by_name() -> None:
    broken = BROKEN.broken()
    assert len(found(exir_viz.check(broken, rules=["no-mutation", "node-kind"]))) == 1
    assert found(exir_viz.check(broken, rules="node-kind")) == []
    with pytest.raises(WrongArgument, match=r"Did you mean 'no-mutation'\?"):
        exir_viz.check(broken, rules=["no-mutations"])


def test_findings_of_a_node_or_severity() -> None:
    report = exir_viz.check(BROKEN.broken())
    (row,) = report.rows("error")
    assert (row.nodes, row.severity) == ((NODE,), Outcome.ERROR)
    assert [section.title for section in report.sections] == ["Errors"]
    with pytest.raises(WrongArgument, match="Did you mean 'error'"):
        list(report.rows("eror"))


def test_frame() -> None:
    report = exir_viz.check(BROKEN.broken())
    (row,) = report.node_table().frame().to_dict("records")
    assert (row["severity"], row["node"]) == ("error", NODE)
    assert row["place"].partition(":")[0].endswith("programs.py")
    assert report.frame["name"].tolist() == ["no-mutation"]


def test_text_and_html() -> None:
    report = exir_viz.check(BROKEN.broken())
    assert str(report).startswith("Rules: 1 error (aten, ")
    assert NODE in str(report)
    assert "calls aten.relu_.default, which writes to an argument" in " ".join(str(report).split())
    assert f"<code>{NODE} · " in report._repr_html_()
    assert str(exir_viz.check(snapshot(Dialect.ATEN))).startswith("Rules: No findings (aten, ")


def test_text_of_a_program_stays_text() -> None:
    from .editor import Editor

    hostile = Editor(BROKEN.broken()).rename("relu", "<b>\x1b[31m").finish()
    report = exir_viz.check(hostile)
    assert "&lt;b&gt;" in report._repr_html_()
    assert report._repr_html_().count("<b>") == 2  # the headline and the section
    assert "\x1b" not in str(report) + report._repr_html_()


def test_a_remedy_for_dtypes_says_what_fits() -> None:
    seeds = [seed for seed in SEEDS if seed.rule == "edge-dtypes"]
    remedies = [found(exir_viz.check(seed.broken()), "edge-dtypes")[0].remedy for seed in seeds]
    assert remedies[0] == "With these arguments the result is float32: convert it where it is used."
    assert remedies[2] == "With these arguments the result is float64: convert it where it is used."


def test_dtypes_on_a_page_are_refused_only_where_the_dialect_refuses_them() -> None:
    seed = next(seed for seed in SEEDS if seed.rule == "edge-dtypes" and seed.node == "aten_sin_default")
    broken = seed.broken()
    for each in (broken, seed.of(seed.dialect)):
        finding = found(exir_viz.check(each), "edge-dtypes")
        for row in edge_dtypes(each):
            assert bool(row.remedy) is not row.is_allowed
            if not row.is_allowed:  # its own dtypes, not an example
                assert all(dtype in row.refused for dtype in row.found)
                assert row.remedy in [one.remedy for one in finding]


def test_the_command(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(file)]) == 1
    assert NODE in capsys.readouterr().out
    assert cli.main(["check", str(file), "--rule", "node-kind"]) == 0
    capsys.readouterr()
    assert cli.main(["check", str(tmp_path / "absent.pt2")]) == 2
    assert cli.main(["check", str(file), "--dialect", "edgy"]) == 2
    assert "Did you mean 'edge'?" in capsys.readouterr().err


def test_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(file), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["outcome"] == "error"
    assert [row["nodes"] for section in report["sections"] for row in section["rows"]] == [[NODE]]


def test_sarif(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(file), "--sarif"]) == 1
    written = json.loads(capsys.readouterr().out)
    assert written["version"] == "2.1.0"
    (run,) = written["runs"]
    assert [one["id"] for one in run["tool"]["driver"]["rules"]] == ["no-mutation"]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("no-mutation", "error")
    (location,) = result["locations"]
    assert location["logicalLocations"][0]["fullyQualifiedName"] == NODE
    assert location["physicalLocation"]["region"]["startLine"] > 0


def _object(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required.split(), "properties": properties}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True}


# What the schema of SARIF 2.1.0 demands of the objects that are written.
_TEXT = {"type": "string", "minLength": 1}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_RULE = _object(
    "id", id=_TEXT, shortDescription=_object("text", text=_TEXT), fullDescription=_object("text", text=_TEXT),
    defaultConfiguration=_object("level", level=_LEVEL), helpUri={"type": "string", "pattern": r"^https://\S+$"},
)  # fmt: skip
_PLACE = _object(
    "artifactLocation",
    artifactLocation=_object("uri", uri={"type": "string", "pattern": r"^[\w/.~%-]+$"}),
    region=_object("startLine", startLine={"type": "integer", "minimum": 1}),
)
_RESULT = _object(
    "message ruleId", ruleId=_TEXT, level=_LEVEL, message=_object("text", text=_TEXT),
    locations=_list(
        _object("", physicalLocation=_PLACE, logicalLocations=_list(_object("name", name=_TEXT)))
    ),
)  # fmt: skip
_TOOL = _object("driver", driver=_object("name", name=_TEXT, rules=_list(_RULE)))
_RUN = _object("tool results", tool=_TOOL, results=_list(_RESULT))
SARIF = _object("version runs", version={"const": "2.1.0"}, runs=_list(_RUN))


def test_sarif_has_what_its_schema_demands(tmp_path: Path) -> None:
    for seed in SEEDS[::4]:
        report = exir_viz.check(seed.broken())
        assert found(report)
        jsonschema.validate(json.loads(report.to_sarif()), SARIF)
    odd = tmp_path / "a program: 100% é #1.pt2"
    odd.write_bytes(archive("memory_layouts").read_bytes())
    written = json.loads(exir_viz.check(odd).to_sarif())
    jsonschema.validate(written, SARIF)
    places = [
        one["physicalLocation"] for result in written["runs"][0]["results"] for one in result["locations"]
    ]
    assert "a%20program%3A%20100%25%20%C3%A9%20%231.pt2" in [one["artifactLocation"]["uri"] for one in places]


def test_files_need_no_torch(file: Path) -> None:
    code = (
        "import sys, exir_viz\n"
        f"found = exir_viz.check({str(file)!r})\n"
        "print(found.headline, str(found), found.to_sarif())\n"
        "assert not {'torch', 'executorch', 'sympy', 'numpy', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_work_is_linear_in_nodes(call_count) -> None:
    """A node costs about as much in a program of 3,912 nodes as in one of ten."""
    small, large = snapshot(Dialect.ATEN), exir_viz.load(archive("llama32", "core"))
    exir_viz.check(small)
    ratio = len(large.method.graph) / sum(map(len, small.graphs))
    work = [call_count(lambda one=one: exir_viz.check(one, "aten.core")) for one in (small, large)]
    assert work[1] < 2 * ratio * work[0]


def test_the_table_of_rules_is_true() -> None:
    assert written("rules") == rule_table()


@pytest.mark.parametrize("name", ["memory_layouts", *nightly(["db:cond_operands"])])
def test_the_table_of_conformance_is_true(name: str) -> None:
    row = conformance(name)
    lines = markdown({name: row}, [("", name)]).splitlines()
    line = next(one for one in lines if one.startswith(f"| `{name.removeprefix('db:')}`"))
    assert line in written("conformance").splitlines()
