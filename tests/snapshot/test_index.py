"""Analyses of a graph, on graphs whose answers can be counted by hand."""

from __future__ import annotations

import pytest

from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.opkind import KINDS, OpKind, op_kind, op_name
from exir_viz.snapshot.records import Target, TargetType
from exir_viz.snapshot.rollup import method_count, scope_tree

from .sample import GETITEM, aten, chain, fresh_chain, higher_order, main_graph, sample


def _names(positions) -> set[str]:
    return {main_graph(sample())[at].name for at in positions}


def _at(name: str) -> int:
    return main_graph(sample())[name].position


def test_one_index_a_graph() -> None:
    assert index_of(main_graph(sample())) is index_of(main_graph(sample()))


def test_ops_are_counted_the_most_frequent_first() -> None:
    counts = {op_name(target): count for target, count in index_of(main_graph(sample())).ops.items()}
    assert counts == {"aten.add.Tensor": 2, "aten.linear.default": 2, "getitem": 1, "cond": 1}
    assert list(counts.values()) == sorted(counts.values(), reverse=True)


def test_roles_and_states_come_from_the_signature() -> None:
    index = index_of(main_graph(sample()))
    assert [index.roles[at] for at in range(4)] == ["parameter", "buffer", "user_input", "user_input"]
    assert index.states == {0: "fc.weight", 1: "steps"}
    branch = sample().graphs[1]
    assert index_of(branch).roles == {0: "input"}


def test_ancestors_and_descendants_with_steps() -> None:
    index = index_of(main_graph(sample()))
    assert _names(index.ancestors([_at("add")])) == {"add", "linear_1", "input", "linear", "p_fc_weight", "x"}
    assert _names(index.ancestors([_at("add")], 1)) == {"add", "linear_1", "input"}
    assert index.ancestors([_at("add")])[_at("x")] == 3
    assert _names(index.descendants([_at("x")], 2)) == {"x", "linear", "linear_1"}
    assert _names(index.neighbourhood(_at("linear"), 1)) == {"linear", "x", "p_fc_weight", "linear_1"}


def test_paths_between_two_nodes() -> None:
    index = index_of(main_graph(sample()))
    assert _names(index.between(_at("p_fc_weight"), _at("add"))) == {
        "p_fc_weight",
        "linear",
        "linear_1",
        "add",
    }
    shortest = index.shortest(_at("p_fc_weight"), _at("add"))
    assert [main_graph(sample())[at].name for at in shortest] == ["p_fc_weight", "linear_1", "add"]
    assert index.between(_at("add"), _at("x")) == ()
    assert index.shortest(_at("add"), _at("x")) == ()
    assert index.shortest(_at("b_steps"), _at("add")) == ()


def test_bytes_are_missing_where_a_size_is_symbolic() -> None:
    index = index_of(main_graph(sample()))
    assert index.bytes[_at("p_fc_weight")] == 64
    assert index.bytes[_at("linear")] is None


def test_a_module_called_twice_is_counted_once_by_its_parent() -> None:
    method = sample().method
    root, first, second = scope_tree(method.graph, method.state).values()
    assert [first.own.ops, second.own.ops, root.own.ops, root.total.ops] == [1, 1, 4, 6]
    assert [first.own.parameters, second.own.parameters] == [16, 16]
    assert root.total.parameters == 16, "tied weights are one"
    assert root.total.bytes == 64 + 4
    assert root.children == [first.number, second.number]


def test_a_method_counts_all_its_graphs() -> None:
    count = method_count(sample().method)
    assert (count.nodes, count.ops) == (13 + 3 + 3, 6 + 1 + 1)
    assert (count.parameters, count.bytes) == (16, 68)


def test_totals_of_children_and_own_make_the_total() -> None:
    tree = scope_tree(main_graph(chain(105)))
    for count in tree.values():
        assert count.total.ops == count.own.ops + sum(tree[child].total.ops for child in count.children)
    assert next(iter(tree.values())).total.ops == 105


@pytest.mark.parametrize(
    ("op", "target", "kind"),
    [
        ("placeholder", Target(TargetType.INPUT, "x"), "io"),
        ("call_function", aten("convolution"), "matrix"),
        ("call_function", aten("add_", "Tensor"), "pointwise"),
        ("call_function", aten("_softmax"), "reduce"),
        ("call_function", aten("view_copy"), "view"),
        ("call_function", aten("_to_copy"), "copy"),
        ("call_function", aten("convolution_backward"), "matrix"),
        ("call_function", higher_order("scan"), "control"),
        ("call_function", higher_order("executorch_call_delegate"), "delegate"),
        ("call_function", GETITEM, "view"),
        ("instruction", Target(TargetType.INSTRUCTION, "MoveCall", "executorch", "MoveCall"), "copy"),
        (
            "instruction",
            Target(TargetType.INSTRUCTION, "JumpFalseCall", "executorch", "JumpFalseCall"),
            "control",
        ),
        ("call_function", Target(TargetType.OP, "torch.ops.mine.add.default", "mine", "add"), "other"),
    ],
)
def test_kinds(op: str, target: Target, kind: str) -> None:
    assert op_kind(op, target) == kind


def test_an_op_has_one_kind_and_a_kind_one_colour() -> None:
    names = [name for kind in KINDS.values() for name in kind.ops]
    assert len(names) == len(set(names))
    assert len({kind.color for kind in KINDS.values()}) == len(OpKind)


def test_cost_is_linear(call_count) -> None:
    chains = {size: fresh_chain(size) for size in (400, 4000)}  # made outside of what is counted

    def work(size: int) -> object:
        graph = main_graph(chains[size])
        index = index_of(graph)
        return (index.ops, index.kinds, index.ancestors([size]), index.shortest(0, size), scope_tree(graph))

    few, many = (call_count(lambda size=size: work(size)) for size in chains)
    assert many < 11 * few
