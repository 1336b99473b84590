"""python -m tests.reports.rules.conformance [NAME …]: what `check` finds in each program at each dialect.

Of exportdb, the concepts and the corpus, and of their `.pte` files, as Markdown. `--write` puts the tables
into docs/dev/conformance.md and docs/check.md. What was found is kept in `.cache/conformance.jsonl`, so that
a run that was stopped goes on; `--fresh` begins anew. Exit code 1 where the rules and the verifiers disagree
and no rule says why, or where a file breaks a rule that its program keeps: that must never be.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import torch

import exir_viz
from exir_viz.reports import Outcome
from exir_viz.reports.rules.all_rules import BY_NAME, RULES
from exir_viz.reports.rules.rule import ALL, EXPORTED, Rule
from exir_viz.reports.rules.run import check_snapshot
from exir_viz.reports.rules.verifiers import disagreements
from exir_viz.snapshot.program import Dialect
from exir_viz.stages.session import Session
from exir_viz.stages.stage import Stage
from tests.corpus.programs import ROOT, exported, fresh
from tests.stages.failing import outcome
from tests.stages.howfar import names

from .found import checked

KEPT = ROOT / ".cache" / "conformance.jsonl"
# The page of each table.
PAGES = {"rules": ROOT / "docs" / "check.md", "conformance": ROOT / "docs" / "dev" / "conformance.md"}
# Where a table stands on the page: after the mark of its name, before the end.
BEGIN, END = "<!-- {}: written by python -m tests.reports.rules.conformance --write -->\n", "<!-- end -->\n"

# Each dialect and the step to it, from the stage that the second word names.
STEPS: dict[str, tuple[str, Callable[[Stage], Stage]]] = {
    "functional": ("export", lambda stage: stage.decompose("functional")),
    "core": ("export", lambda stage: stage.decompose("core")),
    "edge": ("export", lambda stage: stage.edge()),
    "executorch": ("edge", lambda stage: stage.executorch()),
    "XNNPACK": ("export", lambda stage: stage.backend("xnnpack")),
    "XNNPACK, executorch": ("XNNPACK", lambda stage: stage.executorch()),
}
# The files that stages are written to, by the stage.
FILES = {"executorch": ".pte", "XNNPACK, executorch": "XNNPACK, .pte"}
COLUMNS = ("export", *STEPS, *FILES.values())
NOT_MADE = "·"


class Cell(msgspec.Struct, frozen=True):
    """What was found at one dialect of a program, or in its file: rules of errors and warnings, hints,
    disagreements.
    """

    dialect: str
    accepted: bool
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    hints: int = 0
    disagreements: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """ "✓", or what there is: "1 error", "2 warnings"; then "3 hints"."""
        counts = ((len(self.errors), "error"), (len(self.warnings), "warning"))
        parts = [f"{count} {word}" + ("s" if count > 1 else "") for count, word in counts if count]
        return ", ".join(parts) or "✓"


Row = dict[str, Cell | None]


def conformance(name: str, columns: Iterable[str] = COLUMNS) -> Row:
    """Check one program at each dialect that it reaches, and the `.pte` files made from it."""
    row: Row = dict.fromkeys(columns)
    try:
        stages = {"export": Session(fresh(name), name="export").root}
    except Exception:  # noqa: BLE001  # torch raises what it likes where it cannot export
        return row
    for column in (one for one in columns if one not in FILES.values()):
        if column != "export":
            start, run = STEPS[column]
            if start not in stages:
                continue
            stage = outcome(run, stages[start])
            if stage.failure is not None:
                continue
            stages[column] = stage
        row[column] = cell(stages[column])
    for column, file in FILES.items():
        program = row.get(column)
        if program is not None and file in row:
            row[file] = cell_of_file(stages[column], program)
    exported.cache_clear()
    return row


def cell_of_file(stage: Stage, program: Cell) -> Cell:
    """What `check` finds in the `.pte` file of a stage; a disagreement for each rule that the stage keeps."""
    with tempfile.TemporaryDirectory() as folder:
        found = cell(stage.save_pte(Path(folder) / "program.pte"))
    broken = dict.fromkeys((*found.errors, *found.warnings))
    odd = (f"The file breaks {rule}." for rule in broken if rule not in (*program.errors, *program.warnings))
    return msgspec.structs.replace(found, disagreements=tuple(odd))


def cell(x: object) -> Cell:
    """What `check` finds in a live program or a file."""
    if isinstance(x, Path):
        x = exir_viz.load(x)
    found = check_snapshot(x) if isinstance(x, exir_viz.types.Snapshot) else checked(x)
    by: dict[Outcome, tuple[str, ...]] = {
        outcome: tuple(one.rule for one in found.findings if one.severity is outcome) for outcome in Outcome
    }
    return Cell(
        next(iter(found.dialects.values())).value,
        all(verdict.is_accepted for verdict in found.verdicts),
        by[Outcome.ERROR],
        by[Outcome.WARNING],
        len(by[Outcome.NOTE]),
        tuple(disagreements(found)),
    )


def is_explained(text: str) -> bool:
    """Does the rule that is stricter than a verifier say why?"""
    rule = BY_NAME.get(text.partition(" ")[0])
    return rule is not None and bool(rule.stricter)


def markdown(rows: dict[str, Row], groups: Iterable[tuple[str, str]]) -> str:
    """A table for each group of programs, then each rule that was broken, with where."""
    lines: list[str] = []
    title = ""
    broken: Counter[str] = Counter()
    for group, name in groups:
        if name not in rows:
            continue
        if group != title:
            title = group
            lines += [
                "",
                f"### {title}",
                "",
                _line(["program", *COLUMNS]),
                _line(["---"] * (1 + len(COLUMNS))),
            ]
        cells = [rows[name].get(column) for column in COLUMNS]
        for one in cells:
            broken.update(dict.fromkeys((*(one.errors), *(one.warnings)), 1) if one else ())
        texts = [NOT_MADE if one is None else one.text for one in cells]
        lines.append(_line([f"`{name.removeprefix('db:')}`", *texts]))
    lines += ["", "### Rules that these programs break", ""]
    lines += [_line(["rule", "programs and dialects", "why the verifiers accept them"]), _line(["---"] * 3)]
    for rule, count in sorted(broken.items()):
        why = BY_NAME[rule].stricter if rule in BY_NAME else "A verifier rejects the program."
        lines.append(_line([f"`{rule}`", str(count), why or "They reject them too."]))
    return "\n".join(lines).strip() + "\n"


def totals(rows: dict[str, Row]) -> str:
    """How many programs at how many dialects and in how many files, and how rules and verifiers agree."""
    cells = [one for row in rows.values() for one in row.values() if one is not None]
    files = sum(row.get(file) is not None for row in rows.values() for file in FILES.values())
    clean = sum(not one.errors for one in cells)
    both = sum(bool(one.errors) and not one.accepted for one in cells)
    stricter = sum(bool(one.errors) and one.accepted for one in cells)
    return (
        f"{len(rows)} programs, {len(cells) - files} dialects of them and {files} `.pte` files: {clean} have "
        f"no error, {both} are rejected by the verifiers too, {stricter} break a rule that the verifiers do "
        "not check.\n"
    )


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _kept() -> dict[str, Row]:
    if not KEPT.exists():
        return {}
    entries = (json.loads(line) for line in KEPT.read_text().splitlines())
    return {one["name"]: msgspec.convert(one["row"], Row) for one in entries}


def rule_table() -> str:
    """Every rule: its name, severity, dialects, what it demands, and where that is stated."""
    lines = [_line(["rule", "severity", "dialects", "demands", "stated in"]), _line(["---"] * 5)]
    for rule in RULES:
        section = f"[{rule.section}]({rule.section.url})"
        lines.append(_line([f"`{rule.name}`", rule.severity.value, _dialects(rule), rule.title, section]))
    return "\n".join(lines) + "\n"


def _dialects(rule: Rule) -> str:
    named = {ALL: "all", EXPORTED: "all but fx"}
    return named.get(rule.dialects) or ", ".join(one.value for one in Dialect if one in rule.dialects)


def written(name: str) -> str:
    """The table of a name as its page has it."""
    _, begin, rest = PAGES[name].read_text("utf-8").partition(BEGIN.format(name))
    found, end, _ = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"The page has no place for the table {name!r}.")
    return found


def write(tables: dict[str, str]) -> None:
    """Put tables into their pages, each between its marks."""
    for name, text in tables.items():
        begin = BEGIN.format(name)
        page = PAGES[name].read_text("utf-8").replace(f"{begin}{written(name)}{END}", f"{begin}{text}{END}")
        PAGES[name].write_text(page, "utf-8")


def main(asked: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reports.rules.conformance", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all, if none")
    parser.add_argument("--fresh", action="store_true", help="forget what was found before")
    parser.add_argument("--write", action="store_true", help="write the tables into their pages")
    arguments = parser.parse_args(asked)
    warnings.filterwarnings("ignore")
    if arguments.fresh:
        KEPT.unlink(missing_ok=True)
    KEPT.parent.mkdir(exist_ok=True)
    groups = [one for one in names() if not arguments.names or one[1] in arguments.names]
    rows = _kept()
    for _, name in groups:
        if name in rows:
            continue
        print(f"{name} …", file=sys.stderr, flush=True)
        with torch.no_grad():
            rows[name] = conformance(name)
        with KEPT.open("a") as file:
            entry = {"name": name, "row": msgspec.to_builtins(rows[name])}
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    shown = {name: rows[name] for _, name in groups}
    text = f"\n{totals(shown)}\n{markdown(shown, groups)}\n"
    if arguments.write:
        write({"rules": rule_table(), "conformance": text})
    else:
        print(text, end="")
    odd = [
        (name, one)
        for name, row in shown.items()
        for found in row.values()
        for one in (found.disagreements if found else ())
        if not is_explained(one)
    ]
    for name, one in odd:
        print(f"not explained: {name}: {one}", file=sys.stderr)
    return int(bool(odd))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
