"""What a backend would run of a program: its partitioner decides, and nothing is delegated.

The partitioner sees the program that a backend step gives it, so it decides the same. The step stops there,
which spares what a backend does to compile. Decisions are read back to the nodes that the program has now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from exir_viz.snapshot.program import Dialect
from exir_viz.stages.live import LivePrograms
from exir_viz.stages.output_capture import discarded_output
from exir_viz.stages.program_copies import copy_programs
from exir_viz.stages.step_runner import runner

from .steps import PhaseCallback
from .steps.delegation_reasons import Decision, WatchedPartitioner
from .steps.edge import config_of
from .steps.failures import NodeOrigins, failure, op_text
from .steps.partitioners import watched_partitioner

if TYPE_CHECKING:
    from torch.export import ExportedProgram

_LOWERED: Final = (Dialect.EDGE, Dialect.BACKEND)


@dataclass(frozen=True)
class CallDecision:
    """Whether a backend would run a call. `op` is what the node has become then.

    reason: why not, "" if it would. remedy: what would make the backend accept it.
    """

    node: str
    op: str
    reason: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class BackendTrial:
    """What a backend would run. `failure` says why it could not be tried; "" if it was."""

    title: str
    decisions: tuple[CallDecision, ...] = ()
    failure: str = ""
    by_node: Mapping[str, tuple[CallDecision, ...]] = field(init=False)

    def __post_init__(self) -> None:
        found: dict[str, list[CallDecision]] = {}
        for one in self.decisions:
            found.setdefault(one.node, []).append(one)
        object.__setattr__(self, "by_node", {node: tuple(several) for node, several in found.items()})


def try_backend(live: LivePrograms, dialect: Dialect, backend: object) -> BackendTrial:
    """Ask the partitioner of a backend, by name or as it is. The programs are not changed.

    Raises NotPossible where there is no such backend.
    """
    with discarded_output():
        watched = watched_partitioner(backend)
    try:
        title = f"Asking {watched.title}"
        return runner.perform(title, lambda report: _tried(live, dialect, watched, report)).value
    except Exception as error:  # noqa: BLE001  # ExecuTorch and backends raise what they like: it is reported
        return BackendTrial(watched.title, failure=failure(error).reason)


def _tried(
    live: LivePrograms, dialect: Dialect, watched: WatchedPartitioner, report: PhaseCallback
) -> BackendTrial:
    copy = copy_programs(live)
    origins = NodeOrigins(replace(live, copies={id(graph): path for path, graph in copy.live.graphs()}))
    for name, program in copy.live.programs.items():
        deciding = _Deciding(watched, report)
        if dialect in _LOWERED:
            deciding.decide(program)
        else:
            deciding.lower(name, program, config_of(copy.live, {"check_ir": False}))
    return BackendTrial(watched.title, tuple(_call(one, origins, watched.title) for one in watched.verdicts))


def _call(decision: Decision, origins: NodeOrigins, title: str) -> CallDecision:
    rejection = decision.rejection
    node, op = origins.of(decision.node), op_text(decision.node)
    if rejection is None:
        return CallDecision(node, op)
    return CallDecision(node, op, f"{rejection.text}.", rejection.remedy(title))


class _Decided(Exception):  # no error: it ends the lowering once the partitioner has decided
    pass


class _Deciding:
    """A partitioner that stops the lowering after its decision."""

    def __init__(self, watched: WatchedPartitioner, report: PhaseCallback) -> None:
        self._partitioner = watched.recording_copy(report)
        self.decide = self._partitioner.partition
        self._has_decided = False
        self._partitioner.partition = self._stop

    def _stop(self, program: ExportedProgram) -> Any:
        self.decide(program)
        self._has_decided = True
        raise _Decided

    def lower(self, method: str, program: ExportedProgram, config: Any) -> None:
        """Lower one method until the partitioner has decided."""
        from executorch.exir import to_edge_transform_and_lower

        try:
            to_edge_transform_and_lower(
                {method: program}, partitioner={method: [self._partitioner]}, compile_config=config
            )
        except Exception:  # ExecuTorch may wrap the error that stopped it
            if not self._has_decided:
                raise
