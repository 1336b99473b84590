"""Check that values fit the program before anything runs; errors have the expected and the given value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from exir_viz.errors import MeasureError
from exir_viz.measure.options import is_whole
from exir_viz.options import wrong_argument
from exir_viz.readers.traces import parse
from exir_viz.snapshot.frames import users_frame
from exir_viz.snapshot.records import Frame

from .describe import frame_lines, short_text
from .guards import satisfied_guards
from .inputs import Place, places
from .real import without_values
from .symbols import bound, expression, in_user_names


def check(
    program: ExportedProgram, takes: Sequence[Place], values: Sequence[Any]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Raise MeasureError for the first value that does not fit.

    Returns the value of each symbol, and the guards that could not be read.
    """
    symbols: dict[Any, int] = {}
    later: list[tuple[Place, str, Any, int]] = []
    for place, value in zip(takes, values, strict=True):
        for what, size, given in _kinds(place, value):
            expr = expression(size)
            if expr is None:
                if int(size) != given:
                    raise _misfit(place, f"{short_text(value)} with {what} {given}", f"{int(size)}")
            elif expr.is_Symbol and expr not in symbols:
                symbols[expr] = given
            else:
                later.append((place, what, expr, given))
    for place, what, expr, given in later:
        if expr.free_symbols <= symbols.keys() and int(expr.subs(symbols)) != given:
            known = sorted(expr.free_symbols, key=str)
            bound = ", ".join(f"{in_user_names(one, program)} = {symbols[one]}" for one in known)
            must = int(expr.subs(symbols))
            raise unfit(
                f"The input {place.path} has {what} {given}. Expected: {must}, which is "
                f"{in_user_names(expr, program)} with {bound}.",
                place, str(must), str(given),
            )  # fmt: skip
    _check_ranges(program, symbols, takes)
    unread = _check_guards(program, takes, values)
    return {str(symbol): number for symbol, number in symbols.items()}, unread


def _kinds(place: Place, value: Any) -> list[tuple[str, Any, int]]:
    """The sizes to compare, after the kinds of the values were checked."""
    expected = place.node.meta.get("val")
    if place.is_constant:
        if type(value) is not type(place.constant) or not _equal(value, place.constant):
            raise _misfit(
                place, short_text(value), f"{place.constant!r}, which export made a constant of the program"
            )
        return []
    if isinstance(expected, torch.Tensor):
        if not isinstance(value, torch.Tensor):
            raise _misfit(place, short_text(value), short_text(expected))
        if value.dtype is not expected.dtype:
            raise _misfit(place, f"{short_text(value)} of dtype {value.dtype}", str(expected.dtype))
        if value.layout is not expected.layout:
            raise _misfit(place, f"a tensor of layout {value.layout}", f"one of {expected.layout}")
        if why := without_values(value):
            raise _misfit(place, f"{why}, without values", f"a tensor with data: {short_text(expected)}")
        if value.device.type != "cpu":
            raise _misfit(place, f"a tensor on {value.device}", "one on the CPU: call .cpu() on it")
        if value.dim() != expected.dim():
            raise _misfit(place, short_text(value), short_text(expected))
        sizes = zip(expected.shape, value.shape, strict=True)
        return [(f"dimension {at} of size", size, int(given)) for at, (size, given) in enumerate(sizes)]
    if isinstance(expected, torch.SymInt):
        if not isinstance(value, int) or isinstance(value, bool):
            raise _misfit(place, short_text(value), "an integer")
        return [("the value", expected, value)]
    return []


def _equal(one: Any, other: Any) -> bool:
    both = isinstance(one, float) and isinstance(other, float)
    return bool(one == other) or (both and math.isnan(one) and math.isnan(other))


def symbols_of(program: ExportedProgram) -> dict[str, Any]:
    """The symbols in a program's sizes, by name."""
    return {one.name: one for expr in program.range_constraints for one in expr.free_symbols}


