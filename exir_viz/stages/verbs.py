"""The steps as verbs: those of a stage, and the same of a session, which does them to its current stage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from exir_viz.stages.records import StepKind

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage


class Verbs(ABC):
    """Each returns the stage that was made: a failed one where torch or ExecuTorch failed."""

    @abstractmethod
    def _do(self, kind: StepKind, options: Mapping[str, Any]) -> Stage: ...

    def decompose(self, ops: str | Iterable[Any] | None = None, *, but: Iterable[Any] = ()) -> Stage:
        """Write operators as simpler ones.

        ops: None or "core" for Core ATen, "functional" for no more than functionalisation, or a list of the
             operators to decompose ("aten.linear.default", "linear", or torch.ops.aten.linear.default).
        but: with "core", the operators to keep.
        """
        chosen: Any = "core" if ops is None else ops if isinstance(ops, str) else list(ops)
        return self._do(StepKind.DECOMPOSE, {"ops": chosen, **_given(but=list(but))})

    def edge(self, *, preserve: Iterable[Any] = (), check_ir: bool = True, dim_order: bool = True) -> Stage:
        """Lower to ExecuTorch's edge dialect (`to_edge`), all methods together.

        preserve: operators that are not decomposed. check_ir: hold the result to the dialect's rules.
        dim_order: write memory formats as dim orders.
        """
        options = _given(preserve=list(preserve))
        return self._do(StepKind.EDGE, {**options, "check_ir": check_ir, "dim_order": dim_order})

    def transform(self, *passes: Any, name: str = "") -> Stage:
        """Run passes of your own on a copy: each a PassBase, or a callable that takes a GraphModule."""
        stage = self._do(StepKind.TRANSFORM, {"passes": list(passes)})
        return stage.rename(name) if name else stage

    def backend(
        self, partitioner: Any = "xnnpack", *, check_ir: bool = True, dim_order: bool = True
    ) -> Stage:
        """Hand parts of the program to a backend: `to_backend` from edge, else `to_edge_transform_and_lower`.

        partitioner: "xnnpack", "vulkan", "coreml"; one of ExecuTorch's partitioners; several of these in
             order; or these by method. The findings say why each call that stays was not taken.
        check_ir, dim_order: as for edge, where the program is not lowered to it yet.
        """
        options = {"partitioner": partitioner, "check_ir": check_ir, "dim_order": dim_order}
        return self._do(StepKind.BACKEND, options)

    def executorch(self, **options: Any) -> Stage:
        """Make what the runtime runs (`to_executorch`).

        config: an ExecutorchBackendConfig of your own; or, each as ExecuTorch names it: algorithm ("greedy",
        "naive"), alloc_graph_input, alloc_graph_output, alloc_mutable_buffers, remove_view_copy,
        emit_stacktrace.
        """
        return self._do(StepKind.EXECUTORCH, options)

    def quantize(
        self,
        inputs: Any = None,
        *,
        per_channel: bool = True,
        dynamic: bool = False,
        quantizer: Any = None,
    ) -> Stage:
        """Compute in 8-bit integers where XNNPACK's quantizer, or one of your own, knows how (PT2E).

        inputs: calls to calibrate with, each a tensor, a tuple of arguments, or a dict of them by name; by
        method where there are several; as text, the name of a variable that holds them. Without them the
        example inputs are used, and a notice says so.
        """
        given = {"inputs": inputs, "quantizer": quantizer}
        options = {"per_channel": per_channel, "dynamic": dynamic}
        options |= {name: one for name, one in given.items() if one is not None}
        return self._do(StepKind.QUANTIZE, options)

    def reexport(
        self,
        dynamic_shapes: Any = None,
        *,
        dims: Mapping[str, Mapping[int, str]] | None = None,
        strict: bool | None = None,
    ) -> Stage:
        """Export the module again, with other dynamism of its inputs or in the other mode.

        dynamic_shapes: as torch.export takes them; or "static", "dynamic", "auto" for every dimension.
        dims: in words, by input and position: {"x": {0: "batch in 2..64"}, "y": {0: "2*batch + 1"}}.
        """
        given = {"dynamic_shapes": dynamic_shapes, "dims": dims, "strict": strict}
        return self._do(StepKind.REEXPORT, {name: one for name, one in given.items() if one is not None})


def _given(**options: Any) -> dict[str, Any]:
    """The options that say something."""
    return {name: value for name, value in options.items() if value}
