"""The steps as verbs: those of a stage, and the same of a session, which does them to its current stage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from exir_viz.options import described, flag, named_options, refuse, text
from exir_viz.stages.records import StepKind

if TYPE_CHECKING:
    from executorch.exir import ExecutorchBackendConfig

    from exir_viz.stages.stage import Stage


class StepMethods(ABC):
    """Each returns the stage that was made: a failed one where torch or ExecuTorch failed."""

    @abstractmethod
    def _do(self, kind: StepKind, options: Mapping[str, Any]) -> Stage: ...

    @named_options
    def decompose(self, ops: str | Iterable[Any] | None = None, *, but: Iterable[Any] = ()) -> Stage:
        """Write operators as simpler ones.

        ops: None or "core" for Core ATen, "functional" for no more than functionalisation, or a list of the
             operators to decompose ("aten.linear.default", "linear", or torch.ops.aten.linear.default).
        but: with "core", the operators to keep.
        """
        chosen: Any = (
            "core" if ops is None else ops if isinstance(ops, str) else _ops("decompose", "ops", ops)
        )
        return self._do(StepKind.DECOMPOSE, {"ops": chosen, **_given(but=_ops("decompose", "but", but))})

    @named_options
    def edge(self, *, preserve: Iterable[Any] = (), check_ir: bool = True, dim_order: bool = True) -> Stage:
        """Lower to ExecuTorch's edge dialect (`to_edge`), all methods together.

        preserve: operators that are not decomposed. check_ir: hold the result to the dialect's rules.
        dim_order: write memory formats as dim orders.
        """
        options = _given(preserve=_ops("edge", "preserve", preserve))
        return self._do(StepKind.EDGE, {**options, **_flags("edge", check_ir=check_ir, dim_order=dim_order)})

    @named_options
    def transform(self, *passes: Any, name: str = "") -> Stage:
        """Run passes of your own on a copy: each a PassBase, or a callable that takes a GraphModule.

        name: what to call the stage; else it is named for its passes.
        """
        text("transform", "name", name)
        for one in passes:
            if not callable(one) or isinstance(one, type):
                hint = f"Make an instance of it: {one.__name__}()." if isinstance(one, type) else ""
                refuse("transform", "a pass", one, "a PassBase, or a callable that takes a GraphModule", hint)
        stage = self._do(StepKind.TRANSFORM, {"passes": list(passes)})
        return stage.rename(name) if name else stage

    @named_options
    def backend(
        self, partitioner: Any = "xnnpack", *, check_ir: bool = True, dim_order: bool = True
    ) -> Stage:
        """Hand parts of the program to a backend: `to_backend` from edge, else `to_edge_transform_and_lower`.

        partitioner: "xnnpack", "vulkan", "coreml"; one of ExecuTorch's partitioners; several of these in
             order; or these by method. The findings say why each call that stays was not taken.
        check_ir, dim_order: as for edge, where the program is not lowered to it yet.
        """
        flags = _flags("backend", check_ir=check_ir, dim_order=dim_order)
        return self._do(StepKind.BACKEND, {"partitioner": partitioner, **flags})

    @named_options
    def executorch(
        self,
        *,
        config: ExecutorchBackendConfig | None = None,
        algorithm: str | None = None,
        alloc_graph_input: bool | None = None,
        alloc_graph_output: bool | None = None,
        alloc_mutable_buffers: bool | None = None,
        remove_view_copy: bool | None = None,
        emit_stacktrace: bool | None = None,
    ) -> Stage:
        """Make what the runtime runs (`to_executorch`).

        config: an ExecutorchBackendConfig of your own; or, each as ExecuTorch names it:
        algorithm: how memory is planned, "greedy" (the default) or "naive".
        alloc_graph_input, alloc_graph_output, alloc_mutable_buffers: plan memory for these (True by default).
        remove_view_copy: let views share memory (True by default).
        emit_stacktrace: keep stack traces in the file (False by default).
        """
        if algorithm is not None:
            text("executorch", "algorithm", algorithm)
        flags = {
            "alloc_graph_input": alloc_graph_input,
            "alloc_graph_output": alloc_graph_output,
            "alloc_mutable_buffers": alloc_mutable_buffers,
            "remove_view_copy": remove_view_copy,
            "emit_stacktrace": emit_stacktrace,
        }
        given = _flags("executorch", **{name: one for name, one in flags.items() if one is not None})
        if algorithm is not None:
            given["algorithm"] = algorithm
        if config is None:
            return self._do(StepKind.EXECUTORCH, given)
        if type(config).__name__ != "ExecutorchBackendConfig":
            refuse("executorch", "config", config, "an executorch.exir.ExecutorchBackendConfig")
        if given:
            refuse(
                "executorch",
                "config",
                config,
                f"either config or {', '.join(given)}",
                "A config has them all.",
            )
        return self._do(StepKind.EXECUTORCH, {"config": config})

    @named_options
    def quantize(
        self,
        inputs: Any = None,
        *,
        per_channel: bool = True,
        dynamic: bool = False,
        quantizer: Any = None,
    ) -> Stage:
        """Compute in 8-bit integers where XNNPACK's quantizer, or one of your own, knows how (PT2E).

        inputs: calls to calibrate with: a list of tensors, of tuples of arguments, or of dicts of them by
             name; a tensor alone is one call. By method where there are several; as text, the name of a
             variable that holds them. Without them the example inputs are used, and a notice says so.
        per_channel: a scale for each output channel. dynamic: scale activations at run time.
        quantizer: a torchao Quantizer of your own, instead of XNNPACK's.
        """
        if quantizer is not None and (isinstance(quantizer, type) or not hasattr(quantizer, "annotate")):
            refuse("quantize", "quantizer", quantizer, "a torchao Quantizer, which has the method annotate")
        _check_calls(inputs)
        given = {"inputs": inputs, "quantizer": quantizer}
        options = _flags("quantize", per_channel=per_channel, dynamic=dynamic)
        options |= {name: one for name, one in given.items() if one is not None}
        return self._do(StepKind.QUANTIZE, options)

    @named_options
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
        strict: trace by TorchDynamo; None: as the program was exported.
        """
        if strict is not None:
            flag("reexport", "strict", strict)
        given = {"dynamic_shapes": dynamic_shapes, "dims": dims, "strict": strict}
        return self._do(StepKind.REEXPORT, {name: one for name, one in given.items() if one is not None})


