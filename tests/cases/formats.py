"""Cases of numbers and values as text: `exir_viz/snapshot/format.py` and `describe.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from exir_viz.snapshot import format as text
from exir_viz.snapshot.describe import short, value_bytes
from exir_viz.snapshot.records import (
    Literal,
    LiteralType,
    MapValue,
    ObjectValue,
    SequenceValue,
    SymValue,
    TensorValue,
)

NANOSECONDS = [
    None, 0, 1, 999, 1000, 1234, 12_345, 100_500, 123_456, 338_000, 999_499, 999_500, 999_999, 1_000_000,
    1_005_000, 1_250_000, 99_950_000, 999_999_999, 1_000_000_000, 61_500_000_000, 1_234_567_000_000, -1500,
]  # fmt: skip
BYTES = [
    None, 0, 1, 512, 1000, 1023, 1024, 1536, 4096, 102_349, 102_400, 102_912, 1_047_552, 1_048_575, 1_048_576,
    5 << 20, 1_234_567_890, 3 << 40, 1 << 60,
]  # fmt: skip
FLOPS = [0, 840, 999, 1000, 131_072, 999_500, 1_000_000, 1.234e9, 2.5e12, 3e18]
SHARES = [
    None, 0, 1e-9, 0.0004, 0.00099, 0.001, 0.0125, 0.0312, 0.0999, 0.1234, 0.125, 0.5, 0.9949, 0.9994, 0.9996,
    0.999998, 0.9999999, 1, 1.0000001, 1.052, -0.032,
]  # fmt: skip
PERCENTS = [[0, 7], [7, 7], [1, 1000], [999, 1000], [1, 3], [2, 3], [1, 8], [16, 23], [0.995, 1], [0.98, 1]]
COUNTS = [
    [0, "op"],
    [1, "op"],
    [2, "op"],
    [3912, "node"],
    [1, "match", "matches"],
    [1234567, "match", "matches"],
]
RATIOS = [0, 0.00001, 0.0034, 0.123, 0.3333, 0.96, 0.999, 1, 1.004, 1.0371, 2.345, 23.46, 123.4, 1234.5]
AMOUNTS = [
    None, 0, 1.1920929e-7, 2.38e-7, 9.96e-5, 0.000999, 0.001, 0.0031, 0.5, 1, 12.51, 99.96, 1234.5, 99_999,
    100_000, 123_456, 9.97e9, 1e30, -0.25, -3e-6,
]  # fmt: skip
DECIBELS = [None, 0, 7.25, 9.96, 10, 35.5, 121.4, -3.21]

TEXTS = [
    "", "mean", "don't", 'say "no"', "both ' and \"", "back\\slash", "two\nlines\tand\r", "\x00\x1f\x7f",
    "é µ – ×", "no\xa0break", "\u200b\u202e\u2028\ufeff", "\U0001f600", "\U000e0001", "中文",
]  # fmt: skip
MATRIX = TensorValue("float32", (16, 64))
VALUES = [
    None,
    MATRIX,
    TensorValue("int64", ()),
    TensorValue("float32", (2,), device="cuda:0"),
    TensorValue("float16", (2, 3)),
    TensorValue("float8_e4m3fn", (5,)),
    TensorValue("bits16", (0, 4)),
    TensorValue("no_such_dtype", (4,)),
    TensorValue("bfloat16", ("s77", 64)),
    TensorValue("float32", ("2*s0 + 1",)),
    SymValue(LiteralType.INT, "u0"),
    Literal(LiteralType.NONE, "None"),
    Literal(LiteralType.BOOL, "True"),
    Literal(LiteralType.FLOAT, "1e-05"),
    *(Literal(LiteralType.STR, each) for each in TEXTS),
    SequenceValue("tuple", (MATRIX, TensorValue("bool", (3,)))),
    SequenceValue("tuple", (MATRIX,)),
    SequenceValue("list", (MATRIX, Literal(LiteralType.NONE, "None"))),
    SequenceValue("list"),
    MapValue(("logits", "it's"), (MATRIX, SequenceValue("tuple", (SymValue(LiteralType.INT, "s0"),)))),
    MapValue(),
    ObjectValue("token", ""),
    ObjectValue("object", "my.Class", "obj_0"),
    ObjectValue("object", "", "obj_0"),
]


def numbers() -> dict[str, list[Any]]:
    """By function of the front end: arguments, and the text."""
    return {
        "timeText": _cases(NANOSECONDS, lambda n: text.time_text(None if n is None else n / 1e9)),
        "byteText": _cases(BYTES, text.byte_text),
        "flopText": _cases(FLOPS, text.flop_text),
        "shareText": _cases(SHARES, text.share_text),
        "percent": [[*each, text.percent(*each)] for each in PERCENTS],
        "plural": [[*each, text.plural(*each)] for each in COUNTS],
        "ratioText": _cases(RATIOS, text.ratio_text),
        "amountText": _cases(AMOUNTS, text.amount_text),
        "decibelText": _cases(DECIBELS, text.decibel_text),
    }


def values() -> dict[str, list[Any]]:
    """Values as records are sent, their text, and how many bytes they take."""
    sized = [value for value in VALUES if not isinstance(value, Literal)]
    return {
        "short": [[msgspec.to_builtins(value), short(value)] for value in VALUES],
        "valueBytes": [[msgspec.to_builtins(value), value_bytes(value)] for value in sized],
    }


def _cases(inputs: Sequence[Any], rule: Callable[[Any], Any]) -> list[list[Any]]:
    return [[each, rule(each)] for each in inputs]
