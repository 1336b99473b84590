"""Quantize: real PT2E, with what it must not touch, and what it must carry over."""

from __future__ import annotations

import pytest
import torch
from torch.export import Dim, export

import exir_viz
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.lineage import EXACT
from exir_viz.stages.live import NotPossible
from exir_viz.stages.session import Session
from exir_viz.stages.stage import Stage
from exir_viz.stages.steps.inferred_modules import INFERRED
from exir_viz.stages.steps.quantize import calls
from tests.corpus.concepts import Fn, Norms
from tests.corpus.programs import exported
from tests.stages.failing import failing

X = torch.randn(2, 3, 8, 8)


def network() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(Norms(), torch.nn.Flatten(), torch.nn.Linear(144, 5)).eval()


class Counting(torch.nn.Module):
    """It writes to a buffer, to a constant and to its input."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.count.add_(1)
        x.mul_(2)
        return self.linear(x) + self.count


@pytest.fixture(scope="module")
def quantized() -> Stage:
    return Session(network(), X, dynamic_shapes=({0: Dim("batch", max=64)},)).quantize()


def calls_of(stage: Stage) -> list[torch.fx.Node]:
    return [node for node in stage.program.graph.nodes if node.op == "call_function"]


def test_it_computes_nearly_the_same(quantized: Stage) -> None:
    exact, near = (stage.program.module()(X) for stage in (quantized.parent, quantized))
    assert 0 < (exact - near).abs().max() < 0.1 * exact.abs().max()


def test_state_is_linked_by_name_and_what_is_added_says_why(quantized: Stage) -> None:
    """torchao's scales have the shapes of the statistics that are gone: order must not link them."""
    before = {name: at for at, name in index_of(quantized.parent.snapshot.method.graph).states.items()}
    graph, added = quantized.snapshot.method.graph, []
    for position, name in index_of(graph).states.items():
        node = graph[position]
        links = [(one.node.position, one.evidence in EXACT) for one in quantized.ancestors(node)]
        assert links == ([(before[name], True)] if name in before else [])
        if name not in before:
            added.append(quantized.lineage_index.reason(quantized.numbering.number(node)))
    assert {text.split(" of ")[0].split(" that ")[0] for text in added} == {
        "Added to quantize: scales",
        "Added to quantize: zero_points",
        "Added to quantize: the integer form",
    }


def test_a_diff_does_not_take_scales_for_statistics(quantized: Stage) -> None:
    parent = quantized.parent
    for diff in (exir_viz.diff(parent, quantized), exir_viz.diff(parent.snapshot, quantized.snapshot)):
        matches = [match for match in diff if match.b and match.a and match.a[0].op == "placeholder"]
        kept = [(*match.a, *match.b) for match in matches if match.kind != "rewritten"]
        states = [[index_of(node.graph).states.get(node.position) for node in pair] for pair in kept]
        assert all(one == other for one, other in states)


def test_a_diff_tells_that_a_norm_was_folded(quantized: Stage) -> None:
    """With the statistics in the bias; with the lineage between the stages as without it."""
    parent = quantized.parent
    for diff in (exir_viz.diff(parent, quantized), exir_viz.diff(parent.snapshot, quantized.snapshot)):
        found = [match for match in diff.changes if match.evidence.name == "folded"]
        assert [[node.name for node in match.b] for match in found] == [["p_0_conv_bias"], ["conv2d"]]
        assert [node.target.name for node in found[1].a] == ["conv2d", "batch_norm"]
        assert sum("running_" in node.name for node in found[0].a) == 2


def test_it_is_what_torchao_makes(quantized: Stage) -> None:
    from executorch.backends.xnnpack.quantizer import xnnpack_quantizer as xnnpack
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    config = xnnpack.get_symmetric_quantization_config(is_per_channel=True)
    prepared = prepare_pt2e(export(network(), (X,)).module(), xnnpack.XNNPACKQuantizer().set_global(config))
    prepared(X)
    direct = export(convert_pt2e(prepared), (X,))
    targets = [str(node.target) for node in direct.graph.nodes if node.op == "call_function"]
    assert [str(node.target) for node in calls_of(quantized)] == targets
    assert any("dequantize_per_channel" in target for target in targets)


def test_modules_and_lines_are_carried_over(quantized: Stage) -> None:
    before = {node.name: node for node in calls_of(quantized.parent)}
    inferred = exact = 0
    for node in calls_of(quantized):
        path = [entry[0] for entry in node.meta["nn_module_stack"].values()]
        assert node.meta["stack_trace"]
        if INFERRED in node.meta.get("custom", {}):
            inferred += 1
            assert "quantize" in node.name
        else:
            exact += 1
            former = before[node.name]
            assert path == [entry[0] for entry in former.meta["nn_module_stack"].values()]
    assert exact == len(before) - 1  # batch norm was folded into the convolution
    assert inferred == len(calls_of(quantized)) - exact > 0
    said = {notice.code: notice.count for notice in quantized.step.notices}
    assert said["quantize.inferred_modules"] == inferred


