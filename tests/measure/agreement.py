"""python -m tests.measure.agreement [NAME …]: where ExecuTorch's numbers are not those of eager torch.

Every program of the corpus, every concept and exportdb, and architectures of `transformers` are lowered to
XNNPACK in float and in 8 bits, and compared with the program that they were lowered from. Delegates that
diverge are bisected. Results are kept in `.cache/agreement.jsonl`, so that a run that was stopped goes on;
`--fresh` begins anew, and `--write` puts the table into docs/dev/divergences.md.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch._dynamo import reset
from torch.export import export

import exir_viz
from exir_viz.compare.values.records import Ran
from exir_viz.snapshot.format import decibel_text, plural
from exir_viz.stages.session import Session
from tests.corpus.concepts import CONCEPTS
from tests.corpus.programs import LARGE, ROOT, SHALLOW, SMALL, exportdb, exported, fresh
from tests.stages.failing import outcome

from .architectures import MODELS, architecture

KEPT = ROOT / ".cache" / "agreement.jsonl"
PAGE = ROOT / "docs" / "dev" / "divergences.md"
FORMS = ("float", "int8")
_MOST_NAMES = 5
_NOT_WHOLE = "The whole program did not run"
_HEAD = "| program | float | int8 |\n| --- | --- | --- |"
Row = dict[str, Any]


def compared(name: str, form: str) -> Row:
    """What came of one program in one form: the counts, and where it diverges."""
    reset()
    began = time.process_time()
    row: Row = {"name": name, "form": form}
    try:
        session = Session(_program(name))
        before = session.root if form == "float" else outcome(session.root.quantize)
        if before.failure is not None:
            return {**row, "failed": f"quantize: {_short(before.failure.type)}"}
        after = outcome(before.backend, "xnnpack")
        if after.failure is not None:
            return {**row, "failed": f"XNNPACK: {_short(after.failure.type)}"}
        values = exir_viz.diff(before, after).values(executor="executorch")
        row |= _counts(values)
        row["regions"] = [*_regions(values)]
    except Exception as error:  # noqa: BLE001  # torch and ExecuTorch raise what they like
        return {**row, "failed": f"{type(error).__name__}: {_short(str(error))}"}
    return {**row, "seconds": round(time.process_time() - began, 1)}


def _program(name: str) -> Any:
    if name not in MODELS:
        return fresh(name)
    case = architecture(name)
    with torch.no_grad():
        return export(case.model, case.args, case.kwargs, strict=case.strict)


def _counts(values: Any) -> Row:
    every = values.devices
    outputs = [one.numbers for one in values.outputs if one.numbers is not None]
    snr = [one.snr for one in outputs if one.snr is not None]
    return {
        "delegates": sum(bool(one.backend) for one in every),
        "runtime": sum(one.ran is Ran.RUNTIME for one in every),
        "emulated": sum(one.ran is not Ran.RUNTIME for one in every),
        "why": sorted({one.reason for one in every if one.reason}),
        "outputs": len(outputs),
        "outputs_diverge": sum(one.diverged for one in outputs),
        "snr": min(snr) if snr else None,
        "relative": max((one.relative or 0.0 for one in outputs), default=None),
        "isolated": [f"{one.node.id} {one.backend or one.node.target.name}" for one in every if one.diverged],
        "fails": [one.node.id for one in every if one.backend and one.ran is Ran.NOT_RUN],
        "notes": list(values.record.notes),
    }


def _regions(values: Any) -> Iterator[str]:
    for one in values.devices:
        if one.backend and (one.diverged or one.ran is Ran.NOT_RUN):
            found = values.bisect(one.node)
            yield f"{one.node.name}: {found.outcome}: {', '.join(node.target.name for node in found.nodes)}"


def _short(text: str) -> str:
    """The first sentence."""
    return (text.strip().splitlines() or [""])[0].partition(". ")[0][:160]


def names() -> Iterator[str]:
    """All programs, small ones first."""
    yield from (*SHALLOW, *MODELS, *LARGE)
    yield from (*SMALL, *CONCEPTS)
    yield from (f"db:{name}" for name in exportdb())


def rows() -> list[Row]:
    """The kept results, in the order of `names`."""
    lines = KEPT.read_text("utf-8").splitlines() if KEPT.exists() else []
    found = {(row["name"], row["form"]): row for row in map(json.loads, lines)}
    return [found[key] for key in ((name, form) for name in names() for form in FORMS) if key in found]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measure.agreement", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--fresh", action="store_true", help="begin anew")
    parser.add_argument("--write", action="store_true", help="only put the kept results into the docs")
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore")
    if chosen.fresh:
        KEPT.unlink(missing_ok=True)
    if chosen.write:
        _write()
    else:
        _run(chosen.names or names())


def _write() -> None:
    """Put the kept results into the docs; rows of programs that were not run again stay."""
    text = PAGE.read_text("utf-8")
    begin = text.index(_HEAD) + len(_HEAD) + 1
    end = (text + "\n\n").index("\n\n", begin)
    PAGE.write_text(text[:begin] + "\n".join(table(text[begin:end], rows())) + text[end:], "utf-8")


def table(before: str, found: Iterable[Row]) -> list[str]:
    """The lines of the table in the docs: those before, with the cells of new results."""
    cells: dict[str, dict[str, str]] = {}
    for line in before.strip().splitlines():
        name, *forms = (cell.strip() for cell in line.strip("|").split(" | "))
        cells[name.strip("` ")] = dict(zip(FORMS, forms, strict=True))
    for row in found:
        cells.setdefault(row["name"], {})[row["form"]] = _cell(row)
    known = [name for name in names() if name in cells]
    return [
        f"| `{name}` | {' | '.join(cells[name].get(form, 'not run') for form in FORMS)} |" for name in known
    ]


def _cell(row: Row) -> str:
    """ "agrees, 122 dB; 3 delegates, 60 in the runtime"."""
    if "failed" in row:
        return f"– ({row['failed']})"
    where, fails = map(_names, (row["isolated"], row.get("fails", ())))
    snr = "equal" if row["snr"] is None else decibel_text(row["snr"])
    outputs = (
        f"{row['outputs_diverge']} of {row['outputs']} outputs diverge" if row["outputs_diverge"] else ""
    )
    wrong = (f"diverges at {where}" if where else "", f"fails at {fails}" if fails else "", outputs)
    is_whole = not any(note.startswith(_NOT_WHOLE) for note in row["notes"])
    verdict = "; ".join(filter(None, wrong)) or (f"agrees, {snr}" if is_whole else "no divergence found")
    emulated = f", {row['emulated']} emulated" if row["emulated"] else ""
    whole = "" if is_whole else "; not run as a whole"
    return (
        f"{verdict}; {plural(row['delegates'], 'delegate')}, {row['runtime']} in the runtime{emulated}{whole}"
    )


def _names(found: Sequence[str]) -> str:
    """ "`mul`, `cat` and 12 more"."""
    names = ", ".join(f"`{one.split(' ')[0].rpartition('/')[2]}`" for one in found[:_MOST_NAMES])
    return f"{names} and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else names


def _run(wanted: Iterable[str]) -> None:
    known = {(row["name"], row["form"]) for row in rows()}
    KEPT.parent.mkdir(exist_ok=True)
    for name in wanted:
        for form in FORMS:
            if (name, form) in known:
                continue
            row = compared(name, form)
            with KEPT.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(json.dumps(row), flush=True)
        exported.cache_clear()


if __name__ == "__main__":
    main()
