"""How each table of the schema is laid out: worked out once from its Python type.

A union takes two places in its table (which member it is, then where); everything else takes one.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from .schema import Table


class Kind(Enum):
    """What a field holds: a number in place, or the offset of something."""

    SCALAR = "scalar"
    STRING = "string"
    BYTES = "bytes"
    TABLE = "table"
    UNION = "union"
    SCALARS = "scalars"
    TABLES = "tables"


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `letter` is struct's, of a scalar or of a vector's scalars; `tables` those it may hold."""

    name: str
    kind: Kind
    slot: int
    letter: str = ""
    tables: tuple[type[Table], ...] = ()


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table's fields, the defaults of its absent ones, and how many slots of a vtable it knows."""

    fields: tuple[Field, ...]
    defaults: tuple[Any, ...]
    slots: int


@cache
def layout_of(table: type[Table]) -> TableLayout:
    """The layout of a table type."""
    fields: list[Field] = []
    slot = 0
    for name, hint in get_type_hints(table, include_extras=True).items():
        field = _field(name, hint, slot)
        fields.append(field)
        slot += 2 if field.kind is Kind.UNION else 1
    return TableLayout(tuple(fields), table.__struct_defaults__, slot)


def _field(name: str, hint: Any, slot: int) -> Field:
    if hint is str:
        return Field(name, Kind.STRING, slot)
    if hint is memoryview:
        return Field(name, Kind.BYTES, slot)
    if get_origin(hint) is Annotated:
        return Field(name, Kind.SCALAR, slot, hint.__metadata__[0])
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        if get_origin(item) is Annotated:
            return Field(name, Kind.SCALARS, slot, item.__metadata__[0])
        return Field(name, Kind.TABLES, slot, tables=(item,))
    if get_origin(hint) in (Union, types.UnionType):
        tables = tuple(member for member in get_args(hint) if member is not type(None))
        return Field(name, Kind.TABLE if len(tables) == 1 else Kind.UNION, slot, tables=tables)
    raise TypeError(f"field {name!r} has a type that no table of a flatbuffer has: {hint!r}")
