"""Programs that a session and plain torch lower, and the steps of each. Nothing here imports exir_viz."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim

from tests.corpus.concepts import CONCEPTS
from tests.corpus.models import SMALL, case
from tests.stages.modules import DoubleScale, small, without_gelu


def _exportdb() -> dict[str, Any]:
    """torch's examples, with the same weights in each process: they are made when they are imported."""
    torch.manual_seed(0)
    from torch._export.db.examples import all_examples

    found = all_examples().items()
    return {f"db:{name}": one for name, one in found if one.support_level.name == "SUPPORTED"}


EXPORTDB = _exportdb()
# A way of steps from the first stage of a session to its last one.
Way = Callable[[Any], Any]


def do(stage: Any, *steps: str) -> Any:
    """The stage after some steps with their own options, or the one that failed."""
    from tests.stages.failing import outcome

    for step in steps:
        stage = stage if stage.failed else outcome(stage.do, step)
    return stage


PORTABLE: Mapping[str, Way] = {"portable": lambda stage: do(stage, "edge", "executorch")}
XNNPACK: Mapping[str, Way] = {"XNNPACK": lambda stage: do(stage, "backend", "executorch")}
BY_STEPS: Mapping[str, Way] = {
    "core, edge, XNNPACK": lambda stage: do(stage, "decompose", "edge", "backend", "executorch")
}


# Every option of every step, on programs that are small.
OPTIONS: Mapping[str, Mapping[str, Way]] = {
    "options": {
        "functional, preserve": lambda stage: (
            stage.decompose("functional")
            .edge(preserve=["aten.linear.default"], check_ir=False, dim_order=False)
            .executorch(algorithm="naive", alloc_graph_input=False, remove_view_copy=False)
        ),
        "chosen": lambda stage: stage.decompose(["linear", "layer_norm"]),
        "not in Core ATen's table": lambda stage: stage.decompose(["gelu"]),
        "all but": lambda stage: stage.decompose(but=["layer_norm"]),
        "edge first": lambda stage: stage.backend(edge_first=True).executorch(alloc_graph_output=False),
        "own partitioner": lambda stage: stage.edge().backend(given_to_steps()["partitioner"]),
        "re-export": lambda stage: stage.reexport(dims={"x": {0: "batch in 2..64"}}),
        "passes": lambda stage: stage.transform(without_gelu, DoubleScale()).edge().transform(DoubleScale()),
    },
    "methods": {
        "by method": lambda stage: stage.decompose().backend({"first": "xnnpack"}).executorch(),
    },
    "integers": {
        "quantized": lambda stage: stage.quantize(_calls()).backend().executorch(),
    },
}
# For `python -m tests.plain_torch`.
LARGE: Mapping[str, Mapping[str, Way]] = {
    "llama any length": XNNPACK,
    "llama static cache": XNNPACK,
    "resnet18": {"quantized": lambda stage: do(stage, "quantize", "backend", "executorch")},
}
NAMES = (*OPTIONS, *SMALL, *sorted(EXPORTDB), *sorted(CONCEPTS))
# For each change, one that fails among them; `make nightly` lowers them all.
SAMPLE = ("dynamic_batch", "buffer_mutation", "db:type_reflection_method", "additional_inputs")


def ways(name: str) -> Mapping[str, Way]:
    """The ways of a program: half of them on ExecuTorch's own kernels, a quarter each way to XNNPACK."""
    if name in OPTIONS or name in LARGE:
        return (OPTIONS | LARGE)[name]
    return (PORTABLE, XNNPACK, PORTABLE, BY_STEPS)[NAMES.index(name) % 4]