def test_what_is_inferred_stays_marked(quantized: Stage) -> None:
    core = quantized.decompose()
    marked = [node for node in calls_of(core) if INFERRED in node.meta.get("custom", {})]
    assert marked
    assert {node.name for node in marked} <= {node.name for node in calls_of(core) if "quantize" in node.name}


def test_names_and_ranges_stay(quantized: Stage) -> None:
    (symbol,) = quantized.snapshot.method.symbols
    assert (symbol.dim, symbol.upper) == ("batch", "64")


@pytest.mark.nightly
def test_a_form_names_the_variable_to_calibrate_with(monkeypatch: pytest.MonkeyPatch) -> None:
    import __main__

    monkeypatch.setattr(__main__, "several", [(3 * X,), (4 * X,)], raising=False)
    session = Session(network(), X)
    named, given = session.root.quantize("several"), session.root.quantize([(3 * X,), (4 * X,)])
    assert [notice.code for notice in named.step.notices].count("quantize.example") == 0
    assert torch.equal(named.program.module()(X), given.program.module()(X))
    assert not torch.equal(named.program.module()(X), session.root.quantize().program.module()(X))
    assert named.step.options["inputs"] == "several"
    with pytest.raises(NotPossible, match=r"Cannot calibrate with 'nothing': there is no variable"):
        session.root.quantize("nothing")


@pytest.mark.nightly
def test_calibration_without_inputs_is_said(quantized: Stage) -> None:
    assert "quantize.example" in {notice.code for notice in quantized.step.notices}
    given = quantized.parent.quantize([(X,), X * 3])
    assert "quantize.example" not in {notice.code for notice in given.step.notices}
    scales = [
        [str(arg) for node in calls_of(stage) if "quantize_per_tensor" in node.name for arg in node.args[1:2]]
        for stage in (quantized, given)
    ]
    assert scales[0] != scales[1]


def test_findings_count_what_was_taken(quantized: Stage) -> None:
    assert {finding.op: finding.text for finding in quantized.findings}["aten.conv2d.default"] == (
        "1 of 1 call is quantized"
    )


def test_nothing_of_the_start_changes() -> None:
    module = Counting().eval()
    x = torch.ones(2, 4)
    session = Session(export(module, (x,)))
    program = session.root.program
    before = (str(program), {name: held.clone() for name, held in program.state_dict.items()}, x.clone())
    stage = session.quantize()
    assert not stage.failed, stage
    assert str(program) == before[0]
    assert all(torch.equal(held, before[1][name]) for name, held in program.state_dict.items())
    assert torch.equal(x, before[2])
    assert torch.equal(program.example_inputs[0][0], before[2])
    stage.program.module()(torch.ones(2, 4))
    assert torch.equal(module.count, torch.zeros(()))


@pytest.mark.nightly
def test_dynamic_and_per_tensor() -> None:
    session = Session(network(), X)
    dynamic = session.root.quantize(dynamic=True)
    assert any("choose_qparams" in str(node.target) for node in calls_of(dynamic))
    assert all(node.meta.get("nn_module_stack") for node in calls_of(dynamic))
    assert "quantize.dynamic" in {notice.code for notice in dynamic.step.notices}
    per_tensor = session.root.quantize(per_channel=False)
    assert not any("per_channel" in str(node.target) for node in calls_of(per_tensor))
    assert per_tensor.step.title == "Quantized: int8, static, per tensor"


@pytest.mark.nightly
def test_methods_are_quantized_together() -> None:
    programs = {
        "forward": export(network(), (X,)),
        "other": export(torch.nn.Linear(4, 4), (torch.ones(1, 4),)),
    }
    session = Session(programs)
    stage = session.quantize({"forward": [(X,)]})
    assert set(stage.programs) == {"forward", "other"}
    with pytest.raises(NotPossible, match="by method"):
        session.root.quantize([(X,)])


def test_a_quantizer_of_ones_own() -> None:
    from executorch.backends.xnnpack.quantizer import xnnpack_quantizer as xnnpack

    config = xnnpack.get_symmetric_quantization_config()
    own = xnnpack.XNNPACKQuantizer().set_module_type(torch.nn.Linear, config)
    stage = Session(network(), X).quantize(quantizer=own)
    assert {finding.op for finding in stage.findings} == {"aten.linear.default"}
    assert stage.step.options["quantizer"] == "XNNPACKQuantizer"


def test_where_nothing_can_be_quantized() -> None:
    stage = failing(Session(Fn(lambda x: x.sin()), X).quantize)
    assert stage.failure.type == "NothingQuantized"
    assert "without this step" in str(stage)


