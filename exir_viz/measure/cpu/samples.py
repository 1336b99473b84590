"""Samples of runs and the survey → the columns of a Profile, and the times of the whole and the overhead."""

from __future__ import annotations

from collections.abc import Sequence

from exir_viz.measure.columns import NO_TIMES, columns
from exir_viz.measure.records import Basis, Columns, Times
from exir_viz.measure.statistic import Settled, quiet_runs, settled, times_of

from .plan import PlannedNode
from .survey import Survey


class Samples:
    """The nanoseconds of each run: of the whole, and of each node by number."""

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self.wholes: list[int] = []
        self.runs: list[list[int]] = []

    @property
    def count(self) -> int:
        """How many runs came to their end."""
        return len(self.wholes)

    def add(self, whole: int, times: list[int]) -> None:
        """A run that came to its end."""
        self.wholes.append(whole)
        self.runs.append(times)

    @property
    def settled(self) -> Settled:
        """The same without what another program took meanwhile."""
        if not self.wholes:
            return Settled([], self.runs, None)
        return settled(self.wholes, self.runs)

    def partial(self, times: list[int]) -> None:
        """The nodes that ran of a run that did not come to its end, where none did."""
        self.runs.append(times or [0] * self._nodes)


def columns_of(
    nodes: Sequence[PlannedNode], samples: Samples, survey: Survey | None
) -> tuple[Columns, Times | None, Times | None]:
    """The columns, the whole and the overhead; the last two are None where no run came to its end."""
    found = samples.settled
    quiet = quiet_runs(found.wholes) or [0]
    by_node = [
        times_of(column, quiet, calm)
        for column, calm in zip(zip(*samples.runs, strict=True), zip(*found.runs, strict=True), strict=True)
    ]
    ran = samples.count > 0
    whole = times_of(found.wholes, quiet) if ran else None
    rest = [total - sum(times) for total, times in zip(found.wholes, found.runs, strict=False)]
    overhead = times_of(rest, quiet) if ran else None
    calls = survey.calls if survey else [int(times.time > 0) for times in by_node]
    if not ran:
        # of a run that stopped, a node without a time did not run
        calls = [int(times.time > 0) for times in by_node]
    by_node = [times if often else NO_TIMES for times, often in zip(by_node, calls, strict=True)]
    made = columns(
        [planned.id for planned in nodes],
        [Basis.EMULATED if planned.backend else Basis.MEASURED for planned in nodes],
        by_node,
        calls=calls,
        counts=survey.counts if survey else None,
    )
    return made, whole, overhead
