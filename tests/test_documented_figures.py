"""The figures in README and docs: they are those of the results file, and sizes and counts are still true.

Times are not measured again. Sizes and counts may differ by a twentieth: measure again with
`python -m tests.bench package` (or `load`, `linear`), then run `python -m tests.bench docs`.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz.compare.values.precision import least_rtol
from exir_viz.pages import analysis
from exir_viz.readers import checksums, source_lines
from exir_viz.readers.archive import limits
from exir_viz.reports.rules import hints
from exir_viz.server import contents
from exir_viz.server.reader import ProgramReader
from exir_viz.snapshot import wire
from tests.bench import documents, package, results
from tests.bench.documents import number, still_holds
from tests.bench.timing import table
from tests.compare import mutate
from tests.corpus.programs import ROOT, core, exported

LOADED = results.read().tables[package.PAGE]
LOAD = "load a .pt2 without torch, each in a fresh process"
# Extras of so many files that looking at them takes seconds.
LARGE = ("torch", "executorch", "lab", "all")
MB = 1 << 20
READER = ProgramReader.class_traits()


def short(value: float) -> str:
    """A number as the pages write it: "0.00195", "2.4e-7"."""
    return f"{value:.3g}" if value >= 1e-3 else re.sub(r"e-0", "e-", f"{value:.1e}").replace(".0e", "e")


def default(option: str) -> str:
    """The default of a tolerance of `Diff.values`."""
    value = inspect.signature(exir_viz.types.Diff.values).parameters[option].default
    return re.sub(r"e-0", "e-", f"{value:.0e}")


def rounding(*dtypes: str) -> str:
    """The least tolerances for values that were computed in dtypes."""
    return ", ".join(short(least_rtol(one)) for one in dtypes)


PRECISION = (
    f"| float64, float32 | {rounding('float64', 'float32')}: your `rtol` decides |",
    f"| float16 | {rounding('float16')} |",
    f"| bfloat16 | {rounding('bfloat16')} |",
    f"| float8_e4m3, float8_e5m2 | {rounding('float8_e4m3fn', 'float8_e5m2')} |",
)
# What the pages say of limits and defaults: page, text with the value in the code.
STATED = (
    ("check.md", f"Programs of more than {wire.MOST_CHECKED:,} nodes"),
    *(
        ("check.md", f"{start} {hints._WORTH >> 10} KB or more")
        for start in ("A tensor of", "a buffer of", "weights of")
    ),
    ("diff.md", f"at most {checksums.MAX_BYTES // MB} MB in a capture"),
    ("files.md", f"up to {checksums.MAX_BYTES // MB} MB, for checksums"),
    ("files.md", f"An archive may have {limits.MAX_MEMBERS:,} members and {limits.MAX_RECORDS:,} records"),
    ("files.md", f"exir_viz unpacks at most {limits.MAX_READ_BYTES // MB} MiB"),
    ("files.md", f"an ordinary `.py` file of at most {source_lines.MAX_FILE_BYTES // MB} MiB"),
    ("jupyterlab.md", f"| time | {READER['timeout'].default_value:g} s: `c.ProgramReader.timeout` |"),
    ("jupyterlab.md", f"{READER['memory'].default_value >> 30} GiB, where the system can limit it"),
    ("jupyterlab.md", f"| size of the answer | {READER['answer'].default_value // MB} MiB:"),
    ("jupyterlab.md", f"| files at the same time | {READER['processes'].default_value}:"),
    ("jupyterlab.md", f"reads a copy of up to {contents.MAX_COPIED_BYTES // MB} MiB"),
    ("matching.md", f"| insert, delete, reorder | {100 * mutate.SHARE:.0f}% of the calls"),
    ("matching.md", f"| rescope, inline | {100 * mutate.SHARE:.0f}% of the calls"),
    ("matching.md", f"| retype, cast | {100 * mutate.SHARE:.0f}% of the calls"),
    ("diff.md", f"with its parent (key `C`), up to {analysis.MOST_NODES:,} nodes"),
    (
        "snapshot.md",
        f"the weights are over {checksums.MAX_BYTES // MB} MB, only {checksums.MAX_BYTES // MB} MB of them",
    ),
    ("diff.md", f"The defaults are `atol={default('atol')}` and `rtol={default('rtol')}`."),
    *(("diff.md", row) for row in PRECISION),
)
# Facts about others, what an example shows, and what tests elsewhere count.
OF_OTHERS = (
    ("check.md", "81 programs, "),  # see test_conformance_is_counted_from_its_table
    ("check.md", "139 `.pte` files"),  # and this
    ("source.md", '"6 · 40 KB": the line made 6 ops, which read and write 40 KB.'),
    ("diff.md", "73×"),
    ("diff.md", "| ▲ 12 µs, ▼ 3 µs | slower, faster;"),
    ("diff.md", '"12 of 200 weights have other values"'),
    ("jupyterlab.md", "a KB has 1,024 bytes in either"),
    ("jupyterlab.md", "a file of 5 GB opens as fast as one of 5 MB"),
    ("search.md", "200 characters of a text"),  # tests/ui and labextension/src/search hold it
    ("shapes.md", 'Press "31 nodes" to highlight where a symbol occurs'),
    ("site.md", "a file of 5 GB opens as fast as one of 5 MB"),
    ("site.md", "the 4 GB of WebAssembly"),
    ("site.md", "less than 9 MB compressed (a test counts it)"),
    ("stages.md", '"67% on XNNPACK"'),
)
# Pages whose numbers are of measurements have tests of their own: all of it stands in regions or tables.
PAGES = [
    page
    for page in (
        *(ROOT / "README.md", ROOT / "notebooks" / "README.md"),
        *sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("*/*.md")]),
    )
    if page.name not in ("benchmark.md", "compatibility.md", "divergences.md", "howfar.md")
]
NOT_TEXT = re.compile(
    r"```.*?```|`[^`\n]*`|<!--[^>]*-->|\]\([^)]*\)|^    [^\n]*$|<img[^>]*>", re.DOTALL | re.MULTILINE
)
NUMBER = re.compile(
    r"\d[\d.,]*\s?(?:seconds?|minutes?|s|ms|µs|kB|KB|MB|MiB|GiB|GB|%|x|×|dB|nodes|ops|rows|members|programs|"
    r"operators|rules|tests|files|pairs|calls|records|characters|elements|models|bytes)(?!\w)"
)
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


@pytest.mark.parametrize(
    "extra",
    [pytest.param(one, marks=pytest.mark.nightly) if one in LARGE else one for one in package.extras()],
)
def test_what_an_extra_installs_is_still_as_large(extra: str) -> None:
    row = results.read().tables[package.EXTRAS].row(extra)
    if row.run.torch != torch.__version__:
        pytest.skip(f"measured with torch {row.run.torch}")
    stated = row.cells[-1]
    unit = 1e9 if stated.endswith("GB") else 1e6
    _, size = package.installed(extra)
    assert abs(number(stated) * unit - size) <= max(unit / 10 if unit == 1e9 else unit, 0.05 * size)


# --- limits and other numbers in text ---------------------------------------------------------------------


@pytest.mark.parametrize(("page", "text"), STATED)
def test_limits_are_stated_as_they_are(page: str, text: str) -> None:
    assert text in " ".join((ROOT / "docs" / page).read_text("utf-8").split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_other_number_is_typed_by_hand(page: Path) -> None:
    typed = NOT_TEXT.sub("", documents.without_figures(page.read_text("utf-8")))
    text = " ".join(typed.split())
    held = [NOT_TEXT.sub("", one) for name, one in (*STATED, *OF_OTHERS) if name == page.name]
    for one in held:
        text = text.replace(" ".join(one.split()), "")
    assert NUMBER.findall(text) == [], "take it from docs/results.json, or add it to STATED"


def test_conformance_is_counted_from_its_table() -> None:
    rows = table_rows((ROOT / "docs" / "check.md").read_text("utf-8").partition("## Conformance")[2])
    cells = [cell for row in rows.values() for cell in row if cell != "·"]
    files = sum(cell != "·" for row in rows.values() for cell in row[-2:])
    wrong = sum("error" in cell for cell in cells)
    text = (ROOT / "docs" / "check.md").read_text("utf-8")
    assert (
        f"{len(rows)} programs, {len(cells) - files} dialects of them and {files} `.pte` files: "
        f"{len(cells) - wrong} have no error" in text
    )


def test_programs_reach_the_dialects_that_both_pages_say() -> None:
    columns = ("export", "functional", "core", "edge", "executorch", "XNNPACK", "XNNPACK, executorch")
    checked = table_rows((ROOT / "docs" / "check.md").read_text("utf-8").partition("## Conformance")[2])
    far = table_rows((ROOT / "docs" / "howfar.md").read_text("utf-8"))
    common = checked.keys() & far.keys()
    assert len(common) > 70
    for name in common:
        reached = [cell == "✓" for cell in far[name][: len(columns)]]
        assert reached == [cell != "·" for cell in checked[name][: len(columns)]], name


def table_rows(text: str) -> dict[str, list[str]]:
    """The cells of all tables of programs, by program."""
    lines = (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `"))
    return {name.strip("`"): cells for name, *cells in lines if len(cells) >= 7}


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


@pytest.mark.nightly
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