@pytest.mark.nightly
def test_dropout_in_training_mode_observes_the_same_every_time() -> None:
    """Each call leaves the user's generator as it is, also where the user draws the inputs."""
    training = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 4))
    session = Session(training, torch.randn(2, 4))
    drawn = []
    for _ in range(2):
        torch.manual_seed(0)
        session.root.quantize(torch.randn(2, 4) for _ in range(3))
        drawn.append(torch.rand(()))
    torch.manual_seed(0)
    for _ in range(3):
        torch.randn(2, 4)
    assert drawn == [torch.rand(())] * 2
    one, two = (session.root.quantize() for _ in range(2))
    assert exir_viz.diff(one, two).is_empty


def test_inputs_that_do_not_fit_are_a_failure() -> None:
    root = Session(network(), X).root
    for given, said in (
        (torch.randn(5), r"call 1: input is float32[5], and the program takes float32[2, 3, 8, 8]"),
        ([X, X.long()], r"call 2: input is int64[2, 3, 8, 8], and the program takes float32[2, 3, 8, 8]"),
        ([(X, X)], "call 1 has 2 values of another structure than the program's inputs: input"),
        ([{"nope": X}], "call 1 has 1 value of another structure"),
        ([3], "call 1: input is 3, and the program takes"),
    ):
        stage = failing(root.quantize, given)
        assert said in stage.failure.reason
        assert repr(stage).count(stage.failure.reason) == 1
        assert "of the example inputs" in repr(stage)
    assert [one.node for one in failing(root.quantize, X.long()).failure.findings] == ["forward/input"]


def test_a_lowered_program_is_refused() -> None:
    core = Session(exported("dynamic_batch"))
    edge = core.edge()
    with pytest.raises(NotPossible, match="quantize before lowering"):
        edge.quantize()


def test_a_tensor_alone_is_one_call() -> None:
    program = export(torch.nn.Linear(4, 4), (torch.ones(2, 4),))
    alone, listed = Session(program).quantize(torch.ones(2, 4)), Session(program).quantize([torch.ones(2, 4)])
    assert not alone.failed
    assert exir_viz.diff(alone, listed).is_empty


def test_calls() -> None:
    x = torch.ones(1)
    given = [x, (x, x), {"y": x}, ((x,), {"y": x})]
    assert list(calls(given)) == [((x,), {}), ((x, x), {}), ((), {"y": x}), ((x,), {"y": x})]


class Buckets(torch.nn.Module):
    """Arithmetic on positions, as in T5, Swin and Whisper: numbers and integer tensors, then a lookup."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.linear = torch.nn.Embedding(16, 4), torch.nn.Linear(4, 4)

    def forward(self, x):
        positions = torch.cat([x, x * 2 + 1], 0) % 16
        return self.linear(self.embedding(positions) * 0.5)


def test_integers_stay_integers() -> None:
    torch.manual_seed(0)
    program = export(Buckets().eval(), (torch.tensor([1, 2, 3]),))
    stage = Session(program).quantize()
    assert stage.failure is None
    dtypes = {node.name: node.meta["val"].dtype for node in stage.program.graph.nodes if "val" in node.meta}
    assert {dtypes[name] for name in ("mul", "cat")} == {torch.int64}
    taken = {finding.op for finding in stage.findings}
    assert "aten.linear.default" in taken
    assert "aten.cat.default" not in taken
    exact, near = (one.module()(torch.tensor([3, 2, 1])) for one in (program, stage.program))
    assert 0 < (exact - near).abs().max() < 0.1 * exact.abs().max()


def test_a_quantizer_that_observes_integers_is_located_and_the_remedy_helps() -> None:
    from executorch.backends.xnnpack.quantizer import xnnpack_quantizer as xnnpack

    own = xnnpack.XNNPACKQuantizer().set_global(xnnpack.get_symmetric_quantization_config())
    session = Session(export(Buckets().eval(), (torch.tensor([1, 2, 3]),)))
    stage = failing(session.quantize, quantizer=own)
    failed = stage.failure
    assert failed is not None
    assert str(stage).count(failed.reason) == 1
    (finding,) = failed.findings
    assert finding.node == "forward/x"
    assert "observe int64 values" in finding.remedy
    assert "leave out quantizer=" in finding.remedy
    assert session.root.quantize().failure is None


class TwoInputs(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, y: torch.Tensor, *, scale: torch.Tensor) -> torch.Tensor:
        return self.linear(x) * scale + y


def test_calibration_inputs_may_be_given_by_name() -> None:
    """By the names of forward's arguments, whether the program takes them by position or not."""
    x, y, scale = torch.randn(3, 4), torch.randn(3, 4), torch.randn(4)
    session = exir_viz.Session(TwoInputs(), x, y, kwargs={"scale": scale})
    named = {"scale": scale, "y": y, "x": x}
    calls = ([((x, y), {"scale": scale})], [named], [((x,), {"y": y, "scale": scale})])
    texts = [session.root.quantize(call).snapshot.text() for call in calls]
    assert texts[0] == texts[1] == texts[2]
    assert "x, y" in str(failing(session.root.quantize, [{"x": x, "scale": scale}]).failure)
