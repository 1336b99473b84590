"""The models behind the large, the shallow, the small and the deep programs of the corpus.

The large ones are architectures of `transformers`, made from their configurations with random weights, at
small widths and full depth: nothing is downloaded. The shallow ones are the same with few layers, for what
does not depend on how often a layer is repeated. Each small one shows one concept of the IR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim


@dataclass(frozen=True)
class Case:
    """What to export: a model in the mode it is exported in, example inputs, and how they may vary."""

    model: nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None
    strict: bool = False


def case(name: str) -> Case:
    """The model called `name` with its example inputs, the same weights each time."""
    torch.manual_seed(0)
    return MODELS[name]()


# --- Large: real architectures ---------------------------------------------------------------------


def _token_ids() -> Tensor:
    return torch.randint(0, 100, (1, 16))


def _bert(layers: int = 12) -> Case:
    from transformers import BertConfig, BertModel

    config = BertConfig(
        hidden_size=64,
        num_attention_heads=4,
        intermediate_size=128,
        vocab_size=200,
        num_hidden_layers=layers,
    )
    return Case(BertModel(config).eval(), (_token_ids(),))


def _gpt2() -> Case:
    from transformers import GPT2Config, GPT2Model

    config = GPT2Config(n_embd=64, n_head=4, vocab_size=200, use_cache=False)
    return Case(GPT2Model(config).eval(), (_token_ids(),), {"use_cache": False})


def _llama(layers: int) -> Callable[[], Case]:
    """A decoder. Of 32 layers: 2,381 nodes as exported, 3,912 in Core ATen."""

    def make() -> Case:
        from transformers import LlamaConfig, LlamaForCausalLM

        config = LlamaConfig(
            hidden_size=64,
            num_attention_heads=4,
            num_key_value_heads=2,
            intermediate_size=128,
            vocab_size=200,
            num_hidden_layers=layers,
            use_cache=False,
        )
        return Case(LlamaForCausalLM(config).eval(), (_token_ids(),), {"use_cache": False})

    return make


def _llama_any_length() -> Case:
    """A decoder of two layers, for sequences of any length."""
    case = _llama(2)()
    seq = Dim("seq", min=2, max=64)
    return replace(case, dynamic_shapes={"input_ids": {1: seq}, "use_cache": None}, **_by_name(case))


def _by_name(case: Case) -> dict[str, Any]:
    (ids,) = case.args
    return {"args": (), "kwargs": {"input_ids": ids, **case.kwargs}}


def _qwen() -> Case:
    """A decoder with a static cache, as people take it to a device: transformers' own recipe."""
    from transformers import GenerationConfig, Qwen2Config, Qwen2ForCausalLM
    from transformers.integrations.executorch import TorchExportableModuleForDecoderOnlyLM

    config = Qwen2Config(
        hidden_size=64,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=128,
        vocab_size=200,
        num_hidden_layers=2,
        max_position_embeddings=64,
    )
    model = Qwen2ForCausalLM(config).eval()
    model.generation_config = GenerationConfig(
        use_cache=True,
        cache_implementation="static",
        max_length=16,
        cache_config={"batch_size": 1, "max_cache_len": 16, "device": "cpu"},
    )
    inputs = {"input_ids": torch.tensor([[1]]), "cache_position": torch.tensor([0])}
    return Case(TorchExportableModuleForDecoderOnlyLM(model).model, (), inputs, strict=True)


def _whisper() -> Case:
    """An encoder and a decoder of two layers each."""
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    config = WhisperConfig(
        d_model=32,
        vocab_size=100,
        num_mel_bins=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_source_positions=20,
        max_target_positions=20,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        use_cache=False,
    )
    inputs = {"input_features": torch.randn(1, 16, 40), "decoder_input_ids": torch.randint(3, 90, (1, 8))}
    return Case(WhisperForConditionalGeneration(config).eval(), (), {**inputs, "use_cache": False})


def _vit(layers: int = 12, size: int = 224) -> Case:
    from transformers import ViTConfig, ViTModel

    config = ViTConfig(
        hidden_size=64,
        num_attention_heads=4,
        intermediate_size=128,
        num_hidden_layers=layers,
        image_size=size,
    )
    return Case(ViTModel(config).eval(), (torch.randn(1, 3, size, size),))


