"""Each rule finds the programs that break it, names the node, and finds nothing in those that keep it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import torch
from torch.export import Dim, ExportedProgram, export

import exir_viz
from exir_viz.readers.live import capture_programs
from exir_viz.reports import Outcome
from exir_viz.reports.rules.all_rules import BY_NAME, RULES
from exir_viz.reports.rules.verifiers import disagreements
from exir_viz.snapshot.program import Dialect
from exir_viz.types import Snapshot

from .editor import Editor
from .found import checked, found
from .programs import TwoBranches, snapshot, stage, two_branches
from .seeds import SEEDS, Seed


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.rule}-{seed.dialect.value}-{seed.node}")
def test_a_broken_rule_is_found_and_located(seed: Seed) -> None:
    broken = seed.broken()
    rows = found(exir_viz.check(broken), seed.rule)
    path = broken.graphs[0 if seed.node == "cond" else seed.graph].path
    expected = f"{path}/{seed.node}" if seed.node else ""
    assert expected in [one.node for one in rows]
    (one,) = {(one.severity, one.section) for one in rows}
    assert one == (BY_NAME[seed.rule].severity, str(BY_NAME[seed.rule].section))
    assert all(one.message and one.remedy for one in rows)


@pytest.mark.parametrize("dialect", [one for one in Dialect if one is not Dialect.FX])
def test_programs_that_keep_all_rules(dialect: Dialect) -> None:
    report = exir_viz.check(snapshot(dialect))
    assert found(report) == []
    assert f"({dialect.value}, " in report.headline


@pytest.mark.parametrize("dialect", [one for one in Dialect if one is not Dialect.FX])
def test_the_verifiers_accept_them_too(dialect: Dialect) -> None:
    both = checked(stage(dialect))
    assert [one.is_accepted for one in both.verdicts] == [True]
    assert disagreements(both) == []


def test_every_rule_is_broken_by_a_program() -> None:
    assert len(SEEDS) >= 40
    assert {seed.rule for seed in SEEDS} == {one.name for one in RULES if one.severity is not Outcome.NOTE}
    assert set(HINTS) == {one.name for one in RULES if one.severity is Outcome.NOTE}


def test_an_empty_value_overwrites_nothing() -> None:
    """Batch norm returns two values without elements, planned where others lie."""
    editor = Editor(snapshot(Dialect.EXECUTORCH))
    for name in ("alloc_4", "aten_sin_default"):
        editor.spec(name, offset=64, bytes=0)
    assert found(exir_viz.check(editor.finish()), "plan-overlap") == []


@pytest.mark.parametrize("is_copied", [False, True])
def test_the_runtime_overwrites_the_result_of_a_branch_unless_it_is_copied(is_copied: bool) -> None:
    runtime = pytest.importorskip("executorch.runtime").Runtime.get()
    program, x, y = two_branches(is_copied=is_copied), torch.ones(4), torch.full((4,), 2.0)
    (result,) = runtime.load_program(program.pte).load_method("forward").execute([x, y])
    assert torch.equal(result, TwoBranches()(x, y)) == is_copied
    assert len(found(exir_viz.check(program), "branch-results")) == (not is_copied)


def test_names_of_rules_are_unique() -> None:
    assert len(BY_NAME) == len(RULES)


# --- hints -----------------------------------------------------------------------------------------------


class Module(torch.nn.Module):
    def __init__(self, fn: Callable[..., object], **state: torch.Tensor) -> None:
        super().__init__()
        self.fn = fn
        for name, value in state.items():
            if isinstance(value, torch.nn.Parameter):
                self.register_parameter(name, value)
            else:
                self.register_buffer(name, value, persistent=False)

    def forward(self, *args):
        return self.fn(self, *args)


def captured(fn: Callable[..., object], *args: object, dims: object = None, **state: object) -> Snapshot:
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        shapes = None if dims is None else (dims,)
        return exir_viz.load(export(Module(fn, **state), args, dynamic_shapes=shapes))


BIG = torch.arange(128 * 128, dtype=torch.float32).view(128, 128)
SMALL = torch.ones(3)


def weight() -> torch.nn.Parameter:
    return torch.nn.Parameter(BIG.clone())


def fixed() -> Snapshot:
    """A symbol whose range has one value: torch keeps such a program where a pass narrowed the range."""
    found = captured(lambda _, x: x * 2, torch.ones(4, 3), dims=({0: Dim("batch")},))
    record = found.skeleton.methods[0]
    symbols = tuple(msgspec.structs.replace(one, lower="4", upper="4") for one in record.symbols)
    methods = (msgspec.structs.replace(record, symbols=symbols),)
    return Snapshot(msgspec.structs.replace(found.skeleton, methods=methods), found.detail)


# By rule: a program that earns the hint, the node, and one that is like it and does not.
HINTS: dict[str, tuple[Callable[[], Snapshot], str, Callable[[], Snapshot]]] = {
    "cast-round-trip": (
        lambda: captured(lambda _, x: x.half().float(), SMALL),
        "forward/to_1",
        lambda: captured(lambda _, x: x.half().exp().float(), SMALL),
    ),
    "forced-copy": (
        lambda: captured(lambda _, x: x.t().contiguous(), BIG),
        "forward/contiguous",
        lambda: captured(lambda _, x: x.contiguous(), BIG),
    ),
    "constant-input": (
        lambda: captured(lambda _, x, n: x * n, SMALL, 3),
        "forward/args_1",
        lambda: captured(lambda _, x, n: x if n is None else x * n, SMALL, None),
    ),
    "constant-tensor": (
        lambda: captured(lambda _, x: x + BIG, BIG),
        "forward/c_lifted_tensor_0",
        lambda: captured(lambda self, x: x + self.table, BIG, table=weight()),
    ),
    "unused-input": (
        lambda: captured(lambda _, x, y: x * 2, SMALL, BIG),
        "forward/args_1",
        lambda: captured(lambda _, x, y: (x * 2, y * 2), SMALL, BIG),
    ),
    "unused-state": (
        lambda: captured(lambda self, x: x * 2, SMALL, table=weight()),
        "forward/p_table",
        lambda: captured(lambda self, x: x * self.table, BIG, table=weight()),
    ),
    "unused-result": (
        lambda: captured(lambda _, x: (x.exp(), x * 2)[1], SMALL),
        "forward/exp",
        lambda: captured(lambda _, x: x.exp() * 2, SMALL),
    ),
    "duplicated-weight": (
        lambda: captured(lambda s, x: x @ s.one @ s.two, BIG, one=weight(), two=weight()),
        "forward/p_two",
        lambda: captured(lambda s, x: x @ s.one @ s.two, BIG, one=weight(), two=torch.nn.Parameter(-BIG)),
    ),
    "non-persistent-buffer": (
        lambda: captured(lambda s, x: x + s.table, SMALL, table=SMALL),
        "forward/b_table",
        lambda: captured(lambda s, x: x + s.table, SMALL, table=torch.nn.Parameter(SMALL)),
    ),
    "fixed-dimension": (
        fixed,
        "forward/args_0",
        lambda: captured(lambda _, x: x * 2, torch.ones(4, 3), dims=({0: Dim("batch")},)),
    ),
}


# By rule: the program that earns the hint, changed as the hint suggests.
MENDED: dict[str, Callable[[], Snapshot]] = {
    "cast-round-trip": lambda: captured(lambda _, x: x * 1, SMALL),
    "forced-copy": lambda: captured(lambda _, x: x * 1, BIG),
    "constant-input": lambda: captured(lambda _, x, n: x * n, SMALL, torch.tensor(3)),
    "constant-tensor": lambda: captured(lambda s, x: x + s.table, BIG, table=weight()),
    "unused-input": lambda: captured(lambda _, x: x * 2, SMALL),
    "unused-state": lambda: captured(lambda _, x: x * 2, SMALL),
    "unused-result": lambda: without_dead_code(lambda _, x: (x.exp(), x * 2)[1], SMALL),
    "duplicated-weight": lambda: captured(lambda s, x: x @ s.one @ s.one, BIG, one=weight()),
    "non-persistent-buffer": lambda: exir_viz.load(torch.nn.BatchNorm1d(3).eval(), torch.ones(2, 3)),
    "fixed-dimension": lambda: captured(lambda _, x: x * 2, torch.ones(4, 3)),
}


def without_dead_code(fn: Callable[..., object], *args: object) -> Snapshot:
    program = export(Module(fn), args)
    program.graph.eliminate_dead_code()
    return exir_viz.load(program)


@pytest.mark.parametrize("rule", HINTS)
def test_a_hint_is_gone_after_its_remedy(rule: str) -> None:
    assert found(exir_viz.check(MENDED[rule]()), rule) == []


@pytest.mark.parametrize("rule", HINTS)
def test_a_hint_is_given_and_located(rule: str) -> None:
    earns, node, spares = HINTS[rule]
    rows = found(exir_viz.check(earns()), rule)
    assert [one.node for one in rows] == [node]
    assert {one.severity for one in rows} == {Outcome.NOTE}
    assert found(exir_viz.check(spares()), rule) == []


class Coder(torch.nn.Module):
    """Two methods that share one module, each with a weight of its own; one weight has two names."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.head = torch.nn.Embedding(8, 4), torch.nn.Linear(4, 8, bias=False)
        self.head.weight = self.embedding.weight
        self.up, self.down = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.up(self.embedding(x)))

    def decode(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.down(self.embedding(x)))


