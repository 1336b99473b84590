"""Parse the text of one dimension, and write it again. Plain text and plain data, without torch.

static            as the example input has it; its size, as a number, means the same
dynamic, auto     torch's Dim.DYNAMIC and Dim.AUTO, with bounds if wanted: "auto in 2..64"
batch             a name; dimensions of one name are equal; with bounds "batch in 2..64", "batch in 2.."
2*batch + 1       a relation to a name, whose bounds may follow: "2*half, half in 1..32"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from exir_viz.stages.live import NotPossible

# Texts by input ("x", "table['a']"), then by position as text ("0"; "" if the input is a number).
Cells = Mapping[str, Mapping[str, str]]

_RANGE: Final = r"(?P<lower>\d*)\s*\.\.\s*(?P<upper>\d*)"
_CELL: Final = re.compile(
    rf"\s*(?:(?P<factor>\d+)\s*\*\s*)?(?P<root>[A-Za-z_]\w*)(?:\s*(?P<offset>[+-]\s*\d+))?"
    rf"(?:\s*,\s*(?P<bound>[A-Za-z_]\w*))?(?:\s+in\s+{_RANGE})?\s*"
)
_NUMBER: Final = re.compile(r"\s*\d+\s*")
_HELP: Final = (
    "Write static, dynamic or auto; a name such as batch; a name with bounds such as 'batch "
    "in 2..64'; or a relation such as 2*batch + 1."
)


class DimensionKind(StrEnum):
    """What a dimension may do."""

    STATIC = "static"
    DYNAMIC = "dynamic"
    AUTO = "auto"
    NAMED = "named"


@dataclass(frozen=True)
class DimensionSpec:
    """A dimension is `factor * root + offset`, where `root` is a name within the bounds."""

    kind: DimensionKind = DimensionKind.STATIC
    root: str = ""
    factor: int = 1
    offset: int = 0
    lower: int | None = None
    upper: int | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is the name itself, not a relation to it."""
        return self.factor == 1 and self.offset == 0

    def __str__(self) -> str:
        if self.kind is DimensionKind.STATIC:
            return self.kind.value
        if self.kind is not DimensionKind.NAMED:
            return f"{self.kind.value}{self._bounds()}"
        text = f"{self.factor}*{self.root}" if self.factor != 1 else self.root
        if self.offset:
            text += f" {'+' if self.offset > 0 else '-'} {abs(self.offset)}"
        bounds = self._bounds()
        return text + (bounds if self.is_plain or not bounds else f", {self.root}{bounds}")

    def _bounds(self) -> str:
        if self.lower is None and self.upper is None:
            return ""
        lower, upper = ("" if one is None else str(one) for one in (self.lower, self.upper))
        return f" in {lower}..{upper}"


def parse(text: str) -> DimensionSpec:
    """Parse the text of a cell. Raises NotPossible, with examples of valid texts."""
    if _NUMBER.fullmatch(text) or not text.strip():
        return DimensionSpec()
    found = _CELL.fullmatch(text)
    bad = NotPossible(f"Cannot read the dimension {text.strip()!r}. {_HELP}")
    if found is None:
        raise bad
    root = found["root"]
    factor, offset = int(found["factor"] or 1), int((found["offset"] or "0").replace(" ", ""))
    lower, upper = (int(found[end]) if found[end] else None for end in ("lower", "upper"))
    kind = next(
        (one for one in DimensionKind if one.value == root and one is not DimensionKind.NAMED),
        DimensionKind.NAMED,
    )
    choice = DimensionSpec(kind, root if kind is DimensionKind.NAMED else "", factor, offset, lower, upper)
    named_bound = found["bound"] or (root if choice.is_plain else "")
    if factor < 1 or (kind is not DimensionKind.NAMED and not choice.is_plain):
        raise bad
    if (lower is not None or upper is not None) and named_bound != root:
        raise bad
    if kind is DimensionKind.STATIC and (lower is not None or upper is not None):
        raise bad
    if lower is not None and upper is not None and lower >= upper:
        raise NotPossible(f"Cannot let {root} vary in {lower}..{upper}: no size fits these bounds.")
    return choice


def parse_all(cells: Cells) -> Iterator[tuple[str, str, DimensionSpec]]:
    """Parse all cells."""
    for name, dims in cells.items():
        if not isinstance(dims, Mapping):
            raise NotPossible(f"Cannot read the dimensions of {name!r}: pass {{position: text}}. {_HELP}")
        for position, text in dims.items():
            yield name, str(position), parse(str(text))


def bounds(cells: Cells) -> dict[str, DimensionSpec]:
    """The bounds of each name: the intersection of those in its cells."""
    found: dict[str, DimensionSpec] = {}
    for _, _, choice in parse_all(cells):
        if choice.kind is not DimensionKind.NAMED:
            continue
        before = found.get(choice.root, DimensionSpec(DimensionKind.NAMED, choice.root))
        lower = max(_known(before.lower, choice.lower), default=None)
        upper = min(_known(before.upper, choice.upper), default=None)
        if lower is not None and upper is not None and lower >= upper:
            raise NotPossible(
                f"Cannot let {choice.root} vary in {lower}..{upper}: its bounds contradict each other."
            )
        found[choice.root] = replace(before, lower=lower, upper=upper)
    return found


def _known(*limits: int | None) -> list[int]:
    return [limit for limit in limits if limit is not None]
