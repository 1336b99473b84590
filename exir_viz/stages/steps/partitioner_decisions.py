"""Record what a partitioner decided about each call: delegated, or why not.

The partitioner runs as ExecuTorch runs it. Its log messages are recorded meanwhile, and each call of the
program is examined afterwards. The partitioner itself is not changed.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from exir_viz.torch_internals.partitioner_logs import PartitionerLog, captured_partitioner_logs

from .failures import op_text

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram


@dataclass(frozen=True)
class Decision:
    """What was decided about one call of the graph that the partitioner saw. `reason`: why not."""

    node: fx.Node
    taken: bool
    reason: str = ""


@dataclass(eq=False)
class WatchedPartitioner:
    """A partitioner with a name to show; `verdicts` is filled while it runs."""

    partitioner: Any
    title: str
    verdicts: list[Decision] = field(default_factory=list)

    def twin(self) -> Any:
        """A copy of the partitioner, of the same class, that records its decisions."""
        twin = copy.copy(self.partitioner)
        twin.partition = self._partition
        return twin

    def _partition(self, program: ExportedProgram) -> Any:
        with captured_partitioner_logs() as said:
            result = self.partitioner.partition(program)
        self.verdicts += self._judged(result.tagged_exported_program, said)
        return result

    def _judged(self, program: ExportedProgram, said: PartitionerLog) -> Iterator[Decision]:
        for path, module in program.graph_module.named_modules():
            for node in getattr(getattr(module, "graph", None), "nodes", ()):
                if node.op != "call_function" or not _is_op(node):
                    continue
                taken = "delegation_tag" in node.meta
                yield Decision(node, taken, "" if taken else self._reason(program, node, bool(path), said))

    def _reason(self, program: ExportedProgram, node: fx.Node, inner: bool, said: PartitionerLog) -> str:
        """A sentence without its full stop, that names the partitioner."""
        reason = said.of(node, "" if inner else op_text(node))
        if reason:
            return f"{self.title}: {reason.rstrip('.')}{_dtypes(node) if 'dtype' in reason else ''}"
        configs = getattr(self.partitioner, "target_partitioner_configs", None)
        if isinstance(configs, dict):
            return self._by_config(configs, program, node, inner)
        return f"{self.title} gives no reason{', and may not support branches and loops' if inner else ''}"

    def _by_config(
        self, configs: dict[str, Any], program: ExportedProgram, node: fx.Node, inner: bool
    ) -> str:
        """Reasons that ExecuTorch's config-based partitioner (XNNPACK's) does not report itself."""
        if inner:
            return f"{self.title} does not support branches and loops"
        name = op_text(node).split(".")
        config = configs.get(".".join(name[1:] if len(name) > 2 else name))
        if config is None:
            return f"{self.title} has no config for {op_text(node)}"
        kind = type(config).__name__
        if config.check_constraints(node, program):
            return f"{self.title}'s {kind} accepts it alone, but not in this subgraph"
        return f"{self.title}'s {kind} rejects this call and gives no reason"


def _is_op(node: fx.Node) -> bool:
    """Whether a partitioner can accept a node: not delegates, control flow or getitem."""
    from exir_viz.torch_internals.operators import schema_of

    return schema_of(node.target) is not None and node.target is not operator.getitem


def _dtypes(node: fx.Node) -> str:
    """The input and output dtypes that a reason is about."""
    given = dict.fromkeys(_dtype(one) for one in node.all_input_nodes)
    inputs = ", ".join(one for one in given if one)
    return f" (from {inputs or 'nothing'} to {_dtype(node) or 'no tensor'})"


def _dtype(node: fx.Node) -> str:
    value: Any = node.meta.get("val")
    values = value if isinstance(value, (list, tuple)) else [value]
    found = dict.fromkeys(str(one.dtype).removeprefix("torch.") for one in values if hasattr(one, "dtype"))
    return "/".join(found)