class Calls(torch.nn.Module):
    def __init__(self, coder: Coder, name: str) -> None:
        super().__init__()
        self.coder, self.name = coder, name

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return getattr(self.coder, self.name)(x)


def test_tied_weights_and_those_of_another_method_are_used() -> None:
    coder, x = Coder(), torch.arange(3)
    encode, decode = (export(Calls(coder, name), (x,)) for name in ("encode", "decode"))

    def unused(**programs: ExportedProgram) -> set[str | None]:
        report = exir_viz.check(capture_programs("Coder", programs, None))
        return {one.node for one in found(report, "unused-state")}

    assert unused(encode=encode) == {"encode/p_coder_down_weight", "encode/p_coder_down_bias"}
    assert unused(encode=encode, decode=decode) == set()
    # another module has the same weight under another name
    down = export(torch.nn.Sequential(coder.down), (torch.ones(1, coder.down.in_features),))
    assert unused(encode=encode, down=down) == set()


def test_a_file_knows_tied_weights(tmp_path: Path) -> None:
    program = export(Calls(Coder(), "encode"), (torch.arange(3),))
    torch.export.save(program, tmp_path / "tied.pt2")
    report = exir_viz.check(tmp_path / "tied.pt2")
    assert {one.node for one in found(report, "unused-state")} == {
        "forward/p_coder_down_weight", "forward/p_coder_down_bias",
    }  # fmt: skip