def check_symbols(program: ExportedProgram, symbols: Mapping[str, Any]) -> None:
    """Raise MeasureError for a symbol that the program does not have, or a value that it does not allow."""
    known = symbols_of(program)
    for name, number in symbols.items():
        if name not in known:
            names = ", ".join(in_user_names(one, program) for one in sorted(known)) or "none"
            raise wrong_argument(f"The program has no symbol {name!r}: it has {names}.")
        if not is_whole(number):
            raise wrong_argument(
                f"The symbol {in_user_names(name, program)} is {number!r}. Expected: a whole number."
            )
    _check_ranges(program, {known[name]: number for name, number in symbols.items()}, places(program))


def check_agreement(program: ExportedProgram, symbols: Mapping[str, int], bound: Mapping[str, int]) -> None:
    """Raise MeasureError if given inputs bind a symbol to another number than requested."""
    for name, number in symbols.items():
        given = bound.get(name, number)
        if given != number:
            raise MeasureError(
                f"symbols= gives {in_user_names(name, program)} = {number}, but it is {given} in the inputs. "
                "Pass inputs of that size, or only symbols=: inputs are then generated.",
                expected=str(number), given=str(given),
            )  # fmt: skip


def _check_ranges(program: ExportedProgram, symbols: dict[Any, int], takes: Sequence[Place]) -> None:
    for expr, limits in program.range_constraints.items():
        if not expr.free_symbols or not expr.free_symbols <= symbols.keys():
            continue
        given = int(expr.subs(symbols))
        # As in torch: a lower bound of up to 2 is export's assumption for any size, and is not checked.
        low, high = bound(limits.lower), bound(limits.upper)
        if (low is not None and given < low and (low > 2 or given < 0)) or (
            high is not None and given > high
        ):
            bounds = f"{'-∞' if low is None else low} to {'∞' if high is None else high}"
            if low == 0 and high is not None and given > high:  # no lower bound of 0 was given
                bounds = f"at most {high}"
            place = next((one for one in takes if _holds(one, expr)), None)
            where = f" (of the input {place.path})" if place else ""
            raise unfit(
                f"{in_user_names(expr, program)} is {given}{where}, and the program is exported for "
                f"{bounds}. Give an input within that range, or export again with a wider one.",
                place, bounds, str(given),
            )  # fmt: skip


def _check_guards(program: ExportedProgram, takes: Sequence[Place], values: Sequence[Any]) -> tuple[str, ...]:
    found, unread = satisfied_guards(program, takes, values)
    if found is None:
        return unread
    given = ", ".join(f"{name} = {number}" for name, number in found.numbers.items())
    raise unfit(
        f"The inputs break a guard that the program was exported under, {found.guard}: with {given} it says "
        f"{found.found}. Pass inputs that satisfy it, or export again without it.",
        found.place, found.guard, given,
    )  # fmt: skip


def _holds(place: Place, expr: Any) -> bool:
    value = place.node.meta.get("val")
    sizes = value.shape if isinstance(value, torch.Tensor) else [value]
    return any(expression(size) == expr for size in sizes)


def _misfit(place: Place, given: str, expected: str) -> MeasureError:
    return unfit(
        f"The input {place.path} is {given}, and the program takes {expected}.", place, expected, given
    )


def unfit(text: str, place: Place | None, expected: str, given: str) -> MeasureError:
    """The error of an input, with the line of the user's program that first uses it."""
    frame = None if place is None else _first_use(place)
    lines = (
        [text]
        if place is None or frame is None
        else [f"{text} {place.path} is first used", *frame_lines(frame)]
    )
    return MeasureError(
        "\n".join(lines), node=place.node.name if place else "", expected=expected, given=given,
        file=frame.file if frame else "", line=frame.line if frame else 0,
    )  # fmt: skip


def _first_use(place: Place) -> Frame | None:
    traces = (user.meta.get("stack_trace") for user in place.node.users)
    found = (users_frame(parse(trace)) for trace in traces if isinstance(trace, str) and trace.strip())
    return next((frame for frame in found if frame is not None and frame.file), None)
