"""The recorded schemas are what the packages declare, and calls are compared by them."""

from __future__ import annotations

import pytest
import torch
from executorch.exir.passes import dim_order_ops_registry  # noqa: F401  registers ops
from torch.ao.quantization.fx import _decomposed  # noqa: F401  registers ops

from exir_viz.compare.normalize.schemas import Parameter, _known, comparable, parameters, parsed
from exir_viz.readers.targets import target_of
from exir_viz.readers.values import torch_literal
from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.records import Arg, Call, NodeArg, SequenceArg, Target, TargetType

PRESERVE = torch.preserve_format
# Files that torch 2.13 wrote call these, and torch 2.15 declares them no more.
_REMOVED = {"aten::cholesky", "aten::qr", "aten::qr.Q"}


def target(text: str) -> Target:
    namespace, _, rest = text.partition("::")
    name, _, overload = rest.partition(".")
    return Target(TargetType.OP, text, namespace, name, overload)


def call(*args: object, **named: object) -> Call:
    return Call(tuple(map(argument, args)), tuple(named), tuple(map(argument, named.values())))


def argument(value: object) -> Arg:
    if isinstance(value, torch.dtype | torch.memory_format):
        return torch_literal(value)
    return value if isinstance(value, NodeArg | SequenceArg) else literal_of(value)


def pair(number: int) -> SequenceArg:
    return SequenceArg("list", (literal_of(number),) * 2)


def test_they_are_as_torch_declares_them() -> None:
    schemas = (str(schema).rpartition(" -> ")[0] for schema in torch._C._jit_get_all_schemas())
    declared = {schema.partition("(")[0]: schema for schema in schemas}
    known = {op: one for op, one in _known().items() if op.startswith(("aten::", "quantized_decomposed::"))}
    assert len(known) > 1_000
    assert {op: one for op, one in known.items() if declared.get(op, one) != one} == {}
    emitted_later = {op for op in known.keys() - declared.keys() if op.endswith((".out", "_out"))}
    assert known.keys() - declared.keys() - emitted_later <= _REMOVED


@pytest.mark.parametrize("name", ["aten::conv2d", "aten::gelu", "aten::topk.values", "aten::add.out"])
def test_a_file_knows_what_a_live_program_says(name: str) -> None:
    namespace, _, rest = name.partition("::")
    op, _, overload = rest.partition(".")
    live = getattr(getattr(torch.ops, namespace), op)
    graph = torch.fx.Graph()
    node = graph.call_function(getattr(live, overload or "default"))
    assert parameters(target_of(node)) == parameters(target(name))


def test_a_schema_is_read_whole() -> None:
    found = parsed("a::b(Tensor x, int[2] s=[1, 1], *, str how='none', float? e=None, Tensor(a!) out) -> ()")
    assert [one.name for one in found] == ["x", "s", "how", "e", "out"]
    assert found[1].default == SequenceArg("list", (literal_of(1), literal_of(1)))
    assert found[2] == Parameter("how", "str", literal_of("none"), True)
    assert found[4].is_out


@pytest.mark.parametrize(
    ("name", "written", "short"),
    [
        ("aten::add.Tensor", call(NodeArg(0), NodeArg(1), alpha=1), call(NodeArg(0), NodeArg(1))),
        ("aten::add.out", call(NodeArg(0), NodeArg(1), 1, NodeArg(2)), call(NodeArg(0), NodeArg(1))),
        ("aten::topk", call(NodeArg(0), 2, -1, True, True), call(NodeArg(0), k=2)),
        ("aten::add.Tensor", call(NodeArg(0), 2, alpha=1.0), call(NodeArg(0), 2)),
        ("aten::gelu", call(NodeArg(0), "none"), call(NodeArg(0), approximate="none")),
        ("aten::avg_pool2d", call(NodeArg(0), pair(2), pair(2), pair(0)), call(NodeArg(0), pair(2), pair(2))),
        ("aten::avg_pool2d", call(NodeArg(0), 2, 2, 1), call(NodeArg(0), pair(2), pair(2), pair(1))),
        ("aten::sum", call(NodeArg(0), dtype=6), call(NodeArg(0), dtype=torch.float32)),
        ("aten::full_like.out", call(NodeArg(0), 2, 1), call(NodeArg(0), 2, memory_format=PRESERVE)),
    ],
)
def test_what_is_written_out_is_what_is_left_out(name: str, written: Call, short: Call) -> None:
    assert comparable(written, target(name)) == comparable(short, target(name))


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("aten::add.Tensor", call(NodeArg(0), NodeArg(1), alpha=2), call(NodeArg(0), NodeArg(1))),
        ("aten::topk", call(NodeArg(0), 2, -1, False), call(NodeArg(0), 2)),
        ("mine::op", call(NodeArg(0), 1), call(NodeArg(0))),  # its default is unknown
        ("aten::add.Tensor", call(NodeArg(0), True), call(NodeArg(0), 1)),
        ("aten::avg_pool2d", call(NodeArg(0), pair(2), pair(2), pair(1)), call(NodeArg(0), pair(2), pair(2))),
        ("aten::sum", call(NodeArg(0), dtype=7), call(NodeArg(0), dtype=torch.float32)),
        ("aten::full_like.out", call(NodeArg(0), 2, 0), call(NodeArg(0), 2, memory_format=PRESERVE)),
    ],
)
def test_what_is_other_stays_other(name: str, one: Call, other: Call) -> None:
    assert comparable(one, target(name)) != comparable(other, target(name))
