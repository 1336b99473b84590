"""Where the values of two programs diverge: nowhere, at a changed constant, at a NaN, by quantizing."""

from __future__ import annotations

import copy
import math

import pytest
import torch
from msgspec.structs import replace
from torch.export import export

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.values.origins import origins, producers
from exir_viz.compare.values.records import Health, Ran
from exir_viz.compare.values.value_pairs import WITHIN
from exir_viz.compare.values.values import Values
from exir_viz.errors import MeasureError, WrongArgument
from exir_viz.measure.distance import Tolerance, health, leaves, numbers
from exir_viz.stages.session import Session
from tests.corpus.concepts import State
from tests.corpus.programs import core, exported
from tests.measure.programs import STAGES, delegated, state
from tests.snapshot.sample import taken

TOLERANCE = Tolerance(1e-3, 1e-5)


class Chain(torch.nn.Module):
    """Ten linear layers, of which one can be given another bias, with a branch that no layer is part of."""

    def __init__(self, wide: int = 8) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(wide, wide) for _ in range(10))

    def forward(self, x):
        side = x.sin() * 2
        for layer in self.layers:
            x = layer(x).tanh()
        return x + side


@pytest.fixture(scope="module")
def chain() -> Chain:
    torch.manual_seed(0)
    return Chain()


X = (torch.linspace(-1, 1, 32).reshape(4, 8),)


def test_it_tells_how_far_it_is_and_stops_where_it_is_reported_to(chain: Chain) -> None:
    a, b = (export(chain, X) for _ in range(2))
    told = []
    exir_viz.diff(a, b).values(progress=told.append)
    assert [one.done for one in told] == sorted(one.done for one in told)
    assert told[-1].done == told[-1].total == len(b.graph.nodes)

    def stop(progress: object) -> None:
        told.append(progress)
        raise KeyboardInterrupt

    before = len(told)
    with pytest.raises(KeyboardInterrupt):
        exir_viz.diff(a, b).values(progress=stop)
    assert len(told) == before + 1


@pytest.mark.parametrize("stage", ["core", "edge"])
@pytest.mark.parametrize("name", ["dynamic_batch", "module_state", "nested_cond", "while_loop", "attention"])
def test_a_lowered_program_parts_nowhere(name: str, stage: str) -> None:
    a, b = exported(name), STAGES[stage](name)
    before = state(a), state(b)
    values = exir_viz.diff(a, b).values()
    assert values.agree
    assert not values.diverged
    assert values.first is None
    assert len(values) >= 5
    for held, program in zip(before, (a, b), strict=True):
        for key, value in state(program).items():
            assert torch.equal(value, held[key]) or value.isnan().any()


def test_a_node_is_looked_up_without_a_walk_over_all(chain: Chain, call_count) -> None:
    program = export(chain, X)
    values = exir_viz.diff(program, program.run_decompositions()).values()
    assert len(values) > 20
    assert all(values.of(one.a).row.a == one.row.a and values.of(one.b).row.b == one.row.b for one in values)
    assert call_count(lambda: values.of(values[-1].b)) < len(values)


def test_a_program_is_itself_in_every_value() -> None:
    program = exported("attention")
    values = exir_viz.diff(program, program).values()
    compared = {one.row.match for one in values}
    yields = {match.number for match in values.diff if match.a[0].op != "output"}
    assert compared == yields
    assert {one.numbers.max_abs for one in values} == {0.0}
    assert {one.numbers.cosine for one in values} == {1.0}


def test_a_changed_constant_is_found_at_exactly_its_node(chain: Chain) -> None:
    other = copy.deepcopy(chain)
    with torch.no_grad():
        other.layers[6].bias[3] += 0.5
    values = exir_viz.diff(export(chain, X), export(other, X)).values()
    assert values.first is not None
    assert values.first.b.name == "p_layers_6_bias"
    assert values.first.numbers.max_abs == pytest.approx(0.5)
    assert [one.b.name for one in values.origins] == ["p_layers_6_bias"]
    diverged = {one.b.name for one in values.diverged}
    after = {f"{op}_{at}" for op in ("linear", "tanh") for at in range(6, 10)}
    assert diverged == after | {"p_layers_6_bias", "add"}
    assert not values.agree


