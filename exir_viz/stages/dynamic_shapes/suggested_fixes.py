"""Read torch's error about dynamic shapes, and change the cells as torch suggests, without torch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from exir_viz.stages.live import NotPossible
from exir_viz.stages.records import InputDim

from .dimension_spec import Cells, DimensionKind, DimensionSpec, parse, parse_all

Mended = dict[str, dict[str, str]]

_SUGGESTED: Final = "Suggested fixes:"
_ASSIGNMENT: Final = re.compile(r"\s*([A-Za-z_]\w*) = (.+?)\s*")
_DIM: Final = re.compile(r"Dim\('(\w+)'(?:, min=(\d+))?(?:, max=(\w+))?\)")
_OUTSIDE: Final = re.compile(r"(\d+) not in range \[(\d+), (\w+)\]")
_SOURCE: Final = re.compile(r"(L\['.+?)\.size\(\)\[(\d+)\]")
# A dimension that torch should infer must have another kind.
_SPECIALISED: Final = "your code specialized it to be a constant"
_RELATED: Final = "Expected input"
_MISMATCH: Final = "must always be"


def suggested_cells(message: str, cells: Cells, rows: Iterable[InputDim]) -> Mended | None:
    """The cells with torch's suggestions applied; None if torch suggests nothing."""
    known = tuple(rows)
    mended = _named(message, cells) or _found(message, cells, known) or _widened(message, cells, known)
    return mended if mended and mended != {name: dict(dims) for name, dims in cells.items()} else None


def complaints(message: str) -> tuple[str, ...]:
    """torch's complaints, a sentence each."""
    return tuple(line[4:].strip() for line in message.splitlines() if line.startswith("  - "))


def out_of_bounds(message: str, cells: Cells, rows: Iterable[InputDim]) -> tuple[tuple[str, InputDim], ...]:
    """The dimensions whose example size is outside the requested bounds, a sentence each."""
    found = _OUTSIDE.search(message)
    if found is None:
        return ()
    known = {(row.input, str(row.dim)): row for row in rows}
    wrong = _roots_of(int(found[1]), cells, known.values())
    return tuple(
        (
            (
                f"{name}, dimension {position}, is {row.size} in the example inputs, which is outside "
                f"{choice}."
            ),
            row,
        )
        for name, position, choice in parse_all(cells)
        if choice.root in wrong and (row := known.get((name, position))) is not None
    )


def rows_named(text: str, rows: Iterable[InputDim]) -> tuple[InputDim, ...]:
    """The dimensions that a complaint names, in torch's notation: L['x'].size()[0]."""
    named = set(_SOURCE.findall(text))
    return tuple(
        row for row in rows if any((source, str(row.dim)) in named for source in _sources(row.input))
    )


def _named(message: str, cells: Cells) -> Mended | None:
    """Apply suggestions about names: bounds, a constant or a relation."""
    _, found, lines = message.partition(_SUGGESTED)
    if not found:
        return None
    fixes: dict[str, DimensionSpec] = {}
    for line in lines.splitlines():
        match = _ASSIGNMENT.fullmatch(line)
        choice = _suggestion(match[2]) if match else None
        if match and choice:
            fixes[match[1]] = choice
    return _mended(cells, lambda choice: _replaced(choice, fixes))


def _suggestion(text: str) -> DimensionSpec | None:
    found = _DIM.fullmatch(text)
    if found:
        lower = int(found[2]) if found[2] else None
        upper = int(found[3]) if found[3] and found[3].isdigit() else None
        return DimensionSpec(DimensionKind.NAMED, found[1], lower=lower, upper=upper)
    try:
        return parse(text)
    except NotPossible:
        return None


def _replaced(choice: DimensionSpec, fixes: dict[str, DimensionSpec]) -> DimensionSpec:
    """The text of a cell after its name was fixed; a relation to a fixed name becomes fixed too."""
    fix = fixes.get(choice.root)
    if choice.kind is not DimensionKind.NAMED or fix is None:
        return choice
    if fix.kind is not DimensionKind.NAMED:
        return DimensionSpec()
    bound = fixes.get(fix.root, fix)
    return replace(
        fix,
        factor=choice.factor * fix.factor,
        offset=choice.factor * fix.offset + choice.offset,
        lower=bound.lower,
        upper=bound.upper,
    )


def _found(message: str, cells: Cells, rows: tuple[InputDim, ...]) -> Mended | None:
    """Let torch infer unnamed dimensions that the program makes constant or related."""
    wrong = {
        (row.input, str(row.dim))
        for line in (*complaints(message), *message.splitlines()[:1])
        if any(sign in line for sign in (_SPECIALISED, _RELATED, _MISMATCH))
        for row in rows_named(line, rows)
    }
    if not wrong:
        return None
    mended = {name: dict(dims) for name, dims in cells.items()}
    for name, position in wrong:
        mended.setdefault(name, {})[position] = DimensionKind.AUTO.value
    return mended


def _widened(message: str, cells: Cells, rows: tuple[InputDim, ...]) -> Mended | None:
    """Widen bounds that exclude the example input."""
    found = _OUTSIDE.search(message)
    if found is None:
        return None
    size = int(found[1])
    roots = _roots_of(size, cells, rows)
    return _mended(cells, lambda choice: _with(choice, size) if choice.root in roots else choice)


def _roots_of(size: int, cells: Cells, rows: Iterable[InputDim]) -> set[str]:
    """The names whose size the example inputs give."""
    sizes = {(row.input, str(row.dim)): row.size for row in rows}
    return {
        choice.root
        for name, position, choice in parse_all(cells)
        if choice.kind is DimensionKind.NAMED
        and sizes.get((name, position)) == choice.factor * size + choice.offset
    }


def _with(choice: DimensionSpec, size: int) -> DimensionSpec:
    lower = None if choice.lower is None else min(choice.lower, size)
    upper = None if choice.upper is None else max(choice.upper, size)
    return replace(choice, lower=lower, upper=upper)


def _mended(cells: Cells, change: Callable[[DimensionSpec], DimensionSpec]) -> Mended:
    return {
        name: {str(position): str(change(parse(str(text)))) for position, text in dims.items()}
        for name, dims in cells.items()
    }


def _sources(path: str) -> tuple[str, ...]:
    """A path in torch's notation: x → L['x'], table["a"][0] → L['table']['a'][0], args_0 → L['args'][0]."""
    head = re.match(r"(([A-Za-z]\w*?)(?:_(\d+))?)(?!\w)", path)
    if head is None:
        return ()
    rest = path[head.end() :].replace('"', "'")
    return f"L['{head[1]}']{rest}", *([f"L['{head[2]}'][{head[3]}]{rest}"] if head[3] else [])
