"""A node's metadata strings → numbers of the tables; equal bytes are read once.

torch writes six fields, each as a string in its own format. Any other field becomes an Extra, as in a live
program, so nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from exir_viz.readers.archive import limits
from exir_viz.readers.archive.context import MemberPlace, brief
from exir_viz.readers.archive.schema import Source, Union
from exir_viz.readers.kept_data import MAX_CUSTOM_TEXT, MAX_TEXT, json_text
from exir_viz.readers.module_scopes import ScopeReader
from exir_viz.readers.traces import TraceReader
from exir_viz.snapshot.build import Interner, SnapshotBuilder
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.records import Extra, Origin, SourceFn

_SEPARATOR: Final = ";"
_OPENING, _CLOSING = "[(", "])"

string_decoder: Final = msgspec.json.Decoder(str)
origin_decoder: Final = msgspec.json.Decoder(list[Source | None] | None)
plain_decoder: Final = msgspec.json.Decoder()


class Metadata(NamedTuple):
    """One node's metadata; `extras` are those that the file has, in torch's order."""

    scope: int = NONE
    trace: int = NONE
    torch_fn: int = NONE
    source_fn: int = NONE
    origin: int = NONE
    handle: int = NONE
    extras: tuple[Extra, ...] = ()


class MetadataReader:
    """Shared by all methods of a file, as its tables are."""

    def __init__(self, builder: SnapshotBuilder) -> None:
        self._builder = builder
        self._scopes = ScopeReader(builder.scopes)
        self._traces = TraceReader(builder.frames, builder.traces)
        self._graphs: Interner[str] = Interner()
        self._seen: dict[tuple[str, bytes], int] = {}
        self._readers: dict[str, Callable[[str, MemberPlace], int]] = {
            "stack_trace": lambda text, _: self._traces(text),
            "nn_module_stack": self._scope,
            "torch_fn": lambda text, _: self._builder.torch_fns[tuple(text.split(_SEPARATOR))],
            "source_fn_stack": self._source_fns,
            "from_node": self._origins,
            "debug_handle": _handle,
        }

    def __call__(self, metadata: Union, place: MemberPlace) -> Metadata:
        numbers: dict[str, int] = {}
        extras: list[Extra] = []
        for name, raw in metadata.items():
            reader = self._readers.get(name)
            if reader is None:
                extras.append(_extra(name, _string(name, bytes(raw), place), place))
                place.spend(1)
                continue
            key = (name, bytes(raw))
            number = self._seen.get(key)
            if number is None:
                text = _string(name, key[1], place)
                place.spend(1 + text.count("\n") + text.count(_SEPARATOR))
                number = self._seen[key] = reader(text, place) if text else NONE
            numbers[name] = number
        return Metadata(
            scope=numbers.get("nn_module_stack", NONE),
            trace=numbers.get("stack_trace", NONE),
            torch_fn=numbers.get("torch_fn", NONE),
            source_fn=numbers.get("source_fn_stack", NONE),
            origin=numbers.get("from_node", NONE),
            handle=numbers.get("debug_handle", NONE),
            extras=tuple(extras),
        )

    def _scope(self, text: str, place: MemberPlace) -> int:
        stack: dict[str, tuple[str, str]] = {}
        for entry in text.split(_SEPARATOR):
            parts = _split(entry)
            if len(parts) != 3:
                raise place.malformed(
                    f"{brief(entry)} in its nn_module_stack has {plural(len(parts), 'part')}, not 3"
                )
            stack[parts[0]] = (parts[1], parts[2])
        if len(stack) > limits.MAX_SCOPE_DEPTH:
            raise place.too_large(f"its nn_module_stack has {plural(len(stack), 'module')}")
        return self._scopes((key, path, cls) for key, (path, cls) in stack.items())

    def _source_fns(self, text: str, place: MemberPlace) -> int:
        found: list[SourceFn] = []
        for entry in text.split(_SEPARATOR):
            name, comma, target = entry.partition(",")
            if not comma:
                raise place.malformed(f"{brief(entry)} in its source_fn_stack names no function")
            found.append(SourceFn(name, target))
        return self._builder.source_fns[tuple(found)]

    def _origins(self, text: str, place: MemberPlace) -> int:
        sources = place.decode(origin_decoder.decode, text, "its from_node")
        found = tuple(self._origin(one, place, limits.MAX_ORIGIN_DEPTH) for one in sources or () if one)
        return self._builder.origin_lists[found] if found else NONE

    def _origin(self, source: Source, place: MemberPlace, depth: int) -> int:
        if depth == 0:
            raise place.too_large(f"its from_node is nested over {limits.MAX_ORIGIN_DEPTH} deep")
        place.spend(1)
        # By its text: a dict of numbers that a file chooses can be made slow.
        graph = self._graphs[str(source.graph_id)]
        parents = tuple(self._origin(one, place, depth - 1) for one in source.from_node or () if one)
        action = "+".join(part for part in source.action.lower().split("+") if part in ("create", "replace"))
        return self._builder.origins[
            Origin(source.name, source.target, source.pass_name, action, graph, parents)
        ]


def _string(name: str, raw: bytes, place: MemberPlace) -> str:
    """A string of metadata."""
    if len(raw) > limits.MAX_STRING_BYTES:
        raise place.too_large(f"its {brief(name)} has {len(raw):,} bytes")
    return place.decode(string_decoder.decode, raw, f"its {brief(name)}")


def _handle(text: str, place: MemberPlace) -> int:
    try:
        handle = int(text)
    except ValueError as error:
        raise place.malformed(f"its debug_handle is {brief(text)}") from error
    if not 0 <= handle <= limits.MAX_DIM:
        raise place.malformed(f"its debug_handle is {handle}")
    return handle


def _extra(name: str, text: str, place: MemberPlace) -> Extra:
    if name != "custom":
        return Extra(name, "str", text if len(text) <= MAX_TEXT else None)
    value = place.decode(plain_decoder.decode, text, "its custom metadata")
    try:
        text = json_text(value)
    except ValueError as error:
        raise place.too_large(f"its custom metadata {error}") from error
    return Extra(name, type(value).__qualname__, text if len(text) <= MAX_CUSTOM_TEXT else None)


def _split(entry: str) -> list[str]:
    """At its commas, but not within brackets: a class may be `Dict[str, int]`."""
    if "[" not in entry and "(" not in entry and ")" not in entry and "]" not in entry:
        return entry.split(",")
    parts: list[str] = []
    start = depth = 0
    for at, letter in enumerate(entry):
        if letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(entry[start:at])
            start = at + 1
    return [*parts, entry[start:]]