def _resnet(**sizes: Any) -> Case:
    from transformers import ResNetConfig, ResNetForImageClassification

    return Case(ResNetForImageClassification(ResNetConfig(**sizes)).eval(), (torch.randn(1, 3, 64, 64),))


def _mobilenetv2() -> Case:
    from transformers import MobileNetV2Config, MobileNetV2ForImageClassification

    return Case(MobileNetV2ForImageClassification(MobileNetV2Config()).eval(), (torch.randn(1, 3, 64, 64),))


# --- Small: one concept each -----------------------------------------------------------------------


class _Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.branch1 = nn.Sequential(nn.Linear(64, 32), nn.ReLU())
        self.branch2 = nn.Sequential(nn.Linear(128, 64), nn.ReLU())
        self.buffer = torch.ones(32)

    def forward(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        return self.branch1(x1) + self.buffer, self.branch2(x2)


def _dynamic_batch() -> Case:
    batch = Dim("batch")
    shapes = {"x1": {0: batch}, "x2": {0: batch}}
    return Case(_Branches(), (torch.randn(32, 64), torch.randn(32, 128)), dynamic_shapes=shapes)


class _Related(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.cat([x, x]) + y


def _related_dims() -> Case:
    """y.shape[0] == 2 * x.shape[0], each with bounds."""
    dx = Dim("dx", min=4, max=256)
    shapes = {"x": {0: dx}, "y": {0: 2 * dx}}
    return Case(_Related(), (torch.randn(8, 3), torch.randn(16, 3)), dynamic_shapes=shapes)


class _Cond(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))


def _control_flow() -> Case:
    return Case(_Cond(), (torch.randn(4),))


class _Unbacked(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        nz = x.nonzero()
        torch._check(nz.shape[0] > 0)
        return nz * 2


def _unbacked() -> Case:
    return Case(_Unbacked(), (torch.ones(4, 4),))


class _Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("steps", torch.zeros(()))
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x: Tensor) -> Tensor:
        self.steps.add_(1)
        return self.norm(x)


def _buffer_mutation() -> Case:
    """Exported in train mode: the batch norm's statistics and the counter are mutated buffers."""
    return Case(_Counter().train(), (torch.randn(2, 3, 8, 8),))


# --- Deep: many nodes, to see how cost grows -------------------------------------------------------


class _Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        h = self.down(nn.functional.gelu(self.up(self.norm(x))))
        return x + h * torch.sigmoid(h.mean(-1, keepdim=True))


class _Deep(nn.Module):
    """`stages` of 20 blocks each; a block is 14 nodes, 6 of them parameters."""

    def __init__(self, stages: int, width: int = 8) -> None:
        super().__init__()
        blocks = [nn.ModuleList(_Block(width) for _ in range(20)) for _ in range(stages)]
        self.stages = nn.ModuleList(blocks)

    def forward(self, x: Tensor) -> Tensor:
        for stage in self.stages:
            for block in stage:
                x = block(x)
        return x


def _deep(stages: int) -> Callable[[], Case]:
    return lambda: Case(_Deep(stages).eval(), (torch.randn(2, 8),))


LARGE = ("bert", "gpt2", "llama32", "vit", "resnet50", "mobilenetv2")
SHALLOW = ("bert2", "llama2", "llama2dynamic", "qwen2", "resnet11", "vit2", "whisper2")
SMALL = ("dynamic_batch", "related_dims", "control_flow", "unbacked", "buffer_mutation")
DEEP = ("deep1k", "deep10k", "deep100k")

MODELS: dict[str, Callable[[], Case]] = {
    "bert": _bert,
    "gpt2": _gpt2,
    "llama2": _llama(2),
    "llama2dynamic": _llama_any_length,
    "llama32": _llama(32),
    "qwen2": _qwen,
    "whisper2": _whisper,
    "vit2": lambda: _vit(layers=2, size=32),
    "vit": _vit,
    "resnet50": _resnet,
    "mobilenetv2": _mobilenetv2,
    "bert2": lambda: _bert(layers=2),
    "resnet11": lambda: _resnet(hidden_sizes=[256, 512], depths=[2, 1]),
    "dynamic_batch": _dynamic_batch,
    "related_dims": _related_dims,
    "control_flow": _control_flow,
    "unbacked": _unbacked,
    "buffer_mutation": _buffer_mutation,
    "deep1k": _deep(4),
    "deep10k": _deep(36),
    "deep100k": _deep(360),
}
