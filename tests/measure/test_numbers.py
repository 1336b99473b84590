"""The executor computes what eager torch computes, at each stage, and leaves the program as it was."""

from __future__ import annotations

import copy
import functools

import pytest
import torch

import exir_viz
from exir_viz.measure.cpu.copies import copies
from exir_viz.measure.cpu.program import CpuProgram
from exir_viz.measure.cpu.writes import written
from exir_viz.measure.rollup import rollup
from exir_viz.stages.session import Session
from tests.corpus.concepts import Fn, Norms, State
from tests.corpus.programs import LARGE, core, exported
from tests.measure.numbers import Handed, assert_equal, eager_of, handed_by_us, programs, stages
from tests.measure.programs import STAGES, assert_same, codes, delegated, state

# `python -m tests.measure.numbers` has the others of the large ones too, and their edge programs.
SOME_LARGE = ("gpt2", "mobilenetv2", "resnet50")
CHEAP = [name for name in programs() if name not in LARGE]


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        # At edge and at ATen every twelfth program: their ops are those of Core ATen, or become them.
        (name, stage)
        if at % (4 if stage == "core" else 12) == 0
        else pytest.param(name, stage, marks=pytest.mark.nightly)
        for at, name in enumerate(CHEAP)
        for stage in STAGES
    ],
)
def test_same_numbers_and_the_program_unchanged(name: str, stage: str) -> None:
    if stage not in stages(name):
        pytest.skip("ExecuTorch itself does not lower it; test_lowered says so")
    program = STAGES[stage](name)
    before = state(program)
    assert_equal(handed_by_us(program, exported(name)), eager(name))
    after = state(program)
    for key, held in before.items():
        assert_same(after[key], held, tolerance=0)


@functools.cache
def eager(name: str) -> Handed:
    return eager_of(name)[1]


def test_a_joint_graph_gives_the_gradients_of_autograd() -> None:
    program = exported("joint_graph")
    prepared = CpuProgram(program)
    inputs = prepared.inputs(None, None, None)
    out = dict(zip((spec.target for spec in program.graph_signature.output_specs),
                   prepared.run(inputs.values), strict=True))  # fmt: skip
    weight, bias = (program.state_dict[f"linear.{part}"].detach().clone() for part in ("weight", "bias"))
    for one in (weight, bias):
        one.requires_grad_()
    (x,) = inputs.values
    loss = torch.nn.functional.cross_entropy(x @ weight.T + bias, torch.ones(3).softmax(0))
    loss.backward()
    assert_same(out["linear.weight"], weight.grad)
    assert_same(out["linear.bias"], bias.grad)


@pytest.mark.parametrize(
    "module", [Norms().train(), State()], ids=["train-mode batch norm", "written buffers"]
)
@pytest.mark.parametrize("stage", ["aten", "core"])
def test_mutations_go_to_copies_only(module: torch.nn.Module, stage: str) -> None:
    x = torch.randn(2, 3, 8, 8) if isinstance(module, Norms) else torch.randn(2, 3)
    program = torch.export.export(module, (x,))
    program = program if stage == "aten" else program.run_decompositions()
    before = copy.deepcopy(module.state_dict())
    untouched = x.clone()
    for _ in range(2):  # the second run begins from the same state
        assert_same(handed_by_us(program, program).outputs[0], copy.deepcopy(module)(x))
    exir_viz.profile(program, repeats=2)
    for name, held in module.state_dict().items():
        assert_same(held, before[name], tolerance=0)
    assert torch.equal(x, untouched)


def test_a_written_input_is_copied() -> None:
    program = exported("input_mutation")
    x, y = torch.zeros(3), torch.ones(3)
    training = torch.export.export(_Adds(), (x, y))
    for one in (program, training):
        exir_viz.profile(one, (x, y), repeats=2)
        assert torch.equal(x, torch.zeros(3))


