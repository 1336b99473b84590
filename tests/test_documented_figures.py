"""The figures in README and docs: they are those of the results file, and sizes and counts are still true.

Times are not measured again. Sizes and counts may differ by a twentieth: measure again with
`python -m tests.bench package` (or `load`, `linear`), then run `python -m tests.bench docs`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bench import documents, package, results
from tests.bench.documents import number, still_holds
from tests.bench.timing import table
from tests.corpus.programs import ROOT, core, exported

LOADED = results.read().tables[package.PAGE]
LOAD = "load a .pt2 without torch, each in a fresh process"
# A number with a unit: what only the results file may say.
TYPED = re.compile(r"\d[\d.,]*\s?(?:s|ms|µs|kB|MB|GB|%|x|nodes)(?!\w)")


@pytest.mark.parametrize("file", documents.FILES, ids=lambda file: file.name)
def test_documents_have_the_figures_of_the_results_file(file: Path) -> None:
    text = file.read_text("utf-8")
    assert documents.REGION.search(text)
    assert documents.fill(text, results.read()) == text, "run `python -m tests.bench docs`"


def test_no_figure_of_the_benchmark_is_typed_by_hand() -> None:
    benchmark = (ROOT / "docs" / "benchmark.md").read_text("utf-8")
    how_fast = (ROOT / "README.md").read_text("utf-8").partition("## How fast")[2].partition("\n## ")[0]
    for text in (benchmark, how_fast):
        assert TYPED.search(text)
        assert not TYPED.findall(documents.without_figures(text))


@pytest.mark.parametrize("who", package.LOADED)
def test_what_a_page_loads_is_still_as_large(who: str) -> None:
    for stated, size in zip(LOADED.row(who).cells[1:], package.sizes(package.LOADED[who]), strict=False):
        assert not size or still_holds(stated, size / 1e3), f"{stated} is now {package.kb(size)}"


def test_a_size_that_is_off_is_found() -> None:
    assert still_holds("1.14 MB", 1.16)
    assert not still_holds("0.44 MB", 1.14)
    assert not still_holds("175 kB", 208)


def test_node_counts_are_still_the_same() -> None:
    tables = results.read().tables
    counts = {name: number(tables[LOAD].cell(name, "nodes")) for name in ("deep1k", "deep10k", "deep100k")}
    small = len(exported("deep1k").graph.nodes)
    inner = small - 2  # besides the input and the output all stages are equal: 4, 36 and 360 of them
    assert counts == {"deep1k": small, "deep10k": inner * 9 + 2, "deep100k": inner * 90 + 2}
    by_size = tables["capture by size"]
    assert {name: number(by_size.cell(name, "nodes")) for name in counts} == counts


@pytest.mark.slow
def test_node_counts_of_llama_are_still_the_same() -> None:
    tables = results.read().tables
    count = len(core("llama32").graph.nodes)
    assert number(tables[LOAD].cell("llama32.core", "nodes")) == count
    assert number(tables["capture, llama32.core"].cell("nodes", "exir_viz")) == count
    calls = sum(node.op == "call_function" for node in exported("llama32").graph.nodes)
    assert number(tables["profile on the CPU, one thread"].cell("llama32", "ops")) == calls


def test_a_measured_row_replaces_its_row_and_keeps_the_others(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    with results.recording(file):
        table("load", ["file", "time"], [["small", "1 s"], ["large", "2 s"]])
    before = results.read(file)
    older = results.Run("0123abcd")
    before.record(older, "load", 1, ["file", "time"], ["large", "3 s"])
    results.write(before, file)
    with results.recording(file):
        table("load", ["file", "nodes", "time"], [["small", "7", "4 s"]])
    found = results.read(file).tables["load"]
    assert [row.cells for row in found.rows] == [("small", "7", "4 s"), ("large", "", "3 s")]
    assert [row.run == older for row in found.rows] == [False, True]
    assert found.row("small").run.commit == results.this_run().commit


def test_a_region_takes_its_figures_from_the_results() -> None:
    found = results.Results()
    run = results.Run("0123abcd", 2, "3.11.7", "2.13.0", None, 0.5)
    found.record(run, "load", 2, ["file", "by", "nodes", "time"], ["small", "us", "7", "1 s"])
    found.record(run, "load", 2, ["file", "by", "nodes", "time"], ["small", "*to be*", "", "≤ 2 s"])
    figure, bench = "<!-- figure: load; small, us; nodes -->", "<!-- bench: load; small; by, time -->"
    text = f"{figure}old<!-- end --> nodes\n{bench}\n<!-- end -->\n<!-- runs -->\n<!-- end -->"
    filled = documents.fill(text, found)
    assert filled.splitlines() == [
        f"{figure}7<!-- end --> nodes",
        *(bench, "| by | time |", "| --- | --- |", "| us | 1 s |", "<!-- end -->"),
        *("<!-- runs -->", "| commit | cores | Python | torch | ExecuTorch | load |"),
        *("| --- | --- | --- | --- | --- | --- |", "| 0123abcd | 2 | 3.11.7 | 2.13.0 | not recorded | 0.5 |"),
        "<!-- end -->",
    ]
    assert documents.without_figures(filled).strip() == "nodes"
