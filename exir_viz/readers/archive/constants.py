"""Arguments that name no node: numbers, strings, dtypes, devices, lists of them → Arg, as torch has them."""

from __future__ import annotations

from typing import Final

import msgspec

from exir_viz.readers.archive.context import MemberPlace, brief
from exir_viz.readers.archive.schema import Complex, Device, Number
from exir_viz.readers.archive.values import LAYOUTS, MEMORY_FORMATS, to_float
from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.records import Arg, Literal, LiteralType, OpArg, SequenceArg

NONE: Final = literal_of(None)

# The kinds, and the types of their values. Equal bytes are the same argument everywhere.
DECODERS: Final[dict[str, msgspec.json.Decoder[object]]] = {
    kind: msgspec.json.Decoder(shape)
    for kind, shape in {
        # executorch.exir.save writes [] for None, and a bool that is an input as a number
        "as_none": bool | list[object],
        "as_int": int | bool,
        "as_ints": list[int],
        "as_int_lists": list[list[int]],
        "as_float": Number,
        "as_floats": list[Number],
        "as_float_lists": list[list[Number]],
        "as_string": str,
        "as_strings": list[str],
        "as_bool": bool,
        "as_bools": list[bool],
        "as_complex": Complex,
        "as_scalar_type": int,
        "as_memory_format": int,
        "as_layout": int,
        "as_device": Device,
        "as_operator": str,
    }.items()
}


class ConstantReader:
    """Constants of one program; `dtypes` are torch's, by the numbers that the program gives them."""

    def __init__(self, dtypes: dict[int, str]) -> None:
        self._dtypes = dtypes
        self._seen: dict[tuple[str, bytes], Arg] = {}

    def __call__(self, kind: str, raw: msgspec.Raw, place: MemberPlace) -> Arg:
        """A constant of one of the kinds of DECODERS."""
        key = (kind, bytes(raw))
        known = self._seen.get(key)
        if known is None:
            value = place.decode(DECODERS[kind].decode, raw, "an argument")
            place.spend(size_of(value))
            known = self._seen[key] = self._read(kind, value, place)
        return known

    def _read(self, kind: str, value: object, place: MemberPlace) -> Arg:
        match kind, value:
            case "as_none", _:
                return NONE
            case "as_operator", str():
                return OpArg(value)
            case "as_device", Device():
                text = value.type if value.index is None else f"{value.type}:{value.index}"
                return Literal(LiteralType.DEVICE, text)
            case "as_complex", Complex():
                parts = (to_float(value.real, place), to_float(value.imag, place))
                return literal_of(complex(*parts))
            case "as_scalar_type" | "as_layout" | "as_memory_format", int():
                return self._numbered(kind, value, place)
            case "as_float", _:
                return _float(value, place)
            case "as_floats", list():
                return SequenceArg("list", _floats(value, place))
            case "as_float_lists", list():
                return SequenceArg("list", tuple(SequenceArg("list", _floats(one, place)) for one in value))
            case "as_int_lists", list():
                return SequenceArg(
                    "list", tuple(SequenceArg("tuple", tuple(map(literal_of, one))) for one in value)
                )
            case _, list():
                return SequenceArg("list", tuple(map(literal_of, value)))
            case _, bool() | int() | str():
                return literal_of(value)
        raise place.malformed(f"{brief(kind)} is not a kind of argument")

    def _numbered(self, kind: str, number: int, place: MemberPlace) -> Literal:
        table, type_ = {
            "as_scalar_type": (self._dtypes, LiteralType.DTYPE),
            "as_layout": (LAYOUTS, LiteralType.LAYOUT),
            "as_memory_format": (MEMORY_FORMATS, LiteralType.MEMORY_FORMAT),
        }[kind]
        name = table.get(number)
        if name is None:
            raise place.malformed(f"{number} is not the number of a {type_.value}")
        return Literal(type_, f"torch.{name}")


def size_of(value: object) -> int:
    """Records that a decoded argument makes."""
    if not isinstance(value, (list, dict)):
        return 1
    return 1 + sum(map(size_of, value)) if isinstance(value, list) else 1 + len(value)


def _float(value: object, place: MemberPlace) -> Literal:
    assert isinstance(value, (int, float, str))
    return literal_of(to_float(value, place))


def _floats(values: list[object], place: MemberPlace) -> tuple[Literal, ...]:
    return tuple(_float(value, place) for value in values)
