"""Compare two live values: their distance, in double precision, chunk by chunk, to use little memory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from exir_viz.compare.values.precision import QUANTIZED, Scale, least_rtol
from exir_viz.compare.values.records import Health, Numbers
from exir_viz.measure.cpu.survey import tensors
from exir_viz.torch_internals.pytrees import pytree

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The tolerance: `atol`, and `rtol` of the largest magnitude in a. Integers and booleans must be equal;
    `rounds`: except those of eight bits, which are rounded numbers.
    """

    rtol: float
    atol: float
    rounds: bool = False

    def of(self, dtype: str) -> Tolerance:
        """The tolerance for a dtype with coarser rounding; with rtol 0 it is not widened."""
        least = least_rtol(dtype)
        if not 0 < self.rtol < least:
            return self
        return Tolerance(least, self.atol, rounds=dtype == QUANTIZED)

    def is_exact(self, value: torch.Tensor) -> bool:
        """Whether values of this dtype must be equal."""
        is_rounded = self.rounds and value.dtype in (torch.int8, torch.uint8)
        return not (is_rounded or value.is_floating_point() or value.is_complex())


def leaves(value: Any) -> list[torch.Tensor]:
    """The tensors in a value, with numbers as tensors; those without strided memory are left out."""
    found: list[torch.Tensor] = []
    for leaf in pytree.tree_leaves(value) if isinstance(value, (list, tuple, dict)) else (value,):
        if isinstance(leaf, torch.Tensor):
            found += [one for one in tensors(leaf) if one.layout is torch.strided]
        elif isinstance(leaf, (bool, int, float)):
            found.append(torch.tensor(leaf, device="cpu"))
    return found


def health(values: Sequence[torch.Tensor]) -> Health:
    """The NaN and infinite elements of a value."""
    nan = inf = 0
    for value in values:
        if value.is_floating_point() or value.is_complex():
            readable = _readable(value)
            if not bool(torch.isfinite(readable).all()):
                nan += int(torch.isnan(readable).sum())
                inf += int(torch.isinf(readable).sum())
    return Health(nan, inf)


def scaled(values: list[torch.Tensor], scale: Scale | None) -> list[torch.Tensor]:
    """Integers converted to the numbers they represent; unchanged without a scale."""
    if scale is None:
        return values
    return [(one.double() - scale.zero_point) * scale.scale for one in values]


def misfit(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor]) -> str:
    """Why two values cannot be compared: different shapes, or integers and floats; "" if they can."""
    if [one.shape for one in a] != [other.shape for other in b]:
        shapes = (", ".join(str(tuple(one.shape)) for one in side) or "no tensor" for side in (a, b))
        return f"different shapes at run time: {' and '.join(shapes)}"
    for one, other in zip(a, b, strict=True):
        if _kind(one) != _kind(other):
            return f"numbers of two kinds: {dtype_name(one.dtype)} and {dtype_name(other.dtype)}"
    return ""


def _kind(tensor: torch.Tensor) -> str:
    if tensor.is_complex():
        return "complex"
    return "float" if tensor.is_floating_point() else "integer"


def dtype_name(dtype: torch.dtype) -> str:
    """The user's notation: "int8"."""
    return str(dtype).removeprefix("torch.")


def numbers(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor], tolerance: Tolerance) -> Numbers:
    """The distance of two values of equal shapes."""
    sums = _Sums()
    for one, other in zip(a, b, strict=True):
        if _is_same_memory(one, other):
            sums.elements += one.numel()
        else:
            sums.add(one, other)
    exact = all(map(tolerance.is_exact, (*a, *b)))
    return sums.numbers(Tolerance(0.0, 0.0) if exact else tolerance)


def distance_of(a: Any, b: Any, tolerance: Tolerance) -> Numbers:
    """The distance of two values, of several tensors the worst; of other shapes or kinds they diverge."""
    ours, theirs = leaves(a), leaves(b)
    if misfit(ours, theirs):
        elements = sum(one.numel() for one in ours)
        return Numbers(elements, None, None, None, None, elements, diverged=True)
    pairs = zip(ours, theirs, strict=True)
    found = [numbers([one], [other], tolerance) for one, other in pairs]
    return max(found, key=badness) if found else numbers([], [], tolerance)


def badness(found: Numbers) -> tuple[bool, int, float]:
    """Ranks distances: one beyond the tolerance first, then by NaN or Inf on one side only, then by size."""
    return found.diverged, found.unlike, found.max_abs or 0.0


class _Sums:
    """Sums over the elements."""

    def __init__(self) -> None:
        self.elements = self.unlike = self.finite = 0
        self.largest = self.top = self.noise = self.signal = self.other = self.product = 0.0

    def add(self, a: torch.Tensor, b: torch.Tensor) -> None:
        """Add two tensors of equal shape."""
        self.elements += a.numel()
        for x, y in zip(_pieces(a), _pieces(b), strict=True):
            finite = torch.isfinite(x) & torch.isfinite(y)
            if bool(finite.all()):
                self._add_finite(x, y)
            else:
                same = (x == y) | (torch.isnan(x) & torch.isnan(y))
                self.unlike += int((~finite & ~same).sum())
                if bool(finite.any()):
                    self._add_finite(x[finite], y[finite])

    def _add_finite(self, x: torch.Tensor, y: torch.Tensor) -> None:
        difference = x - y
        self.finite += x.numel()
        self.largest = max(self.largest, float(difference.abs().max()))
        self.top = max(self.top, float(x.abs().max()))
        self.noise += float(difference @ difference)
        self.signal += float(x @ x)
        self.other += float(y @ y)
        self.product += float(x @ y)

    def numbers(self, tolerance: Tolerance) -> Numbers:
        """The record."""
        if self.unlike and not self.finite:  # no pair of finite numbers
            return Numbers(self.elements, None, None, None, None, self.unlike, True)
        diverged = self.unlike > 0 or self.largest > tolerance.atol + tolerance.rtol * self.top
        relative = self.largest / self.top if self.top else None if self.largest else 0.0
        length = math.sqrt(self.signal) * math.sqrt(self.other)
        cosine = self.product / length if length else None
        if not self.largest and not self.unlike:
            cosine = 1.0
        ratio = self.signal / self.noise if self.noise and math.isfinite(self.noise) else 0.0
        snr = 10 * math.log10(ratio) if ratio else None
        return Numbers(
            self.elements, self.largest, _plain(relative), _plain(cosine), _plain(snr), self.unlike, diverged
        )  # fmt: skip


def _is_same_memory(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether they share memory: state of two stages."""
    return a.data_ptr() == b.data_ptr() and a.dtype is b.dtype and a.stride() == b.stride()


def _pieces(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    flat = _readable(tensor).reshape(-1)
    return (piece.to(torch.float64) for piece in torch.split(flat, _PIECE)) if flat.numel() else iter(())


def _readable(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.detach()
    if tensor.is_complex():
        return torch.view_as_real(tensor.resolve_conj())
    # 8-bit floats support conversion and little else
    return tensor.float() if tensor.is_floating_point() and tensor.element_size() == 1 else tensor


def _plain(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None