def given(name: str) -> dict[str, Any]:
    """The arguments of a session that exports a module; empty if the session starts from `.pt2` files."""
    torch.manual_seed(0)
    if name == "methods":
        module, x = small()
        torch.export.save(torch.export.export(module, (x,)), "first.pt2")
        torch.export.save(torch.export.export(nn.Linear(8, 2), (x,)), "second.pt2")
        return {}
    if name in CONCEPTS:
        Path("model.pt2").unlink(missing_ok=True)
        torch.export.save(CONCEPTS[name](), "model.pt2")
        return {}
    if name == "options":
        module, x = small()
        return {"model": module, "args": (x,)}
    if name == "integers":
        rows = Dim("rows", min=2, max=16)
        return {"model": Integers().eval(), "args": _calls()[0], "dynamic_shapes": ({0: rows},)}
    if name == "llama any length":
        length = Dim("length", min=2, max=128)
        model, inputs = _llama(use_cache=False), {"input_ids": torch.arange(16).reshape(1, 16)}
        return {"model": model, "args": (), "kwargs": inputs, "dynamic_shapes": {"input_ids": {1: length}}}
    if name == "llama static cache":
        inputs = {"input_ids": torch.tensor([[1]]), "cache_position": torch.tensor([0])}
        return {"model": _with_static_cache(_llama()), "args": (), "kwargs": inputs, "strict": True}
    if name == "resnet18":
        return {"model": _resnet18(), "args": (torch.randn(1, 3, 128, 128),)}
    if name in EXPORTDB:
        one = EXPORTDB[name]
        args = one.example_args
        if len(args) == 1 and isinstance(args[0], tuple):
            (args,) = args  # a session takes a tuple alone as all inputs (pytree_flatten)
        shapes = one.dynamic_shapes
        return {"model": one.model, "args": args, "kwargs": one.example_kwargs, "dynamic_shapes": shapes}
    model = case(name)
    return {
        "model": model.model,
        "args": model.args,
        "kwargs": model.kwargs,
        "dynamic_shapes": model.dynamic_shapes,
        "strict": model.strict,
    }


def given_to_steps() -> dict[str, Any]:
    """The variables that the code of `OPTIONS` needs: what a user would pass to the steps."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    return {
        "partitioner": XnnpackPartitioner(),
        "double_scale": DoubleScale(),
        "double_scale_2": DoubleScale(),
        "calibration_calls": [(args, {}) for args in _calls()],
    }


def _llama(**options: Any) -> nn.Module:
    """A decoder of two layers: what more layers repeat takes a session and plain torch longer alike."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        hidden_size=256,
        num_attention_heads=8,
        num_key_value_heads=4,
        intermediate_size=512,
        vocab_size=1000,
        num_hidden_layers=2,
        max_position_embeddings=128,
        **options,
    )
    return LlamaForCausalLM(config).eval()


def _with_static_cache(model: Any) -> Any:
    """transformers' own recipe for a device."""
    from transformers import GenerationConfig
    from transformers.integrations.executorch import TorchExportableModuleForDecoderOnlyLM

    model.generation_config = GenerationConfig(
        use_cache=True,
        cache_implementation="static",
        max_length=64,
        cache_config={"batch_size": 1, "max_cache_len": 64, "device": "cpu"},
    )
    return TorchExportableModuleForDecoderOnlyLM(model).model


def _resnet18() -> nn.Module:
    from transformers import ResNetConfig, ResNetForImageClassification

    config = ResNetConfig(
        embedding_size=64, hidden_sizes=[64, 128, 256, 512], depths=[2, 2, 2, 2], layer_type="basic"
    )
    return ResNetForImageClassification(config).eval()


class Integers(nn.Module):
    """Numbers beside tensors of integers, which XNNPACK's quantizer makes floats, and dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(32, 8)
        self.linear = nn.Linear(8, 4)

    def forward(self, ids: Tensor) -> Tensor:
        return self.linear(nn.functional.dropout(self.table(ids * 2 + 1), 0.5, training=True)).relu()


def _calls() -> list[tuple[Tensor]]:
    return [(torch.arange(rows * 3).reshape(rows, 3) % 15,) for rows in (4, 6)]