def test_a_constant_in_the_code_is_found_at_exactly_its_node(chain: Chain) -> None:
    class Other(Chain):
        def forward(self, x):
            side = x.sin() * 3
            for layer in self.layers:
                x = layer(x).tanh()
            return x + side

    other = Other()
    other.load_state_dict(chain.state_dict())
    values = exir_viz.diff(export(chain, X), export(other, X).run_decompositions()).values()
    assert [one.b.name for one in values.origins] == ["mul"]
    assert {one.b.name for one in values.diverged} == {"mul", "add"}
    assert values.of(values.diff.b.method.graph["mul"]).a.name == "mul"


def test_the_first_nan_has_a_name() -> None:
    class Root(torch.nn.Module):
        def forward(self, x, shift):
            return ((x - shift).sqrt() * 2).sum(), 1 / shift

    a = export(Root(), (torch.ones(4), torch.zeros(4)))
    fine = exir_viz.diff(a, a.run_decompositions()).values()
    assert {(one.side, one.trouble.value) for one in fine.producers} == {("a", "inf"), ("b", "inf")}
    values = exir_viz.diff(a, a.run_decompositions()).values((torch.ones(4), torch.full((4,), 2.0)))
    assert values.producer("a", "nan").name == values.producer("b", "nan").name == "sqrt"
    assert values.producers[0].count == 4
    assert values.agree  # the same NaN on both sides is no difference
    assert values.of(values.diff.b.method.graph["sqrt"]).row.health_b.nan == 4
    assert "NaN in b: first in forward/sqrt" in str(values)


def test_a_nan_on_one_side_parts() -> None:
    a, b = torch.tensor([1.0, 2.0, torch.inf, 3.0]), torch.tensor([1.0, torch.nan, torch.inf, 4.0])
    found = numbers([a], [b], TOLERANCE)
    assert (found.unlike, found.max_abs, found.diverged) == (1, 1.0, True)
    assert (health([b]).nan, health([b]).inf) == (1, 1)


def test_the_numbers_are_those_of_the_definitions() -> None:
    torch.manual_seed(0)
    a = torch.randn(3, 1 << 20)  # more than one piece
    b = a + 0.01 * torch.randn_like(a)
    found = numbers([a], [b], TOLERANCE)
    noise = (b - a).double()
    assert found.elements == a.numel()
    assert found.max_abs == pytest.approx(float(noise.abs().max()))
    assert found.relative == pytest.approx(found.max_abs / float(a.abs().max()))
    assert found.snr == pytest.approx(float(10 * torch.log10(a.double().pow(2).sum() / noise.pow(2).sum())))
    cosine = torch.nn.functional.cosine_similarity(a.double().flatten(), b.double().flatten(), dim=0)
    assert found.cosine == pytest.approx(float(cosine))
    nothing = numbers([torch.zeros(3)], [torch.ones(3)], TOLERANCE)
    assert (nothing.relative, nothing.cosine, nothing.snr, nothing.diverged) == (None, None, None, True)


def test_integers_must_be_equal() -> None:
    assert numbers(leaves(1000), leaves(1001), TOLERANCE).diverged
    assert not numbers(leaves((7, True)), leaves((7, True)), TOLERANCE).diverged


@pytest.mark.parametrize("name", ["memory_layouts", "dynamic_batch"])
def test_a_delegate_is_one_block(name: str) -> None:
    values = exir_viz.diff(exported(name), delegated(name)).values()
    assert values.agree is None  # the backend itself did not run
    assert not values.diverged
    handed = [one for one in values if one.ran is Ran.EMULATED]
    assert {one.b.target.name for one in handed} == {"getitem"}
    assert all(one.a.op == "call_function" for one in handed)
    assert not any(one.b.graph.delegate for one in values)
    assert (WITHIN in values.record.reasons) == (name == "dynamic_batch")  # the other has no state
    assert any("eager torch" in note for note in values.record.notes)