class _Shares(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("all", torch.zeros(4, dtype=torch.float64))
        self.register_buffer("some", self.all[1:3])

    def forward(self, x, y):
        x.add_(1)
        self.all.add_(2)
        return x, y + self.some


@pytest.mark.parametrize("inputs", ["one", "overlapping", "strided", "expanded"])
def test_what_shares_memory_shares_its_copy(inputs: str) -> None:
    def given() -> tuple[torch.Tensor, torch.Tensor]:
        t = torch.arange(40.0)
        return {
            "one": (t[:2], t[:2]),
            "overlapping": (t[30:32], t[31:33]),
            "strided": (t[3:9:3], t.view(5, 8)[:2, 3]),
            "expanded": (t[:2], t[:1].expand(2)),
        }[inputs]

    program = torch.export.export(_Shares(), (torch.zeros(2), torch.zeros(2)))
    mine, before = given(), copy.deepcopy(program.state_dict)
    prepared = CpuProgram(program)
    taken = prepared.inputs(mine, None, None).values
    runs = [prepared.run(taken)[-2:] for _ in range(2)]
    torch.testing.assert_close((dict(program.state_dict), mine), (dict(before), given()), rtol=0, atol=0)
    theirs = program.module()(*given())
    for run in runs:
        torch.testing.assert_close(tuple(run), tuple(theirs), rtol=0, atol=0)


def test_only_the_memory_that_is_looked_at_is_copied() -> None:
    large = torch.zeros(10_000)
    x = large[5_001:5_003]
    found = copies([x, large[5_004:5_005], torch.zeros(3)], [0])
    assert set(found) == {0, 1}
    assert found[0].untyped_storage().nbytes() <= 32
    assert found[0].untyped_storage()._cdata == found[1].untyped_storage()._cdata
    found[0].add_(1)
    assert large.count_nonzero() == 0


@pytest.mark.parametrize(
    "value",
    [
        torch.eye(3).to_sparse(),
        torch.ones(3, dtype=torch.complex64).conj(),
    ],
    ids=["sparse", "conjugate"],
)
def test_a_tensor_that_is_not_plain_is_copied_alone(value: torch.Tensor) -> None:
    found = copies([value, value.detach(), torch.ones(3)], [0])
    assert set(found) == {0}
    assert found[0] is not value
    assert found[0].layout == value.layout


class _Adds(torch.nn.Module):
    def forward(self, x, y):
        x.view(-1).add_(y)
        return x * 2


@pytest.mark.parametrize("name", ["memory_layouts", "dynamic_batch"])
def test_delegates_run_through_the_program_they_were_given(name: str) -> None:
    program = delegated(name).exported_program()
    assert_equal(handed_by_us(program, exported(name)), eager(name))
    profile = exir_viz.profile(program, repeats=2)
    emulated = [cost for cost in profile if cost.basis == "emulated"]
    assert emulated
    assert all("lowered_module" in cost.node.id or "delegate" in cost.node.name for cost in emulated)
    assert codes(profile) == ["emulated"]
    assert "XnnpackBackend" in {share.key for share in rollup(profile, "dialect")}


def test_every_node_that_computes_has_a_cost() -> None:
    for name in ("nested_cond", "while_loop", "scan_op", "associative_scan", "map_op", "grad_mode"):
        program = exported(name)
        profile = exir_viz.profile(program, repeats=2)
        graphs = profile.snapshot.graphs
        calls = [node.id for graph in graphs for node in graph if node.op == "call_function"]
        assert sorted(cost.node.id for cost in profile) == sorted(calls)


def test_loops_count_their_runs() -> None:
    profile = exir_viz.profile(exported("while_loop"), repeats=2)
    assert profile["forward/while_loop_body_graph_0/mul"].calls == 5
    assert profile["forward/while_loop_cond_graph_0/lt"].calls == 6
    assert profile["while_loop"].calls == 1
    branches = exir_viz.profile(exported("nested_cond"), (torch.ones(2, 4),), repeats=2)
    taken = branches["forward/true_graph_0/sum_1"].calls, branches["forward/false_graph_0/cos"].calls
    assert taken == (1, 0)
    # what was not run has no time, rather than one of 0
    left = [cost for cost in branches if cost.calls == 0]
    assert left
    assert {(cost.time, cost.median, cost.n) for cost in left} == {(None, None, 0)}
    assert all(cost.time is not None for cost in branches if cost.calls)
    ranked = {share.key for share in branches.hottest(99)}
    assert not ranked & {cost.node.id for cost in left}


@pytest.mark.nightly
@pytest.mark.parametrize("name", SOME_LARGE)
def test_large_programs_beside_the_users_model(name: str) -> None:
    for program in (exported(name), core(name)):
        assert_equal(handed_by_us(program, exported(name)), eager(name))


@pytest.mark.parametrize("broken", ["outputs", "buffers"])
def test_a_number_that_differs_is_seen(broken: str) -> None:
    """The comparison of this file can fail: by an output, and by a buffer alone."""
    name = "buffer_mutation"
    mine = handed_by_us(exported(name), exported(name))
    held = getattr(mine, broken)
    values = held.values() if isinstance(held, dict) else held
    next(one for one in values if isinstance(one, torch.Tensor) and one.is_floating_point()).add_(0.01)
    with pytest.raises(AssertionError, match="not close"):
        assert_equal(mine, eager(name))


def test_what_is_only_read_is_not_copied() -> None:
    """A residual added in place writes to what a layer computed, not to the layer's weight."""

    class Residual(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 3, 1)
            self.norm = torch.nn.BatchNorm2d(3)
            self.scale = torch.nn.Buffer(torch.ones(3, 1, 1))

        def forward(self, x):
            y = self.norm(self.conv(x))
            y += x
            self.scale.view(3).mul_(2)
            return y * self.scale

    program = torch.export.export(Residual().eval(), (torch.randn(1, 3, 4, 4),))
    assert written(program.graph_module) == {"b_scale"}
    training = torch.export.export(Residual().train(), (torch.randn(1, 3, 4, 4),))
    assert {"b_norm_running_mean", "b_norm_running_var", "b_scale"} <= written(training.graph_module)


def test_results_of_varying_size_warn_of_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """ExecuTorch reserves memory of the greatest size, and torch warns in C++ where a result is smaller."""
    dims = ({0: torch.export.Dim("batch", min=2, max=16)},)
    stage = Session(torch.nn.Linear(5, 5), torch.randn(4, 5), dynamic_shapes=dims).edge().executorch()
    profile = exir_viz.profile(stage, repeats=1)
    values = exir_viz.diff(stage.parent, stage).values()
    assert profile.snapshot is stage.snapshot
    assert str(values).partition("\n")[0].endswith("0 of 5 values diverge")
    assert "Warning" not in "".join(capfd.readouterr())


def test_a_wrong_output_without_a_counterpart_is_counted() -> None:
    right, wrong = Fn(lambda x: (x.relu(), x.argmax(1))), Fn(lambda x: (x.relu(), x.argmax(1) + 1))
    a, b = (torch.export.export(one, (torch.eye(4),)) for one in (right, wrong))
    values = exir_viz.diff(a, b).values()
    assert values.agree is False
    assert values.first is None
    text = str(values)
    assert "0 of 3 values diverge, but 1 of 2 outputs diverge" in text.partition("\n")[0]
    assert "First to diverge: a value without a counterpart" in text