def _given(**options: Any) -> dict[str, Any]:
    """The options that say something."""
    return {name: value for name, value in options.items() if value}


def _flags(verb: str, **options: object) -> dict[str, Any]:
    """Options that are True or False."""
    return {name: flag(verb, name, value) for name, value in options.items()}


def _ops(verb: str, name: str, ops: object) -> list[Any]:
    """Operators as a list: each by its name, or itself."""
    expected = 'a list of operators, such as ["aten.linear.default"]'
    if not isinstance(ops, Iterable) or isinstance(ops, str | bytes | Mapping | type):
        refuse(verb, name, ops, expected)
    found = list(ops) if type(ops).__module__ != "torch._ops" else [ops]
    for one in found:
        if not isinstance(one, str) and not type(one).__module__.startswith(("torch._ops", "executorch.")):
            refuse(verb, name, ops, expected, f"It holds {described(one)}.")
    return found


def _check_calls(inputs: object) -> None:
    """Calibration inputs are a tensor, which is one call, or several calls."""
    is_array = type(inputs).__module__.partition(".")[0] == "numpy"
    is_many = inputs is None or isinstance(inputs, Iterable) or hasattr(inputs, "__getitem__")
    if is_array or not is_many or isinstance(inputs, bytes | type):
        hint = "One call is a list with one entry: inputs=[x], or [(x, y)] of several arguments."
        refuse("quantize", "inputs", inputs, "a list of calls, each a tensor, a tuple or a dict", hint)
