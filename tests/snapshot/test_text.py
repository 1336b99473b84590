"""The text forms of a hand-made Snapshot: every line as expected, ours separable from torch's."""

# ruff: noqa: E501 - the expected lines are as long as torch makes them

from __future__ import annotations

import pytest

from exir_viz.errors import ExirVizError
from exir_viz.snapshot.symbol_names import in_user_names
from exir_viz.snapshot.text import LineKind, join, lines, render
from exir_viz.snapshot.wire import decode, encode

from .sample import fresh_chain, hostile, sample

FX = """\
graph():
    %p_fc_weight : [num_users=2] = placeholder[target=p_fc_weight]
    %b_steps : [num_users=1] = placeholder[target=b_steps]
    %x : [num_users=1] = placeholder[target=x]
    %input : [num_users=1] = placeholder[target=input]
    %linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%x, %p_fc_weight), kwargs = {})
    %linear_1 : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%linear, %p_fc_weight), kwargs = {})
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%linear_1, %input), kwargs = {})
    %add_1 : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%b_steps, 1), kwargs = {})
    %true_graph_0 : [num_users=1] = get_attr[target=true_graph_0]
    %lowered_0 : [num_users=1] = get_attr[target=lowered_0]
    %cond : [num_users=1] = call_function[target=torch.ops.higher_order.cond](args = (%add, %true_graph_0, %lowered_0, [%add]), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%cond, 0), kwargs = {})
    return (add_1, getitem)"""

# A builtin's name is not shadowed (`input_1`); values are freed after their last use.
PYTHON = """\
ExportedProgram:
    class GraphModule(torch.nn.Module):
        def forward(self, p_fc_weight: "f32[4, 4]", b_steps: "f32[]", x: "f32[batch, 4]", input: "f32[batch, 4]"):
            input_1 = input

            # ── fc (Linear)
            # File: model.py:7 in forward, code: h = self.fc(x)
            linear: "f32[batch, 4]" = torch.ops.aten.linear.default(x, p_fc_weight);  x = None

            # ── fc (Linear, call 2)
            # File: model.py:8 in forward, code: h = self.fc(h) + input
            linear_1: "f32[batch, 4]" = torch.ops.aten.linear.default(linear, p_fc_weight);  linear = p_fc_weight = None

            # ── the whole model (Net)
            add: "f32[batch, 4]" = torch.ops.aten.add.Tensor(linear_1, input_1);  linear_1 = input_1 = None

            # No stacktrace found for following nodes
            add_1: "f32[]" = torch.ops.aten.add.Tensor(b_steps, 1);  b_steps = None
            true_graph_0 = self.true_graph_0
            lowered_0 = self.lowered_0

            # File: model.py:9 in forward, code: return torch.cond(h > 0, f, g, (h,))
            cond = torch.ops.higher_order.cond(add, true_graph_0, lowered_0, [add]);  add = true_graph_0 = lowered_0 = None

            # No stacktrace found for following nodes
            getitem: "f32[batch, 4]" = cond[0];  cond = None
            return (add_1, getitem)

        class true_graph_0(torch.nn.Module):
            def forward(self, x: "f32[batch, 4]"):
                # No stacktrace found for following nodes
                sin: "f32[batch, 4]" = torch.ops.aten.sin.default(x);  x = None
                return (sin,)

        class lowered_0(torch.nn.Module):
            def forward(self, x: "f32[batch, 4]"):
                # No stacktrace found for following nodes
                cos: "f32[batch, 4]" = torch.ops.aten.cos.default(x);  x = None
                return (cos,)

Graph signature:
    # inputs
    p_fc_weight: PARAMETER target='fc.weight'
    b_steps: BUFFER target='steps' persistent=True
    x: USER_INPUT
    input: USER_INPUT

    # outputs
    add_1: BUFFER_MUTATION target='steps'
    getitem: USER_OUTPUT

Range constraints: {batch: VR[0, int_oo]}
"""


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


def test_fx_form() -> None:
    assert render(sample(), "fx") == FX


def test_python_form() -> None:
    assert _trimmed(render(sample())) == PYTHON


def test_ours_is_separable() -> None:
    snapshot = in_user_names(sample())
    everything = lines(snapshot.method)
    theirs = [line for line in everything if line.kind is not LineKind.MODULE]
    assert len(theirs) < len(everything)
    assert join(theirs) == render(snapshot, modules=False)


@pytest.mark.parametrize("form", ["python", "fx"])
def test_every_node_has_its_line(form: str) -> None:
    found = lines(sample().method, form, expanded=True)
    for graph in sample().method.graphs():
        shown = {line.node for line in found if line.graph == graph.number}
        expected = set(range(len(graph))) if form == "python" or graph is sample().method.graph else set()
        assert shown - {None} == expected, graph.path
    for line in found:
        if line.node is not None and line.kind is LineKind.CODE:
            assert line.graph is not None
            node = sample().graphs[line.graph][line.node]
            assert node.op == "output" or node.name in line.text


@pytest.mark.parametrize("form", ["python", "fx"])
@pytest.mark.parametrize("make", [sample, hostile])
def test_lines_hold_no_line_end_and_say_their_indentation(make, form: str) -> None:
    for line in lines(make().method, form):
        assert "\n" not in line.text
        if line.text.strip() and line.kind is not LineKind.SIGNATURE:
            assert line.text.startswith(" " * line.indent)


def test_expanded_gives_each_parameter_a_line() -> None:
    inputs = [
        line.text.strip() for line in lines(sample().method, expanded=True) if line.kind is LineKind.INPUT
    ]
    assert inputs[:2] == ['p_fc_weight: "f32[4, 4]",', 'b_steps: "f32[]",']


def test_hostile_names_become_identifiers_in_python() -> None:
    body = [line.text for line in lines(hostile().method) if line.kind is LineKind.CODE]
    assert body[-1].strip() == "return (_x_b_N_b_31m_,)"
    assert any(
        line.endswith("_1(x_b_N_b_31m, 'x\"];\\n<b>\\\\N</b>\\x1b[31m');  x_b_N_b_31m = None")
        for line in body
    )


def test_text_survives_the_wire() -> None:
    again = decode(encode(sample()))
    assert render(again) == render(sample())
    assert render(again, "fx") == render(sample(), "fx")


def test_unknown_form_and_method_say_what_there_is() -> None:
    with pytest.raises(ExirVizError, match=r"Unknown form .c.. Forms: 'python' and 'fx'"):
        sample().text("c")
    with pytest.raises(ExirVizError, match=r"Unknown method 'backward'. Methods: forward"):
        sample().text(method="backward")


def test_cost_is_linear(call_count) -> None:
    few, many = (call_count(lambda made=made: render(made)) for made in map(fresh_chain, (300, 3000)))
    assert many < 11 * few
