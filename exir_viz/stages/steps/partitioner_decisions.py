"""Record what a partitioner decided about each call: delegated, or why not and what helps.

The partitioner runs as ExecuTorch runs it. Its log messages are recorded meanwhile, and each call of the
program is examined afterwards. The partitioner itself is not changed.
"""

from __future__ import annotations

import copy
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from exir_viz.errors import as_clause
from exir_viz.torch_internals.logs import PartitionerLog, captured_partitioner_logs

from . import PhaseCallback
from .failures import op_text
from .remedies import Remedy

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram


# How Python prints a class; the group is its name.
_CLASS: Final = re.compile(r"<class '(?:\w+\.)*(\w+)'>")


class Cause(Enum):
    """Why a call was not taken."""

    STATED = auto()  # the partitioner says why
    NO_CONFIG = auto()
    CONTROL_FLOW = auto()
    SUBGRAPH = auto()  # accepted alone, but not with its neighbors
    UNKNOWN = auto()


@dataclass(frozen=True)
class Rejection:
    """Why a call was not taken. `text` is a sentence without its full stop, that names the partitioner."""

    cause: Cause
    text: str
    # What the partitioner says itself; "" where it says nothing.
    stated: str = ""
    is_float32: bool = False

    def remedy(self, title: str) -> str:
        """What would make the backend of this title accept the call."""
        found = (remedy for word, remedy in _STATED_REMEDIES.items() if word in self.stated)
        remedy = next(found, _REMEDIES[self.cause])
        if remedy is Remedy.FLOAT and self.is_float32:
            remedy = Remedy.COMPARE_LIMITS  # XNNPACK says so of calls with symbolic sizes too
        return remedy.format(title=title)


_REMEDIES: Final = {
    Cause.NO_CONFIG: Remedy.SUPPORTED_OPS,
    Cause.CONTROL_FLOW: Remedy.OUT_OF_BRANCH,
    Cause.SUBGRAPH: Remedy.SECOND_BACKEND,
    Cause.UNKNOWN: Remedy.COMPARE_LIMITS,
    Cause.STATED: Remedy.AS_STATED,
}
# A word of what ExecuTorch's partitioners say, and what helps; the first that is found counts.
_STATED_REMEDIES: Final = {
    "no operator implementation": Remedy.SUPPORTED_OPS,
    "static": Remedy.PARAMETER,
    "dtype": Remedy.FLOAT,
    "precision": Remedy.PRECISION,
    "ynamic": Remedy.STATIC,
    "ymbolic": Remedy.STATIC,
}


@dataclass(frozen=True)
class Decision:
    """What was decided about one call of the graph that the partitioner saw. `rejection`: why not."""

    node: fx.Node
    rejection: Rejection | None = None


@dataclass(eq=False)
class WatchedPartitioner:
    """A partitioner with a name to show; `verdicts` is filled while it runs."""

    partitioner: Any
    title: str
    verdicts: list[Decision] = field(default_factory=list)

    def recording_copy(self, report: PhaseCallback) -> Any:
        """A copy of the partitioner, of the same class, that records its decisions and reports when it
        works.
        """
        recording_copy = copy.copy(self.partitioner)
        recording_copy.partition = partial(self._partition, report)
        return recording_copy

    def _partition(self, report: PhaseCallback, program: ExportedProgram) -> Any:
        report(f"partitioning for {self.title}")
        with captured_partitioner_logs() as log:
            result = self.partitioner.partition(program)
        self.verdicts += self._judged(result.tagged_exported_program, log)
        report(f"lowering to {self.title}")
        return result

    def _judged(self, program: ExportedProgram, log: PartitionerLog) -> Iterator[Decision]:
        for path, module in program.graph_module.named_modules():
            for node in getattr(getattr(module, "graph", None), "nodes", ()):
                if node.op != "call_function" or not _is_op(node):
                    continue
                if "delegation_tag" in node.meta:
                    yield Decision(node)
                else:
                    yield Decision(node, self._rejection(program, node, bool(path), log))

    def _rejection(
        self, program: ExportedProgram, node: fx.Node, inner: bool, log: PartitionerLog
    ) -> Rejection:
        stated = log.of(node, "" if inner else op_text(node))
        if stated:
            why = as_clause(_CLASS.sub(r"\1", stated))
            text = f"{self.title}: {why}{_dtypes(node) if 'dtype' in stated else ''}"
            return Rejection(Cause.STATED, text, stated, _is_float32(node))
        configs = getattr(self.partitioner, "target_partitioner_configs", None)
        if isinstance(configs, dict):
            return self._by_config(configs, program, node, inner)
        text = f"{self.title} gives no reason"
        if inner:
            return Rejection(Cause.CONTROL_FLOW, f"{text}, and may not support branches and loops")
        return Rejection(Cause.UNKNOWN, text)

    def _by_config(
        self, configs: dict[str, Any], program: ExportedProgram, node: fx.Node, inner: bool
    ) -> Rejection:
        """Reasons that ExecuTorch's config-based partitioner (XNNPACK's) does not report itself."""
        if inner:
            return Rejection(Cause.CONTROL_FLOW, f"{self.title} does not support branches and loops")
        name = op_text(node).split(".")
        config = configs.get(".".join(name[1:] if len(name) > 2 else name))
        if config is None:
            return Rejection(Cause.NO_CONFIG, f"{self.title} has no config for {op_text(node)}")
        kind = type(config).__name__
        if config.check_constraints(node, program):
            text = f"{self.title}'s {kind} accepts it alone, but not in this subgraph"
            return Rejection(Cause.SUBGRAPH, text)
        return Rejection(Cause.UNKNOWN, f"{self.title}'s {kind} rejects this call and gives no reason")


def _is_op(node: fx.Node) -> bool:
    """Whether a partitioner can accept a node: not delegates, control flow or getitem."""
    from exir_viz.torch_internals.operators import schema_of

    return schema_of(node.target) is not None and node.target is not operator.getitem


def _is_float32(node: fx.Node) -> bool:
    """Whether all inputs and outputs of a call are float32 already."""
    return {dtype for one in (*node.all_input_nodes, node) if (dtype := _dtype(one))} == {"float32"}


def _dtypes(node: fx.Node) -> str:
    """The input and output dtypes that a reason is about."""
    given = dict.fromkeys(_dtype(one) or _symbol_type(one) for one in node.all_input_nodes)
    inputs = ", ".join(one for one in given if one)
    return f" (from {inputs or 'nothing'} to {_dtype(node) or 'no tensor'})"


def _dtype(node: fx.Node) -> str:
    value: Any = node.meta.get("val")
    values = value if isinstance(value, (list, tuple)) else [value]
    found = dict.fromkeys(str(one.dtype).removeprefix("torch.") for one in values if hasattr(one, "dtype"))
    return "/".join(found)


def _symbol_type(node: fx.Node) -> str:
    """The type of an input that is no tensor, such as the SymInt of a dynamic size; "" for others."""
    import torch

    value = node.meta.get("val")
    return type(value).__name__ if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)) else ""
