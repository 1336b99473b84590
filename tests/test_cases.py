"""The cases that both languages are tested with are what Python says today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cases.__main__ import COMMAND, FILES, FOLDER, stale, text


def test_the_cases_are_up_to_date() -> None:
    assert stale() == [], f"run {COMMAND}, and read what changed"


def test_a_stale_file_is_found(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_text((FOLDER / name).read_text("utf-8"), "utf-8")
    assert stale(tmp_path) == []
    (tmp_path / "format.json").write_text(text({"timeText": [[0, "0"]]}), "utf-8")
    assert stale(tmp_path) == ["format.json"]


ROOT = Path(__file__).resolve().parents[1]
# The rules that exist in Python and in TypeScript, because they depend on interaction or on what is read:
# the TypeScript source, the Python module, and the cases that tests of both read.
TWICE = {
    "compare/model/module_attribution.ts": ("compare/normalize/module_attribution.py", "names"),
    "hosts/incoming.ts": ("widget/messages.py", "messages"),
    "picture/rollup.ts": ("snapshot/rollup.py", "names"),
    "profile/fused_timing.ts": ("measure/fused_timing.py", "profile"),
    "profile/memory.ts": ("measure/profile.py", "profile"),
    "profile/noise.ts": ("compare/noise.py", "profile"),
    "profile/rollup.ts": ("measure/rollup.py", "profile"),
    "profile/stage_comparison.ts": ("measure/compare.py", "profile"),
    "snapshot/container.ts": ("snapshot/wire.py", "container"),
    "snapshot/describe.ts": ("snapshot/describe.py", "describe"),
    "snapshot/format.ts": ("snapshot/format.py", "format"),
    "snapshot/frames.ts": ("snapshot/frames.py", "frames"),
    "snapshot/names.ts": ("snapshot/symbol_names.py", "names"),
    "snapshot/narrow.ts": ("snapshot/validate.py", "snapshots"),
    "snapshot/postfix.ts": ("snapshot/expr/postfix.py", "expressions"),
    "snapshot/opkind.ts": ("snapshot/opkind.py", "names"),
    "stages/node_trace.ts": ("stages/node_trace.py", "traces"),
    "stages/stage_mapping.ts": ("snapshot/lineage.py", "lineage"),
    "timeline/roofline.ts": ("figures/roofline.py", "profile"),
}
# Other sources that name a Python module: it writes what they read, and has no rule in common with them.
READERS = {
    "documents/provider.ts",
    "hosts/fallback.ts",
    "hosts/kernel.ts",
    "hosts/lab/program_list.ts",
    "hosts/saved_output.ts",
    "hosts/saved_page.ts",
    "hosts/story.tsx",
}
SOURCES = ROOT / "labextension" / "src"


@pytest.mark.parametrize("source", TWICE)
def test_a_rule_in_two_languages_has_cases_that_both_test(source: str) -> None:
    module, name = TWICE[source]
    assert (ROOT / "exir_viz" / module).is_file()
    assert f"exir_viz/{module}" in (SOURCES / source).read_text("utf-8")
    cases = "snapshot/frames.json" if name == "frames" else f"cases/{name}.json"
    assert (ROOT / "tests" / cases).stat().st_size > 0
    read = re.compile(rf'cases\("{name}"\)|{name}\.json|\[.*"{name}".*\]')
    texts = (path.read_text("utf-8") for path in (ROOT / "labextension" / "tests").rglob("*.test.ts*"))
    assert any(read.search(text) for text in texts)


def test_every_source_that_names_a_python_module_is_listed() -> None:
    named = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.ts*")
        if re.search(r"exir_viz/[\w/]+\.py\b", path.read_text("utf-8"))
    }
    assert named == {*TWICE, *READERS}
