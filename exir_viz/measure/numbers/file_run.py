"""Compare a program with a `.pte` file, which the ExecuTorch runtime runs as a whole.

A file has no program whose nodes could run one by one, so only the outputs are compared.
"""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

import msgspec
from torch import fx
from torch.export import ExportedProgram

from exir_viz.compare.diff import Diff
from exir_viz.compare.values.precision import with_quantized
from exir_viz.compare.values.records import SCHEMA, OutputRow, Ran, Uncompared, ValuesRecord
from exir_viz.compare.values.value_pairs import places as graph_places
from exir_viz.errors import MeasureError, as_clause
from exir_viz.measure.cpu.inputs import places
from exir_viz.measure.cpu.program import CpuProgram, Inputs
from exir_viz.measure.distance import Tolerance
from exir_viz.measure.progress import Reporter
from exir_viz.measure.records import Executor
from exir_viz.measure.runtime.device_calls import RANDOM, is_random
from exir_viz.measure.runtime.process import NotRun, RuntimeProgram, runtime_process
from exir_viz.readers.flatbuffer.bundle import program_bytes
from exir_viz.torch_internals.pytrees import pytree

from .feeding import origin_of, synthesized
from .metrics import Metrics
from .outputs import runtime_outputs, user_positions, worse_output

_WHOLE = "a .pte runs as a whole: only its outputs are compared"


class FileComparison:
    """One comparison with a `.pte`; of several inputs the worst of each output is kept."""

    def __init__(
        self,
        path: str | PathLike[str],
        diff: Diff,
        program: ExportedProgram,
        method: str,
        tolerance: Tolerance,
        metrics: Metrics,
        *,
        is_bundled: bool,
    ) -> None:
        if method not in diff.b.methods:
            raise MeasureError(f"{fspath(path)!r} has no method {method!r}: {', '.join(diff.b.methods)}.")
        self._file = RuntimeProgram(program_bytes(Path(path)), method)
        self._diff = diff
        self._program = program
        self._method = method
        self._tolerance = tolerance
        self._outputs: dict[str, OutputRow] = {}
        self._metrics = metrics
        self._given: list[Inputs] = []
        self._coarse: set[str] = set()
        self._is_bundled = is_bundled  # whether the inputs are those in the file

    def run(self, given: Inputs, report: Reporter) -> None:
        """Run both on one of the inputs."""
        report("Running both", 0, 2)
        ours = CpuProgram(self._program, self._method).run(given.values)
        report("Running both", 1, 2)
        constants = [at for at, place in enumerate(places(self._program)) if place.is_constant]
        try:
            theirs = self._file.run(given.values, constants)
        except NotRun as error:
            raise MeasureError(f"The runtime did not run the .pte: {as_clause(error)}.") from error
        finally:
            runtime_process().forget()
        for row in runtime_outputs(self._program, ours, theirs, self._tolerances()):
            former = self._outputs.get(row.name)
            self._outputs[row.name] = row if former is None else worse_output(row, former)
        users = user_positions(self._program, len(ours))
        self._metrics.add([ours[at] for at in users], theirs[len(theirs) - len(users) :])
        self._given.append(given)
        report("Running both", 2, 2)

    def record(self) -> ValuesRecord:
        """The result."""
        diff, given = self._diff, self._given[0]
        both = tuple(match.number for match in diff if match.a and match.b)
        return ValuesRecord(
            schema=SCHEMA,
            a=diff.comparison.a,
            b=diff.comparison.b,
            rtol=self._tolerance.rtol,
            atol=self._tolerance.atol,
            rows=(),
            outputs=tuple(msgspec.structs.replace(row, ran=Ran.RUNTIME) for row in self._outputs.values()),
            uncompared=tuple(Uncompared(number, 0) for number in both),
            reasons=(_WHOLE,) if both else (),
            notes=(*synthesized(given), *((f"The program {RANDOM}.",) if is_random(self._program) else ())),
            inputs=tuple((one.path, one.value) for one in given.described()),
            inputs_from="bundled" if self._is_bundled else origin_of(given),
            coarse=tuple((dtype, self._tolerance.of(dtype).rtol) for dtype in sorted(self._coarse)),
            executor=Executor.RUNTIME.value,
            samples=len(self._given),
            metrics=tuple(self._metrics.pairs),
        )

    def _tolerances(self) -> list[Tolerance]:
        """For each value that the program returns: by the coarsest dtype that it was computed through."""
        dtypes = with_quantized(self._diff.numbering_a)
        first = graph_places(self._diff.numbering_a)[self._method]
        by_node = dict(zip(self._program.graph.nodes, dtypes[first:], strict=False))
        found = []
        for end in pytree.tree_leaves(self._program.graph.output_node().args):
            dtype = by_node[end] if isinstance(end, fx.Node) else ""
            tolerance = self._tolerance.of(dtype)
            if tolerance is not self._tolerance:
                self._coarse.add(dtype)
            found.append(tolerance)
        return found
