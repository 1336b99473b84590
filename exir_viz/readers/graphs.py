"""An FX graph and the graphs nested in it → GraphBuilders. A graph of any shape is read: nothing is refused.

A graph is read to its end before the graphs it holds, which follow in the order in which nodes first name
them; a submodule named by two nodes is read once. Delegates are graphs too: the program a backend took.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from math import inf
from typing import Any

import torch
from torch import fx

from exir_viz.snapshot.build import OP_NUMBER, GraphBuilder, Interner, SnapshotBuilder
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.program import Delegate

from .calls import CallReader
from .checksums import MAX_BYTES, Allowance
from .kept_data import compile_spec
from .live_state import Checksums
from .metadata_checks import unexpected_fields
from .module_scopes import ScopeReader
from .payloads.reader import PayloadReader
from .payloads.source import PayloadSource
from .provenance import MetaReader, OriginReader
from .symbols import SymbolReader
from .targets import TargetReader
from .traces import TraceReader
from .values import ValueReader, type_name


class GraphReader:
    """Reads the graphs of one method; the tables are shared by all methods of the builder."""

    def __init__(self, builder: SnapshotBuilder, shared: SharedReaders, symbols: SymbolReader) -> None:
        self._builder = builder
        self._shared = shared
        self._symbols = symbols
        self._values = ValueReader(builder.values, symbols)
        self._calls = CallReader(builder, symbols)
        self._meta = MetaReader(builder, symbols)

    def read(
        self, module: torch.nn.Module, name: str, type: str = "method", parent: int = NONE
    ) -> GraphBuilder:
        """Read a module that has a graph (see `graph_of`) and everything nested in it."""
        graph = self._builder.graph(name, type, parent)
        graph.meta = tuple(sorted(map(str, getattr(module, "meta", ()))))
        positions_by_submodule: dict[str, list[int]] = {}
        positions: dict[fx.Node, int] = {}
        for node in _nodes(module):
            positions[node] = position = self._add(graph, node, positions)
            if node.op in ("get_attr", "call_module") and isinstance(
                _attribute(module, node.target), torch.nn.Module
            ):
                positions_by_submodule.setdefault(str(node.target), []).append(position)
        for target, nodes in positions_by_submodule.items():
            child = self._read_submodule(_attribute(module, target), target, graph.number)
            if child is not None:
                for position in nodes:
                    graph.holds(position, child.number)
        return graph

    def value(self, value: Any) -> int:
        """The number of a value that no node carries: state, an example input."""
        return self._values(value)

    def _read_submodule(self, submodule: Any, name: str, parent: int) -> GraphBuilder | None:
        if graph_of(submodule) is not None:
            return self.read(submodule, name, "subgraph", parent)
        if type(submodule).__name__ != "LoweredBackendModule":
            self._builder.notice("module", f"The submodule {name!r} ({type_name(submodule)}) holds no graph.")
            return None
        program = submodule.original_module
        graph = self.read(program.graph_module, name, "delegate", parent)
        from .signature import read_signature  # a delegate's program has a signature, as a method has

        graph.signature = read_signature(program.graph_signature, program.graph, None, None)
        specs = tuple(compile_spec(spec.key, spec.value) for spec in submodule.compile_specs)
        blob = submodule.processed_bytes
        read = self._shared.checksums.allowance.take(len(blob))
        graph.delegate = Delegate(submodule.backend_id, len(blob), specs, zlib.crc32(blob) if read else None)
        self._shared.payloads.read(graph, PayloadSource.of(blob, named_data(submodule)), id(blob))
        return graph

    def _add(self, graph: GraphBuilder, node: fx.Node, positions: dict[fx.Node, int]) -> int:
        meta = node.meta
        if odd := unexpected_fields(meta):
            meta = {name: value for name, value in meta.items() if name not in odd}
        shared = self._shared
        call, inputs = self._calls(node, positions)
        stack = meta.get("nn_module_stack")
        trace = meta.get("stack_trace")
        torch_fn = meta.get("torch_fn")
        source_fns = meta.get("source_fn_stack")
        origins = meta.get("from_node")
        handle = meta.get("debug_handle")
        value = self._values(meta["val"]) if "val" in meta else NONE
        if node.op == "placeholder":
            self._symbols.bind_input(node.name, meta.get("val"))
        if bindings := meta.get("unbacked_bindings"):
            self._symbols.bind_unbacked(node.name, bindings, meta.get("val"))
        return graph.add(
            node.name,
            OP_NUMBER[node.op],
            shared.targets(node),
            inputs,
            call,
            value=value,
            scope=shared.scope(stack) if stack else NONE,
            trace=shared.traces(trace) if trace else NONE,
            torch_fn=self._meta.torch_fn(torch_fn) if torch_fn else NONE,
            source_fn=self._meta.source_fns(source_fns) if source_fns else NONE,
            origin=shared.origins(origins) if origins else NONE,
            handle=NONE if handle is None else handle,
            spec=self._meta.specs(meta["spec"]) if "spec" in meta else NONE,
            extra=self._meta.extras(node.meta, odd),
        )


class SharedReaders:
    """What all methods of a program have in common: targets, scopes, traces, origins, checksums, storages.

    whole: checksums of all, however large.
    """

    def __init__(self, builder: SnapshotBuilder, *, whole: bool = False) -> None:
        self.payloads = PayloadReader(builder)
        self.checksums = Checksums(Allowance(inf if whole else MAX_BYTES))
        self.storages: Interner[Any] = Interner()
        self.targets = TargetReader(builder.targets)
        self.traces = TraceReader(builder.frames, builder.traces)
        self.origins = OriginReader(builder.origins, builder.origin_lists)
        self._scopes = ScopeReader(builder.scopes)
        self._seen: dict[tuple[Any, ...], int] = {}

    def scope(self, stack: dict[str, tuple[str, Any]]) -> int:
        """nn_module_stack → number of the innermost scope; a stack seen before costs one lookup."""
        key = tuple(stack.items())
        number = self._seen.get(key)
        if number is None:
            entries = (
                (name, path, cls if isinstance(cls, str) else type_name(cls)) for name, (path, cls) in key
            )
            number = self._seen[key] = self._scopes(entries)
        return number


def graph_of(module: object) -> fx.Graph | None:
    """The graph of a GraphModule, or of the result of torch.export.unflatten."""
    graph = getattr(module, "graph", None)
    return graph if isinstance(module, torch.nn.Module) and isinstance(graph, fx.Graph) else None


def named_data(submodule: Any) -> Callable[[str, int], bytes | None]:
    """Reads the data that a LoweredBackendModule keeps by name beside its payload."""
    store = getattr(submodule, "named_data_store_output", None)

    def read(key: str, size: int) -> bytes | None:
        entry = None if store is None else store.pte_data.get(key)
        return None if store is None or entry is None else bytes(store.buffers[entry.buffer_index][:size])

    return read


def _nodes(module: torch.nn.Module) -> Iterable[fx.Node]:
    graph = graph_of(module)
    return () if graph is None else graph.nodes


def _attribute(module: torch.nn.Module, target: Any) -> Any:
    found: Any = module
    for part in str(target).split("."):
        found = getattr(found, part, None)
    return found