class Heads(torch.nn.Module):
    """Attention of two heads: a backend takes its products, and leaves what copies between them outside."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = torch.nn.ModuleList(torch.nn.Linear(16, 16) for _ in range(4))

    def forward(self, x):
        heads = [part(x).unflatten(-1, (2, 8)).transpose(1, 2) for part in self.parts[:3]]
        mixed = torch.nn.functional.scaled_dot_product_attention(*heads)
        return self.parts[3](mixed.transpose(1, 2).flatten(2)).softmax(-1) + 1


def test_an_intermediate_step_represents_no_partly_delegated_op() -> None:
    torch.manual_seed(0)
    session = Session(Heads().eval(), torch.randn(1, 5, 16))
    delegate = session.root.decompose("core").edge().backend("xnnpack")
    for pair in ((session.root, delegate), (delegate, session.root)):
        values = exir_viz.diff(*pair).values()
        assert not values.diverged
        assert not any(row.numbers.diverged for row in values.outputs)
        (attention,) = (one for one in values.diff if "attention" in f"{one.a}{one.b}" and one.a and one.b)
        assert attention.number not in {one.row.match for one in values}
        assert WITHIN in values.record.reasons


class Block(torch.nn.Module):
    """A residual block and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.norm1 = torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.BatchNorm2d(8)
        self.conv2, self.norm2 = torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.BatchNorm2d(8)
        self.head = torch.nn.Linear(8, 4)

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        y = torch.relu(x + self.norm2(self.conv2(y)))
        return self.head(y.mean((2, 3)))


@pytest.mark.nightly
def test_quantizing_has_a_signal_to_noise_ratio() -> None:
    """ATen, quantized, edge and delegated, each a stage of one session."""
    torch.manual_seed(0)
    session = Session(Block().eval(), torch.randn(2, 8, 16, 16), name="aten")
    quantized = session.root.quantize()
    values = exir_viz.diff(session.root, quantized).values()
    noise = {one.b.name: one.numbers.snr for one in values if one.b.op == "call_function"}
    assert len(noise) >= 7
    assert all(25 < snr < 70 for snr in noise.values())
    assert [one.b.name for one in values.origins] == ["conv2d"]
    assert exir_viz.diff(session.root, quantized).values(rtol=0.1).agree
    edge = quantized.edge()
    delegate = edge.backend("xnnpack")
    for later in (edge, delegate):
        assert exir_viz.diff(quantized, later).values().agree is (True if later is edge else None)
    block = exir_viz.diff(session.root, delegate).values()
    assert [one.a.name for one in block if one.ran is Ran.EMULATED][-1] == "linear"
    assert block.outputs[0].numbers.snr > 25


def test_what_is_written_to_is_compared() -> None:
    module = State()
    program = export(module, (torch.randn(2, 3),))
    other = copy.deepcopy(module)
    written = {name for name, _ in module.named_buffers()}
    values = exir_viz.diff(program, export(other, (torch.randn(2, 3),)).run_decompositions()).values()
    names = {row.name for row in values.outputs}
    assert "output 0" in names
    assert {name for name in names if name.startswith("state ")} <= {f"state {name}" for name in written}
    assert len(names) > 1
    assert values.agree
    inputs = exir_viz.diff(exported("input_mutation"), core("input_mutation")).values()
    assert any(row.name.startswith("input ") for row in inputs.outputs)


def test_a_value_that_is_written_to_later_is_compared_unchanged() -> None:
    class InPlace(torch.nn.Module):
        def forward(self, x):
            y = x * 2
            z = y + 1
            y.add_(10)
            return y, z

    a = export(InPlace(), X)
    values = exir_viz.diff(a, a.run_decompositions()).values()
    assert not values.diverged
    assert {one.a.name for one in values} >= {"mul", "add", "add_"}


