"""Bytes moved are a lower bound: at most what a calculation by hand gives, of profile and Snapshot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from executorch.exir import to_edge

import exir_viz
from exir_viz.measure.cpu.survey import tensors, traffic
from exir_viz.snapshot.placement import working
from exir_viz.snapshot.sizes import Sizes, moved_bytes

M = 64 * 64 * 4  # bytes of f32[64, 64]
ROW = 64 * 4
IDS = torch.tensor([3, 3, 3, 3, 3])
INDICES = IDS.numel() * 8
MASK = (torch.arange(64 * 64) % 2 == 0).view(64, 64)

Call = Callable[[torch.Tensor, torch.Tensor], object]
# What one op must move by hand: what it reads and writes, each element once.
BY_HAND: dict[str, tuple[Call, int]] = {
    "zero_": (lambda b, m: b.zero_(), M),
    "fill_": (lambda b, m: b.fill_(3.0), M),
    "copy_": (lambda b, m: b.copy_(m), 2 * M),
    "add_": (lambda b, m: b.add_(m), 3 * M),
    "add": (lambda b, m: b + m, 3 * M),
    "square": (lambda b, m: m * m, 2 * M),
    "matmul": (lambda b, m: torch.mm(m, m), 2 * M),
    "expanded": (lambda b, m: m[:1].expand(64, 64) + 1, ROW + M),
    "expanded_column": (lambda b, m: m[:, :1].expand(64, 64) + 1, 64 * 4 + M),
    "windows": (lambda b, m: m.unfold(0, 8, 4) * 2, M + 15 * 64 * 8 * 4),
    "overlapping": (lambda b, m: m[:48] + m[16:], M + 48 * ROW),
    "disjoint": (lambda b, m: m[:32] + m[32:], M + 32 * ROW),
    "cat": (lambda b, m: torch.cat([m, m]), 3 * M),
    "slice": (lambda b, m: m[:, :2] * 2, 2 * 64 * 2 * 4),
    "zeros_like": (lambda b, m: torch.zeros_like(m), M),
    "full_like": (lambda b, m: torch.full_like(m, 2.0), M),
    "new_zeros": (lambda b, m: m.new_zeros(64), ROW),
    "full": (lambda b, m: torch.full((64, 64), 2.0), M),
    "embedding": (lambda b, m: torch.nn.functional.embedding(IDS, m), INDICES + ROW + 5 * ROW),
    "index": (lambda b, m: m[IDS], INDICES + ROW + 5 * ROW),
    "index_select": (lambda b, m: m.index_select(0, IDS), INDICES + ROW + 5 * ROW),
    "gather": (lambda b, m: m.gather(0, IDS[None]), INDICES + 5 * 4 + 5 * 4),
    "index_put_": (lambda b, m: b.index_put_((IDS,), m[0]), INDICES + 2 * ROW),
    "index_copy_": (lambda b, m: b.index_copy_(0, IDS[:1], m[:1]), 8 + 2 * ROW),
    "masked_fill_": (lambda b, m: b.masked_fill_(MASK, 0.0), 64 * 64 + int(MASK.sum()) * 4),
    "masked_fill": (lambda b, m: m.masked_fill(MASK, 0.0), 64 * 64 + int((~MASK).sum()) * 4 + M),
    "where": (lambda b, m: torch.where(MASK, b, m), 64 * 64 + 2 * M),
    "where_same": (lambda b, m: torch.where(MASK, m, m), 64 * 64 + 2 * M),
    "where_scalar": (lambda b, m: torch.where(MASK, m, 0.0), 64 * 64 + int(MASK.sum()) * 4 + M),
    "where_expanded": (lambda b, m: torch.where(MASK, m[:1, :1], b[:1, :1]), 64 * 64 + 8 + M),
    "slice_scatter": (lambda b, m: m.slice_scatter(b[:2], 0, 0, 2), 2 * M),
    "triu": (lambda b, m: torch.triu(m), 64 * 65 // 2 * 4 + M),
    "linear": (lambda b, m: torch.nn.functional.linear(m, b), 3 * M),
    "addmm": (lambda b, m: torch.addmm(b, m, m), 3 * M),
    "addmm_beta": (lambda b, m: torch.addmm(b, m, m, beta=0), 2 * M),
    "addmm_alpha": (lambda b, m: torch.addmm(b, m, m, beta=0.5, alpha=0), 2 * M),
    "addmm_": (lambda b, m: b.addmm_(m, m, beta=0), 2 * M),
    "addmv": (lambda b, m: torch.addmv(b[0], m, m[0], beta=0.0), M + ROW),
    "addmv_alpha": (lambda b, m: torch.addmv(b[0], m, m[0], alpha=0), 2 * ROW),
    "addr": (lambda b, m: torch.addr(b, m[0], m[0], beta=0), ROW + M),
    "addbmm": (lambda b, m: torch.addbmm(b, m[None], m[None], beta=0), 2 * M),
    "baddbmm": (lambda b, m: torch.baddbmm(b[None], m[None], m[None], beta=0), 2 * M),
    "sum": (lambda b, m: m.sum(), M + 4),
    "nearest": (
        lambda b, m: torch.nn.functional.interpolate(m[None, None], size=(8, 8)), 2 * 64 * 4
    ),
    "view": (lambda b, m: m.view(-1), 0),
    "squeeze_": (lambda b, m: m.clone().squeeze_(), 2 * M),
    "empty_linear": (lambda b, m: torch.nn.functional.linear(m[:0], b), 0),
    "empty_input": (lambda b, m: torch.mm(m[:, :0], m[:0]), M),
    "empty_like": (lambda b, m: torch.empty_like(m), 0),
}  # fmt: skip


class Calls(torch.nn.Module):
    def __init__(self, call: Call) -> None:
        super().__init__()
        self.register_buffer("b", torch.randn(64, 64))
        self.call = call

    def forward(self, m: torch.Tensor) -> object:
        return self.call(self.b, m)


def in_snapshot(program: torch.export.ExportedProgram) -> dict[str, int]:
    """The bytes that each call of a program must move, by its name, from the Snapshot alone."""
    snapshot = exir_viz.load(program)
    sizes = Sizes.hinted(snapshot.method)
    graph = snapshot.method.graph
    return {graph[at].name: moved_bytes(graph[at], sizes) for at in working(graph)}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_count_is_at_most_what_must_be_moved(name: str) -> None:
    call, by_hand = BY_HAND[name]
    m = torch.randn(64, 64)
    program = torch.export.export(Calls(call), (m,))
    profile = exir_viz.profile(program, m, repeats=2)
    measured = sum(cost.bytes_moved or 0 for cost in profile)
    assert measured <= by_hand
    assert measured >= by_hand / 3 or name in ("index_put_", "index_copy_")
    assert sum(in_snapshot(program).values()) == measured


def test_an_instruction_has_the_scalars_of_a_product_by_position(tmp_path: Path) -> None:
    program = torch.export.export(Calls(BY_HAND["addmm_beta"][0]), (torch.randn(64, 64),))
    buffer = to_edge(program).to_executorch().buffer
    (tmp_path / "addmm.pte").write_bytes(buffer)
    method = exir_viz.load(tmp_path / "addmm.pte").method
    (product,) = (node for node in method.graph if node.target.name == "addmm")
    assert moved_bytes(product, Sizes.hinted(method)) == 2 * M


EXACT = (
    "zero_", "fill_", "copy_", "add_", "add", "square", "matmul", "expanded", "disjoint", "slice",
    "full_like", "linear", "sum", "where_same", "addmm", "addmm_beta", "addmm_alpha", "addmm_", "addmv",
    "addmv_alpha", "addr", "addbmm", "baddbmm",
)  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_where_all_elements_are_moved_the_count_is_exact(name: str) -> None:
    call, by_hand = BY_HAND[name]
    m = torch.randn(64, 64)
    profile = exir_viz.profile(torch.export.export(Calls(call), (m,)), m, repeats=2)
    assert sum(cost.bytes_moved or 0 for cost in profile) == by_hand


LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.transpose(0, 1),
    "with_gaps": lambda x: x[:, ::2],
    "expanded": lambda x: x[:1].expand(4, 6, 8),
    "overlapping": lambda x: x.unfold(2, 4, 2).flatten(2),
}
# Whether these copy depends on the strides of their input.
MAY_SHARE: dict[str, Callable[[torch.Tensor], object]] = {
    "reshape": lambda x: x.reshape(-1),
    "reshape_last": lambda x: x.reshape(x.shape[0], x.shape[1], 2, -1),
    "reshape_as": lambda x: x.reshape_as(torch.empty(x.numel())),
    "flatten": lambda x: x.flatten(1),
    "ravel": lambda x: x.ravel(),
    "unflatten": lambda x: x.unflatten(2, (2, -1)),
    "contiguous": lambda x: x.contiguous(),
    "dropout": lambda x: torch.nn.functional.dropout(x, 0.5, training=False),
    "to": lambda x: x.to(torch.float32),
    "sum_to_size": lambda x: x.sum_to_size(x.shape),
    "resolve_conj": lambda x: torch.complex(x, x).conj().resolve_conj(),
    "resolve_neg": lambda x: torch._neg_view(x).resolve_neg(),
    "einsum": lambda x: torch.einsum("abc->cab", x),
    "einsum_sum": lambda x: torch.einsum("abc->ca", x),
    "chunks": lambda x: x.chunk(2, 1)[0] + x.chunk(2, 1)[0],
    "two_results": lambda x: torch.add(*x.max(0)),
    "in_place": lambda x: x.clone().add_(1).unsqueeze(0).mul(2),
}


class Counted(torch.fx.Interpreter):
    """Runs a graph and notes by call what torch really shares and moves."""

    def __init__(self, module: torch.fx.GraphModule) -> None:
        super().__init__(module)
        self.moved: dict[str, int] = {}
        self.shared: set[str] = set()

    def run_node(self, n: torch.fx.Node) -> Any:
        result = super().run_node(n)
        if n.op == "call_function" and isinstance(n.target, torch._ops.OpOverload):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            self.moved[n.name] = traffic(n, args, kwargs, result)
            own = {one.untyped_storage().data_ptr() for one in tensors(result)}
            if own and own <= {one.untyped_storage().data_ptr() for one in tensors([*args])}:
                self.shared.add(n.name)
        return result


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", MAY_SHARE)
def test_a_snapshot_counts_as_a_run_whether_ops_copy(name: str, layout: str) -> None:
    x = torch.randn(4, 6, 8)
    module = Calls(lambda _, m: MAY_SHARE[name](LAYOUTS[layout](m)))
    program = torch.export.export(module, (x,))
    run = Counted(program.module(check_guards=False))
    run.run(x)
    counts = {of: count for of, count in in_snapshot(program).items() if of in run.moved}
    assert counts == {of: run.moved[of] for of in counts}
    for of in run.shared & counts.keys():
        assert counts[of] == 0 or name == "in_place"
