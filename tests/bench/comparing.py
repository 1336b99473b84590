"""The diff: how right its matcher is with all lineage hidden, by stage and by mutation; how fast it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from exir_viz.compare.align.pairing import CONFIDENCE, MatchEvidence
from tests.compare.dynamo import MODELS, dynamo_truth
from tests.compare.mutate import MUTATIONS, bare, mutate
from tests.compare.score import Score, score
from tests.compare.truth import Truth, truth

from .timing import in_process, mb, table

PROGRAMS = ("bert", "llama32", "resnet50", "vit")
STEPS = (("aten", "core"), ("core", "edge"))
SEEDS = range(3)


def run() -> None:
    scores: list[Score] = []
    head = ["program", "change", "true pairs", "precision", "recall"]
    rows = (_step(name, a, b, scores) for name in PROGRAMS for a, b in STEPS)
    table("diff: pairs found with lineage hidden, between stages", head, rows, keys=2)
    rows = (_mutation(mutation, scores) for mutation in MUTATIONS)
    table("diff: pairs found in mutants, precision / recall in %", ["mutation", *PROGRAMS], rows)
    changes = ("aten to core", "core to edge", "mixed")
    rows = (_bare(name, change, scores) for name in PROGRAMS for change in changes)
    table("diff: the same without modules, torch functions and source lines", head, rows, keys=2)
    table("diff: how far each evidence can be trusted, over all of these", *_evidence(scores))
    run_dynamo()
    run_speed()


def run_dynamo() -> None:
    """Plain GraphModules of small models, without a signature."""
    head = ["programs", "true pairs", "precision", "recall"]
    precision, recall, true = _shares([score(dynamo_truth(name)) for name in MODELS])
    row = [f"{len(MODELS)}", f"{true:,}", f"{precision:.2f} %", f"{recall:.2f} %"]
    table("diff: a graph of Dynamo and its graph of AOT", head, [row])


def _step(name: str, a: str, b: str, scores: list[Score]) -> list[str]:
    found = score(truth(name, a, b))
    scores.append(found)
    return _row(name, f"{a} to {b}", [found])


def _mutation(mutation: str, scores: list[Score]) -> list[str]:
    """5 % of the calls of each program, ATen and Core, three seeds."""
    cells = []
    for name in PROGRAMS:
        stages = truth(name, "aten", "core")
        found = [score(mutate(base, mutation, seed=seed)) for base in (stages.a, stages.b) for seed in SEEDS]
        scores += found
        precision, recall, _ = _shares(found)
        cells.append(f"{precision:.2f} / {recall:.2f}")
    return [mutation, *cells]


def _bare(name: str, change: str, scores: list[Score]) -> list[str]:
    if change == "mixed":
        found = score(mutate(bare(truth(name, "aten", "core").b), "mixed"))
    else:
        a, _, b = change.split(" ")
        stages = truth(name, a, b)
        found = score(Truth(bare(stages.a), bare(stages.b), stages.pairs))
    scores.append(found)
    return _row(name, change, [found])


def _row(name: str, change: str, scores: list[Score]) -> list[str]:
    precision, recall, true = _shares(scores)
    return [name, change, f"{true:,}", f"{precision:.2f} %", f"{recall:.2f} %"]


def _shares(scores: list[Score]) -> tuple[float, float, int]:
    """Precision and recall in per cent, and how many pairs are true."""
    found, right, true = (sum(getattr(one, field) for one in scores) for field in ("found", "right", "true"))
    return 100 * right / found, 100 * right / true, true


def _evidence(scores: list[Score]) -> tuple[list[str], list[list[str]]]:
    right: Counter[MatchEvidence] = Counter()
    whole: Counter[MatchEvidence] = Counter()
    for one in scores:
        for kind, (good, found) in one.by_evidence.items():
            right[kind] += good
            whole[kind] += found
    rows = [
        [kind.value, f"{whole[kind]:,}", f"{100 * right[kind] / whole[kind]:.2f} %", f"{CONFIDENCE[kind]}"]
        for kind in MatchEvidence
        if whole[kind]
    ]
    return ["evidence", "pairs", "right", "confidence shown"], rows


FRESH = """
import time, warnings; warnings.filterwarnings("ignore")
import exir_viz
from tests.bench.paths import archive_path
"""
LLAMA = f"{FRESH}a, b = (exir_viz.load(archive_path(name)) for name in ('llama32', 'llama32.core'))\n"
DEEP = f"""{FRESH}
from exir_viz.snapshot.index import index_of
from tests.compare.dynamo import MODELS, dynamo_truth
from tests.compare.mutate import mutate
a = exir_viz.load(archive_path({{name!r}}))
b = mutate(a, "mixed", {{changes}} / index_of(a.method.graph).computes).b
"""


def run_speed() -> None:
    """Seconds of one thread's work and peak memory of one comparison, each in a fresh process."""
    head = ["programs", "nodes", "matches that differ", "diff, cpu", "a node", "peak memory"]
    table("diff: seconds and memory, the median of three fresh processes", head, _speeds())


def _speeds() -> Iterator[list[str]]:
    cases = [("llama32, ATen and Core", LLAMA)]
    for name, changes in (("deep1k", 10), ("deep10k", 100), ("deep100k", 1000)):
        cases.append((f"{name} and {changes:,} random changes", DEEP.format(name=name, changes=changes)))
    for title, setup in cases:
        runs = [in_process(setup, _CALL, _REPORT) for _ in range(3)]
        one = sorted(runs, key=lambda run: run.answer[0])[1]
        cpu, before, after, differ = one.answer
        yield [
            title,
            f"{before:,} × {after:,}",
            f"{differ:,}",
            f"{cpu:.2f} s",
            f"{cpu / (before + after) * 1e6:.0f} µs",
            mb(one.peak_bytes),
        ]


# Seconds of the processor, not of the wall: a loaded machine must not change the table.
_CALL = "(time.process_time(), exir_viz.diff(a, b), time.process_time())"
_REPORT = "[answer[2] - answer[0], len(a.method.graph), len(b.method.graph), len(answer[1].changes)]"
