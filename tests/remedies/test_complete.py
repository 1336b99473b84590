"""Every suggestion of the package is run by a test: remedies that do not work are worse than none."""

from __future__ import annotations

from pathlib import Path

from tests.corpus.programs import ROOT
from tests.remedies.suggestions import is_run, suggested_texts, suggestions

# Tables whose own tests run each entry, and refuse an entry without a test.
TABLES = {
    "exir_viz/reports/rules": "tests/reports/rules/test_rules.py",
    "exir_viz/export_doctor": "tests/export_doctor/test_doctor.py",
    "exir_viz/stages/steps/remedies.py": "tests/stages/test_remedies.py",
}
# Where a suggestion is run by other means than `suggests`: the test has its text.
ELSEWHERE = {
    "raise sys.last_value.__cause__": "tests/test_errors.py",
    "Call .contiguous() on the tensor before it.": "tests/measure/test_device_values.py",
    "Move it:": "tests/measure/test_failures.py",
    "Pass what it holds as inputs:": "tests/export_doctor/test_doctor.py",
    "Lower to edge first, then it answers:": "tests/reports/test_delegation.py",
    "Lower with ExecutorchBackendConfig(run_reinplace_pass=True), which writes it in place.": (
        "tests/reports/test_state.py"
    ),
    "Pass the path of a .pt2 or .pte file.": "tests/reports/test_size.py",
    "Name the file, too:": "tests/test_cli_analysis.py",
    "Lower the model in a Session to see why.": "tests/reports/test_delegation.py",
}
# Sentences that only begin like a suggestion, and one that nothing can go wrong with.
NO_SUGGESTIONS: frozenset[str] = frozenset(
    {
        "First to diverge",
        "First to diverge:",
        "Fix first",
        "Run it beside region.pt2:",
        "Run it beside region.pt2 and region.pte:",
        "import {…}",
        "import {…}  # registers the backend",
        "import sys",
        "import torch",
        "If you stop a step, restart the kernel:",
        "add sub mul floordiv truediv mod neg eq gt lt ge le",
        "check() applies its own rules only.",
        "compare values",
        "copy, gather, create",
        "create static slice node .*invalid_parameter",
        "first in {…} ({…}), {…}",
        "first to third quartile",
        "load up to {…} per core",
        "load() of a live program",
        "write reproducer",
        "put rand rand_like randint randint_like randn randn_like random randperm range reflection_pad1d",
    }
)


def in_a_table(place: str) -> bool:
    return any(place.startswith(folder) for folder in TABLES)


def test_every_suggestion_is_run_by_a_test() -> None:
    known = suggested_texts()
    missing = {
        sentence: place
        for sentence, place in suggestions().items()
        if not in_a_table(place) and not is_run(sentence, known)
    }
    assert missing.keys() - NO_SUGGESTIONS - ELSEWHERE.keys() == set(), "add a test that calls suggests(…)"
    assert NO_SUGGESTIONS | ELSEWHERE.keys() <= missing.keys()


def test_the_tables_have_their_tests() -> None:
    assert all((ROOT / place).exists() and (ROOT / test).exists() for place, test in TABLES.items())
    assert all(text in (ROOT / test).read_text("utf-8") for text, test in ELSEWHERE.items())


def test_a_suggestion_is_found_wherever_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "errors.py").write_text(
        '"""Pass nothing here."""\n'
        "def fails(name):\n"
        '    """Use this."""\n'
        '    raise ValueError(f"{name} is wrong: pass another one. Use {name!r} instead.")\n'
        'HINT = "For a file, use load(path)."\n'
        'OPTION = Option("x", "Write x", about="Use x.")\n'
    )
    assert set(suggestions(tmp_path)) == {
        "pass another one.",
        "Use {…} instead.",
        "For a file, use load(path).",
    }
