"""One small program for each concept of the IR documents, exported when asked for.

A concept is a function that returns a live ExportedProgram; its name is the concept's, its docstring says
which sentence of the documents it stands for.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch.export import AdditionalInputs, Dim, ExportedProgram, ShapesCollection, export
from torch.utils import _pytree as pytree

CONCEPTS: dict[str, Callable[[], ExportedProgram]] = {}


def concept(make: Callable[[], ExportedProgram]) -> Callable[[], ExportedProgram]:
    CONCEPTS[make.__name__] = make
    return make


class Fn(torch.nn.Module):
    """A module around a function, for programs whose modules are not the point."""

    def __init__(self, fn: Callable[..., object]) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, *args, **kwargs):
        return self.fn(*args, **kwargs)


# --- values and arguments --------------------------------------------------------------------------------


class Specialised(torch.nn.Module):
    def forward(self, x, y, flag, name, nothing):
        return (x + y) * (2.0 if flag else 1.0)


@concept
def static_values() -> ExportedProgram:
    """Primitive inputs are burnt in: int, bool, str and None stay in the signature as constants."""
    return export(Specialised(), (torch.randn(2), 3, True, "mean", None))


class Arguments(torch.nn.Module):
    def forward(self, x):
        a = torch.full((2, 3), float("-inf"), dtype=torch.float64, device="cpu")
        b = x.to(torch.float16, memory_format=torch.channels_last)
        c = torch.nn.functional.pad(x, (1, 1), value=float("inf"))
        d = x[..., 1:9223372036854775807:2]
        return a, b, c, d, x.sum(dim=[0, 2], keepdim=True)


@concept
def argument_types() -> ExportedProgram:
    """dtype, device, memory format, infinities, big integers, nested lists and None as arguments."""
    return export(Arguments(), (torch.randn(2, 3, 4, 4),))


class Dtypes(torch.nn.Module):
    def forward(self, a, b, c, d, e):
        return a.float(), b.real, ~c, d.to(torch.bfloat16), e + 1


@concept
def dtypes() -> ExportedProgram:
    """Half, complex, boolean, float8 and small integers, in and out."""
    args = (
        torch.ones(2, dtype=torch.float16),
        torch.ones(2, dtype=torch.complex64),
        torch.tensor([True, False]),
        torch.ones(2).to(torch.float8_e4m3fn),
        torch.ones(2, dtype=torch.uint8),
    )
    return export(Dtypes(), args)


@concept
def memory_layouts() -> ExportedProgram:
    """Strides and dim order: channels last, transposed, expanded, offset."""
    x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    return export(Fn(lambda x: (x + 1, x.permute(3, 0, 1, 2), x[:1].expand(4, 3, 4, 5), x[1])), (x,))


@concept
def several_outputs() -> ExportedProgram:
    """An op that returns a tuple, an op that returns a list, and an output nobody reads."""

    def fn(x):
        values, indices = x.topk(2)
        parts = torch.split(x, 2, dim=-1)
        mean = torch.var_mean(x, dim=-1)[1]
        return values, indices, parts[1], mean

    return export(Fn(fn), (torch.randn(3, 6),))


@concept
def no_computation() -> ExportedProgram:
    """The smallest graphs: an input handed back, a constant returned."""
    return export(Fn(lambda x: (x, 7, None)), (torch.randn(2),))


# --- pytrees ---------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Batch:
    tokens: torch.Tensor
    mask: list[torch.Tensor]


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


if Batch not in pytree.SUPPORTED_NODES:
    torch.export.register_dataclass(Batch, serialized_type_name="tests.corpus.concepts.Batch")
    pytree._register_namedtuple(Pair, serialized_type_name="tests.corpus.concepts.Pair")


class Trees(torch.nn.Module):
    def forward(self, batch, pair, table, *rest, scale=None):
        total = batch.tokens + batch.mask[0] + batch.mask[1] + pair.left * pair.right
        total = total + table["a"] + table["b"][0] + rest[0] + scale
        return {"total": total, "pair": Pair(total, total + 1), "list": [total, (total,)]}


@concept
def pytree_inputs() -> ExportedProgram:
    """Every container: dataclass, named tuple, dict, ordered dict, list, varargs and keywords."""
    t = torch.randn(2)
    table = collections.OrderedDict(a=t, b=[t])
    return export(Trees(), (Batch(t, [t, t]), Pair(t, t), table, t), {"scale": t})


# --- dynamic shapes --------------------------------------------------------------------------------------


@concept
def named_dims() -> ExportedProgram:
    """Dim with bounds, a derived dim, and an unrelated one."""
    dx, dh = Dim("dx", min=4, max=256), Dim("dh", max=512)
    shapes = ((dx, None, dh), {0: 2 * dx, 2: dh})
    return export(Fn(lambda x, y: torch.cat([x, x]) + y), (torch.randn(8, 3, 5), torch.randn(16, 3, 5)),
                  dynamic_shapes=(shapes,))  # fmt: skip


@concept
def inferred_dims() -> ExportedProgram:
    """Dim.DYNAMIC and Dim.AUTO: the relations are found by export."""
    return export(
        Fn(lambda x, y: (x + y, x.reshape(-1), y.shape[0] // 2)),
        (torch.randn(6, 4), torch.randn(6, 4)),
        dynamic_shapes=(({0: Dim.DYNAMIC, 1: Dim.AUTO}, {0: Dim.AUTO, 1: Dim.AUTO}),),
    )


@concept
def shapes_collection() -> ExportedProgram:
    """Dynamism given per tensor."""
    x, y = torch.randn(4, 8), torch.randn(4, 8)
    dim = Dim("n", min=2)
    shapes = ShapesCollection()
    shapes[x] = (dim, 8)
    shapes[y] = {0: dim}
    return export(Fn(lambda d: d["x"] + d["y"]), ({"x": x, "y": y},), dynamic_shapes=shapes)


@concept
def additional_inputs() -> ExportedProgram:
    """Dynamism inferred from several inputs."""
    more = AdditionalInputs()
    more.add((torch.randn(5, 3),))
    more.add((torch.randn(7, 3),))
    return export(Fn(lambda x: x * 2), (torch.randn(4, 3),), dynamic_shapes=more)


@concept
def symbolic_scalars() -> ExportedProgram:
    """A SymInt as input, arithmetic on sizes, a SymFloat, a SymBool, sizes as outputs."""

    def fn(x, n):
        half = x.shape[0] // 2
        scale = x.shape[0] / 3.0
        return x[:half] * n, x * scale, x.shape[0] + n, torch.sym_max(x.shape[0], n)

    return export(Fn(fn), (torch.randn(8, 2), 5), dynamic_shapes=(({0: Dim.DYNAMIC}, Dim.DYNAMIC),))


@concept
def unbacked_item() -> ExportedProgram:
    """`.item()`: an unbacked symbol with checks, which become runtime asserts."""

    def fn(x, y):
        n = x.item()
        torch._check(n >= 2)
        torch._check(n <= 30)
        return torch.zeros(n), y[:n] if False else y.narrow(0, 0, n)

    return export(Fn(fn), (torch.tensor(4), torch.randn(40)))


@concept
def unbacked_float() -> ExportedProgram:
    """An unbacked float."""
    return export(Fn(lambda x, y: y * x.item()), (torch.tensor(1.5), torch.randn(3)))


@concept
def data_dependent_shape() -> ExportedProgram:
    """nonzero and masked_select: shapes that only the data decides."""
    return export(Fn(lambda x: (x.nonzero(), x[x > 0] + 1)), (torch.randn(4, 4),))


@concept
def deferred_asserts() -> ExportedProgram:
    """Equalities kept as assertions in the graph instead of guards."""
    return export(
        Fn(lambda x, y: x + y),
        (torch.randn(6, 2), torch.randn(6, 2)),
        dynamic_shapes=(({0: Dim.DYNAMIC}, {0: Dim.DYNAMIC}),),
        prefer_deferred_runtime_asserts_over_guards=True,
    )


# --- module state ----------------------------------------------------------------------------------------


class State(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3, 3))
        self.tied = self.weight
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.register_buffer("cache", torch.zeros(2, 3), persistent=False)
        self.constant = torch.tensor([[0.5, -0.0], [float("nan"), float("inf")]])

    def forward(self, x):
        self.steps.add_(1)
        self.cache.copy_(x)
        return x @ self.weight + (x @ self.tied) * self.constant[0, 0] + self.cache


@concept
def module_state() -> ExportedProgram:
    """Parameters (shared), buffers kept and not kept, mutated buffers, a lifted constant."""
    return export(State(), (torch.randn(2, 3),))


@concept
def functional_state() -> ExportedProgram:
    """After functionalisation the mutations are outputs."""
    return module_state().run_decompositions({})


@concept
def input_mutation() -> ExportedProgram:
    """A user input is written to."""

    def fn(x, y):
        x.add_(y)
        return x * 2

    return export(Fn(fn), (torch.zeros(3), torch.ones(3))).run_decompositions({})


class Norms(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.norm = torch.nn.BatchNorm2d(4)

    def forward(self, x):
        return self.norm(self.conv(x)).relu()


@concept
def training_mode() -> ExportedProgram:
    """Train-mode batch norm: its statistics are mutated buffers."""
    return export(Norms().train(), (torch.randn(2, 3, 8, 8),))


@concept
def joint_graph() -> ExportedProgram:
    """A joint forward and backward graph: a loss, gradients to parameters and to inputs."""
    from torch.export.experimental import _export_forward_backward

    class Loss(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(3, 3)

        def forward(self, x):
            return torch.nn.functional.cross_entropy(self.linear(x), torch.ones(3).softmax(0))

    with torch.enable_grad():
        return _export_forward_backward(export(Loss(), (torch.randn(3),)))


# --- modules and source ----------------------------------------------------------------------------------


class Twice(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dropout = torch.nn.Dropout(0.5)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = self.dropout(layer(x))
        return self.layers[0](x)


@concept
def module_called_twice() -> ExportedProgram:
    """A module called twice stays two calls."""
    return export(Twice(), (torch.randn(2, 4),))


@concept
def strict_mode() -> ExportedProgram:
    """Exported by TorchDynamo: source_fn_stack is present."""
    return export(Twice(), (torch.randn(2, 4),), strict=True)


@concept
def preserved_calls() -> ExportedProgram:
    """The module call graph with signatures of submodules."""
    return export(Twice(), (torch.randn(2, 4),), preserve_module_call_signature=("layers.0", "layers.1"))


@concept
def annotated() -> ExportedProgram:
    """Custom metadata put on nodes by the user."""

    class Annotated(torch.nn.Module):
        def forward(self, x):
            with torch.fx.traceback.annotate({"phase": "head", "rank": 1}):
                x = x + 1
            return x * 2

    with torch.fx.traceback.preserve_node_meta():
        return export(Annotated(), (torch.randn(2),))


# --- control flow and higher-order operators -------------------------------------------------------------


@concept
def nested_cond() -> ExportedProgram:
    """A branch within a branch, with closed-over parameters."""

    class Cond(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)

        def forward(self, x):
            def inner(x):
                return torch.cond(x.sum() > 1, self.linear, lambda x: x - 1, (x,))

            return torch.cond(x.sum() > 0, inner, lambda x: x.cos(), (x,))

    return export(Cond(), (torch.randn(2, 4),))


@concept
def while_loop() -> ExportedProgram:
    """A loop whose length the data decides."""
    from torch._higher_order_ops import while_loop as loop

    def fn(n, x):
        return loop(lambda n, x: n < 5, lambda n, x: (n + 1, x * 2), (n, x))

    return export(Fn(fn), (torch.tensor(0), torch.randn(3)))


@concept
def map_op() -> ExportedProgram:
    """map over the first dimension."""
    from torch._higher_order_ops.map import map as map_over

    return export(Fn(lambda xs, y: map_over(lambda x, y: x * y, xs, y)), (torch.randn(3, 2), torch.randn(2)))


@concept
def scan_op() -> ExportedProgram:
    """scan: a carry and stacked outputs."""
    from torch._higher_order_ops import scan

    def step(carry, x):
        return carry + x, carry * x

    return export(Fn(lambda init, xs: scan(step, init, xs)), (torch.zeros(2), torch.randn(4, 2)))


@concept
def associative_scan() -> ExportedProgram:
    """associative_scan: a prefix sum by a user's function."""
    from torch._higher_order_ops import associative_scan as prefix

    return export(
        Fn(lambda xs: prefix(lambda a, b: a + b, xs, dim=0, combine_mode="generic")), (torch.randn(4, 2),)
    )


