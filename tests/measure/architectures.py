"""Architectures of `transformers` with random weights, at small widths: nothing is downloaded.

The corpus has eight; these are others that people take to devices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from tests.corpus.models import Case, case

CORPUS = ("bert2", "gpt2", "llama2", "qwen2", "whisper2", "vit2", "resnet11", "mobilenetv2")
_TEXT = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 200}
_DECODER = {**_TEXT, "num_key_value_heads": 2, "intermediate_size": 128, "use_cache": False}
_PICTURE = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "image_size": 32}


def architecture(name: str) -> Case:
    """A model with its example inputs, the same weights each time."""
    if name in CORPUS:
        return case(name)
    torch.manual_seed(0)
    return MODELS[name]()


def _made(model: str, config: str, **sizes: Any) -> nn.Module:
    import transformers

    return getattr(transformers, model)(getattr(transformers, config)(**sizes)).eval()


def _text(model: str, config: str, **sizes: Any) -> Callable[[], Case]:
    return lambda: Case(_made(model, config, **sizes), (torch.randint(3, 100, (1, 16)),))


def _decoder(name: str, **sizes: Any) -> Callable[[], Case]:
    def make() -> Case:
        model = _made(f"{name}ForCausalLM", f"{name}Config", **{**_DECODER, **sizes})
        return Case(model, (torch.randint(3, 100, (1, 16)),), {"use_cache": False})

    return make


def _picture(model: str, config: str, size: int = 32, **sizes: Any) -> Callable[[], Case]:
    return lambda: Case(_made(model, config, **sizes), (torch.randn(1, 3, size, size),))


MODELS: dict[str, Callable[[], Case]] = {
    "albert": _text(
        "AlbertModel", "AlbertConfig", **_TEXT, embedding_size=32, intermediate_size=128
    ),
    "distilbert": _text(
        "DistilBertModel", "DistilBertConfig", dim=64, n_heads=4, n_layers=2, hidden_dim=128, vocab_size=200
    ),
    "electra": _text("ElectraModel", "ElectraConfig", **_TEXT, embedding_size=32, intermediate_size=128),
    "t5 encoder": _text(
        "T5EncoderModel", "T5Config", d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=200
    ),
    "gemma": _decoder("Gemma", head_dim=16),
    "mistral": _decoder("Mistral"),
    "phi3": _decoder("Phi3", pad_token_id=0),
    "qwen3": _decoder("Qwen3", head_dim=16),
    "convnext": _picture(
        "ConvNextModel", "ConvNextConfig", hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 2, 1]
    ),
    "dinov2": _picture("Dinov2Model", "Dinov2Config", **_PICTURE, patch_size=8),
    "clip vision": _picture(
        "CLIPVisionModel", "CLIPVisionConfig", **_PICTURE, patch_size=8, intermediate_size=128
    ),
    "segformer": _picture(
        "SegformerForSemanticSegmentation", "SegformerConfig", size=64,
        hidden_sizes=[16, 32, 40, 64], depths=[1, 1, 1, 1], decoder_hidden_size=32,
    ),
    "swin": _picture("SwinModel", "SwinConfig", image_size=32, embed_dim=24, depths=[1, 1], num_heads=[2, 4],
                     patch_size=4, window_size=4),
}  # fmt: skip