def test_random_numbers_are_the_same_on_both_sides() -> None:
    class Dropped(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.dropout(x.sin(), training=True).cos()

    a = export(Dropped(), X)
    generator = torch.get_rng_state()
    assert exir_viz.diff(a, a.run_decompositions({})).values().agree
    assert torch.equal(torch.get_rng_state(), generator)


def test_little_waits(chain: Chain) -> None:
    """The two run side by side: what waits does not grow with the program."""
    a = export(chain, X)
    one = exir_viz.diff(a, a.run_decompositions()).values()
    largest = X[0].numel() * 4
    assert one.record.waited_bytes <= 3 * largest


def test_inputs_that_do_not_fit(chain: Chain) -> None:
    a = export(chain, X)
    narrow = export(torch.nn.Linear(3, 3), (torch.ones(2, 3),))
    with pytest.raises(MeasureError, match="and the program takes"):
        exir_viz.diff(a, narrow).values()


def test_frame_and_series(chain: Chain) -> None:
    a = export(chain, X)
    values = exir_viz.diff(a, a.run_decompositions()).values()
    frame = values.frame
    assert len(frame) == len(values)
    assert frame["max_abs"].tolist() == [one.numbers.max_abs for one in values]
    assert values.series("max_abs").keys() == {one.b.id for one in values}


class Normed(torch.nn.Module):
    """What a norm in training becomes has an op like one of those around it."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.linear = torch.nn.Linear(8, 3)
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, x, y):
        return torch.nn.functional.cross_entropy(self.norm(self.linear(x)), y)


def test_a_wrong_probable_pair_of_several_values_is_not_compared() -> None:
    """A joint graph pairs the layer wrongly; all that follows is equal, and so is what is handed back."""
    from torch.export.experimental import _export_forward_backward

    torch.manual_seed(0)
    given = (torch.randn(4, 8), torch.tensor([0, 1, 2, 0]))
    program = export(Normed().train(), given, strict=True)
    values = exir_viz.diff(program, _export_forward_backward(program)).values()
    assert values.diverged == ()
    assert (values.first, values.origins) == (None, ())


def test_two_that_may_be_different_values_begin_nothing(chain: Chain) -> None:
    """If what is computed from them agrees, the difference is that of two values, not of two programs."""
    program = export(chain, X)
    values = exir_viz.diff(program, program).values()
    at = next(at for at, one in enumerate(values) if one.b.name == "tanh_4")
    row = values.record.rows[at]
    apart = replace(row, numbers=replace(row.numbers, max_abs=1.0, diverged=True))
    rows = (*values.record.rows[:at], apart, *values.record.rows[at + 1 :])
    assert [one.b for one in origins(values.diff, rows, ends_diverge=False) if one.origin] == [row.b]
    unsure = {(row.a, row.b)}
    found = origins(values.diff, rows, ends_diverge=False, unsure=unsure)
    assert not any(one.origin for one in found)
    shown = Values(values.diff, replace(values.record, rows=found))
    assert "First to diverge: unknown" in str(shown)


def test_a_probable_pair_that_what_is_returned_proves_says_so() -> None:
    from torch.export.experimental import _export_forward_backward

    torch.manual_seed(0)
    given = (torch.randn(4, 8), torch.tensor([0, 1, 2, 0]))
    program = export(Normed().train(), given, strict=True)
    joint = _export_forward_backward(program)
    (norm,) = (node for node in joint.graph.nodes if "native_batch_norm_legit_f" in str(node.target))
    norm.args = (*norm.args[:-1], 0.5)  # another epsilon
    values = exir_viz.diff(program, joint).values()
    assert not values.agree
    assert "forward/cross_entropy_loss" in [one.a.id for one in values.origins]
    assert all(one.probable for one in values.origins)
    assert values.first.row == values.origins[0].row
    assert "probably from forward/" in str(values)


def test_where_it_began_is_linear_in_what_a_delegate_is_given(call_count) -> None:
    def work(diff: Diff) -> None:
        numbering = diff.numbering_b
        number = numbering.number
        assert origins(diff, (), ends_diverge=True) == ()
        given = [number(node) for node in numbering.snapshot.graphs[0] if node.op == "placeholder"]
        within = [number(node) for node in numbering.snapshot.graphs[1] if node.op == "placeholder"]
        healths = dict.fromkeys((*within, given[-1]), Health(nan=1))
        assert [one.node for one in producers("b", numbering, healths)] == [given[-1]]

    few, many = (exir_viz.diff(taken(size), taken(size)) for size in (30, 300))
    assert call_count(lambda: work(many)) < 11 * call_count(lambda: work(few))


def test_what_is_asked_wrongly_is_reported(chain: Chain) -> None:
    a = export(chain, X)
    for options, said in (
        ({"atol": "x"}, "atol is 'x'"),
        ({"rtol": -1}, "rtol is -1"),
        ({"rtol": math.nan}, "nan"),
    ):
        with pytest.raises(WrongArgument, match=f"{said}. Expected: a number from 0 on"):
            exir_viz.diff(a, a).values(**options)
    with pytest.raises(WrongArgument, match=r"diff\(session\.root, session\.current\)"):
        exir_viz.diff(Session(a), a)
    with pytest.raises(WrongArgument, match=r"like session\.root"):
        exir_viz.profile(a, repeats=1).at(None)
    with pytest.raises(ValueError, match=r"names is \('x',\)\. Expected: two strings"):
        exir_viz.diff(a, a, names=("x",))
    found = exir_viz.diff(a, a)
    with pytest.raises(TypeError, match="takes a Node of either side, and this is 'add'"):
        found.of("add")
    with pytest.raises(TypeError, match="takes a Profile of each side"):
        found.costs(1, 2)
