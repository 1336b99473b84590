"""What else torch keeps of a node: from_node, torch_fn, source_fn_stack, memory specs, and the rest by name.

FIELDS_READ names the fields of meta that the Snapshot has fields for. Every other one becomes an Extra, with
its text where that is short and exact.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from exir_viz.snapshot.build import Interner, SnapshotBuilder
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.records import Extra, MemorySpec, Origin, SourceFn
from exir_viz.torch_internals.export import action_text
from exir_viz.torch_internals.operators import OpOverload

from .kept_data import MAX_CUSTOM_TEXT, MAX_TEXT
from .symbols import SymbolReader, path_text
from .values import type_name

FIELDS_READ = frozenset(
    {
        "val",
        "nn_module_stack",
        "source_fn_stack",
        "torch_fn",
        "stack_trace",
        "from_node",
        "debug_handle",
        "spec",
    }
)
# A list of more than this says little on one line; containers within containers, likewise.
_MAX_ITEMS = 16
_MAX_DEPTH = 4


class OriginReader:
    """from_node → numbers of origins. Graph ids are Python's id(): they become ordinals by first sight."""

    def __init__(self, origins: Interner[Origin], lists: Interner[tuple[int, ...]]) -> None:
        self._origins = origins
        self._lists = lists
        self._graphs: Interner[int] = Interner()

    def __call__(self, sources: Iterable[Any]) -> int:
        return self._lists[tuple(map(self._read, sources))]

    def _read(self, source: Any) -> int:
        graph = self._graphs[source.graph_id]
        parents = tuple(map(self._read, source.from_node))
        action = action_text(source)
        return self._origins[Origin(source.name, source.target, source.pass_name, action, graph, parents)]


class MetaReader:
    """The remaining fields of meta → numbers of their tables."""

    def __init__(self, builder: SnapshotBuilder, symbols: SymbolReader) -> None:
        self._builder = builder
        self._symbols = symbols
        self._seen: dict[tuple[Any, ...], int] = {}

    def torch_fn(self, fn: Iterable[Any]) -> int:
        return self._builder.torch_fns[tuple(map(str, fn))]

    def source_fns(self, stack: Iterable[tuple[str, Any]]) -> int:
        return self._builder.source_fns[tuple(SourceFn(name, _function_text(fn)) for name, fn in stack)]

    def specs(self, spec: Any) -> int:
        """The memory plan of a node's values; NONE if they are not tensors."""
        leaves = spec if isinstance(spec, (list, tuple)) else [spec]
        found = tuple(self._spec(leaf) for leaf in leaves if hasattr(leaf, "mem_id"))
        return self._builder.spec_lists[found] if found else NONE

    def extras(self, meta: Mapping[Any, Any], odd: Collection[str] = ()) -> int:
        """The fields of meta that no column has, and those with an `odd` form, in meta's order."""
        rest = [(name, value) for name, value in meta.items() if name not in FIELDS_READ or name in odd]
        if not rest:
            return NONE
        # Most nodes repeat the same few fields: a key that is cheap to compare avoids making equal records.
        key = tuple(
            (str(name), type(value), None if name in odd else self._text(name, value)) for name, value in rest
        )
        number = self._seen.get(key)
        if number is None:
            extras = tuple(Extra(name, _type_text(kind), text) for name, kind, text in key)
            number = self._seen[key] = self._builder.extras[extras]
        return number

    def _text(self, name: str, value: Any) -> str | None:
        if isinstance(value, (bool, int, float, str, OpOverload)) or value is None:
            text = str(value)
        elif name == "unbacked_bindings":
            text = ", ".join(f"{symbol}: {path_text(path)}" for symbol, path in value.items())
        elif name == "custom":
            return _custom_text(value)
        elif type(value) in (list, tuple, dict) and _is_plain(value):
            text = json.dumps(value, sort_keys=True)
        else:
            return None
        return text if len(text) <= MAX_TEXT else None

    def _spec(self, spec: Any) -> MemorySpec:
        first, last = (*spec.lifetime, None, None)[:2]
        offset = spec.mem_offset
        return MemorySpec(
            dtype=str(spec.dtype).removeprefix("torch."),
            shape=tuple(self._symbols.dim(size) for size in spec.shape),
            bytes=_bytes(spec),
            mem_id=spec.mem_id,
            mem_obj_id=spec.mem_obj_id,
            offset=offset,
            lifetime=None if first is None or last is None else (int(first), int(last)),
            const=bool(spec.const),
            dim_order=tuple(int(dim) for dim in spec.dim_order),
            dynamism=spec.shape_dynamism.name.lower(),
            alignment=getattr(spec, "alignment", None),
        )


def _bytes(spec: Any) -> int | None:
    return int(spec.allocated_memory) if all(isinstance(size, int) for size in spec.shape) else None


def _function_text(fn: Any) -> str:
    if isinstance(fn, str):
        return fn
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None)
    return f"{fn.__module__}.{name}" if isinstance(name, str) else type_name(fn)


def _type_text(kind: type) -> str:
    return kind.__qualname__


def _custom_text(value: Any) -> str | None:
    """What a user put on a node, as JSON: as it is once saved, with strings for keys, and then sorted."""
    try:
        saved = json.loads(json.dumps(value, default=type_name))
    except (TypeError, ValueError, RecursionError):  # keys that JSON has not, or itself within itself
        return None
    text = json.dumps(saved, sort_keys=True)
    return text if len(text) <= MAX_CUSTOM_TEXT else None


def _is_plain(value: Any, depth: int = _MAX_DEPTH) -> bool:
    if isinstance(value, (dict, list, tuple)):
        if depth == 0 or len(value) > _MAX_ITEMS:
            return False
        if isinstance(value, dict):
            return all(isinstance(key, str) and _is_plain(item, depth - 1) for key, item in value.items())
        return all(_is_plain(item, depth - 1) for item in value)
    return value is None or isinstance(value, (bool, int, float, str))