@concept
def grad_mode() -> ExportedProgram:
    """set_grad_enabled and autocast become higher-order operators around a graph."""

    def fn(x):
        with torch.no_grad():
            y = x + 1
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return y @ y

    return export(Fn(fn), (torch.randn(3, 3),)).run_decompositions({})


@torch.library.custom_op("exir_viz_tests::scaled", mutates_args=())
def scaled(x: torch.Tensor, factor: float, mode: str | None = None) -> torch.Tensor:
    return x * factor


@scaled.register_fake
def _(x, factor, mode=None):
    return torch.empty_like(x)


@torch.library.custom_op("exir_viz_tests::bump", mutates_args=("x",))
def bump(x: torch.Tensor, by: int = 1) -> None:
    x.add_(by)


@bump.register_fake
def _(x, by=1):
    return None


@concept
def custom_op() -> ExportedProgram:
    """A registered custom operator stays as it is."""
    return export(Fn(lambda x: scaled(x, 0.5, "up") + 1), (torch.randn(3),))


@concept
def mutating_custom_op() -> ExportedProgram:
    """A custom operator that writes to its input: auto_functionalized after functionalisation."""

    def fn(x):
        y = x.clone()
        bump(y, 3)
        return y

    return export(Fn(fn), (torch.randn(3),)).run_decompositions({})


@concept
def attention() -> ExportedProgram:
    """scaled_dot_product_attention with a mask: optional tensors among the arguments."""

    def fn(q, k, v, mask):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    q = torch.randn(1, 2, 4, 8)
    return export(Fn(fn), (q, q, q, torch.zeros(4, 4)))


@concept
def hostile_names() -> ExportedProgram:
    """Names a user can give that a page must not take for markup."""

    class Hostile(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.add_module("<img src=x onerror=alert(1)>", torch.nn.Linear(2, 2))
            self.add_module("</script>", torch.nn.Linear(2, 2))

        def forward(self, x):
            for module in self.children():
                x = module(x)
            return {"<b>": x}

    return export(Hostile(), (torch.randn(1, 2),))
