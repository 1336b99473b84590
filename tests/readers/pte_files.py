"""Real `.pte` files and ETRecords, made once a process: each shows a part of the format."""

from __future__ import annotations

import functools
import logging
import warnings
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export

for noisy in ("torchao", "torch.utils._pytree"):
    logging.getLogger(noisy).setLevel(logging.ERROR)


class Linear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.linear(x))


class Branch(nn.Module):
    def forward(self, p: Tensor, x: Tensor) -> Tensor:
        return torch.cond(p, lambda x: x.sin() + 1, lambda x: x.cos(), (x,)) * 2


class Loop(nn.Module):
    def forward(self, xs: Tensor, y: Tensor) -> Tensor:
        return torch._higher_order_ops.map(lambda x, y: x * y + y, xs, y)


class Buffers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.tensor([3.0, 4.0]))
        self.register_buffer("fixed", torch.arange(2.0))

    def forward(self, x: Tensor) -> dict[str, Any]:
        self.count.add_(x)
        return {"a": self.count * self.fixed, "b": [x]}


class Dynamic(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        return torch.cat([x, x], 0).view(-1, 4).sum(1), x.shape[0]


class Several(nn.Module):
    """Several results of one call, views, lists of tensors in and out, and constants of many dtypes."""

    def __init__(self) -> None:
        super().__init__()
        for dtype in (torch.float16, torch.bfloat16, torch.int64, torch.bool, torch.float64):
            self.register_buffer(f"c_{str(dtype)[6:]}", torch.tensor([[0, 1], [2, 3], [1, 0]]).to(dtype))
        self.register_buffer(
            "last", torch.arange(16.0).view(1, 4, 2, 2).to(memory_format=torch.channels_last)
        )

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        values, where = torch.max(x.view(2, 6), 1)
        a, b = torch.split(x, [1, 2], 0)
        y = torch.cat([a, b * 2], 0)
        kept = (self.c_float16, self.c_bfloat16, self.c_int64, self.c_bool, self.c_float64, self.last)
        return values, where, y.reshape(4, 3), *(one + one for one in kept)


class Conv(nn.Module):
    """What XNNPACK takes in two pieces, with an op between that it does not take."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.linear = nn.Linear(36, 5)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = self.conv(x).relu()
        z = torch.cumsum(y.flatten(1), 1).view(1, 36)
        return self.linear(z).sigmoid(), y + 1


@dataclass(frozen=True)
class Lowered:
    """A `.pte`, the manager that made it, and its ETRecord where one was asked for."""

    manager: Any
    data: bytes
    record: Any = None


def exported(name: str) -> ExportedProgram:
    x = torch.arange(12.0).view(3, 4)
    match name:
        case "linear":
            return export(Linear().eval(), (torch.ones(2, 4),))
        case "branch":
            return export(Branch(), (torch.tensor(True), torch.ones(3)))
        case "loop":
            return export(Loop(), (torch.ones(3, 2), torch.ones(2)))
        case "buffers" | "initialised":
            return export(Buffers(), (torch.ones(2),))
        case "dynamic":
            return export(Dynamic(), (x,), dynamic_shapes={"x": {0: Dim("n", min=2, max=10)}})
        case "several":
            return export(Several(), (x,))
        case _:
            return export(Conv().eval(), (torch.ones(1, 3, 5, 5),))


@functools.cache
def lowered(name: str) -> Lowered:
    """One of NAMES, lowered by ExecuTorch."""
    from executorch.exir import (
        EdgeCompileConfig,
        ExecutorchBackendConfig,
        to_edge,
        to_edge_transform_and_lower,
    )

    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "methods":
            programs = {"forward": exported("linear"), "other": exported("buffers")}
            manager = to_edge(programs, constant_methods={"get_len": 7, "name": "é", "scales": [0.5, True]})
            return _finish(manager.to_executorch())
        if name in ("delegated", "recorded"):
            from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

            partitioner = [XnnpackPartitioner()] if name == "delegated" else None
            edge = to_edge_transform_and_lower(
                exported("conv"), partitioner=partitioner, generate_etrecord=True
            )
            done = edge.to_executorch()
            return Lowered(done, bytes(done.buffer), done.get_etrecord())
        config = ExecutorchBackendConfig(emit_stacktrace=name == "linear")
        if name == "initialised":
            from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

            config = ExecutorchBackendConfig(
                passes=[InitializedMutableBufferPass(["count"])], emit_mutable_buffer_names=True
            )
        edge = to_edge(exported(name), compile_config=EdgeCompileConfig(_check_ir_validity=False))
        return _finish(edge.to_executorch(config))


def _finish(manager: Any) -> Lowered:
    return Lowered(manager, bytes(manager.buffer))


NAMES = ("linear", "branch", "loop", "buffers", "initialised", "dynamic", "several", "methods", "delegated")
