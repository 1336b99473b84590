"""The steps as methods: of a stage, and of a session, which runs them from its current stage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from exir_viz.errors import StepFailed
from exir_viz.options import described, flag, named_options, refuse, text
from exir_viz.stages.records import StepKind

if TYPE_CHECKING:
    from executorch.exir import ExecutorchBackendConfig

    from exir_viz.stages.stage import Stage


class StepMethods(ABC):
    """The steps as methods. Each returns the new stage, or raises StepFailed with the failed one."""

    @abstractmethod
    def _do(self, kind: StepKind, options: Mapping[str, Any]) -> Stage: ...

    def _step(self, kind: StepKind, options: Mapping[str, Any]) -> Stage:
        return _succeeded(self._do(kind, options))

    @named_options
    def decompose(self, ops: str | Iterable[Any] | None = None, *, but: Iterable[Any] = ()) -> Stage:
        """Decompose operators into simpler ones (`run_decompositions`).

        Parameters
        ----------
        ops
            None or "core" for Core ATen, "functional" for functionalization only, or a list of the operators
            to decompose ("aten.linear.default", "linear", or torch.ops.aten.linear.default).
        but
            Operators to keep, with "core".

        Returns
        -------
        Stage
            The new stage.

        Raises
        ------
        StepFailed
            If torch or ExecuTorch failed. The failed stage stays in the session, and is `stage` of the error.
        NotPossible
            If the stage is not in an ATen dialect, or has no such operator.

        Examples
        --------
        >>> [row.op for row in session.decompose(["linear"]).ops()][0]
        'aten.addmm.default'
        """
        chosen: Any = (
            "core" if ops is None else ops if isinstance(ops, str) else _ops("decompose", "ops", ops)
        )
        return self._step(StepKind.DECOMPOSE, {"ops": chosen, **_given(but=_ops("decompose", "but", but))})

    @named_options
    def edge(self, *, preserve: Iterable[Any] = (), check_ir: bool = True, dim_order: bool = True) -> Stage:
        """Lower to ExecuTorch's edge dialect (`to_edge`), all methods together.

        Parameters
        ----------
        preserve
            Operators that are not decomposed.
        check_ir
            Verify the rules of the dialect.
        dim_order
            Write memory formats as dim orders.

        Returns
        -------
        Stage
            The new stage.

        Raises
        ------
        StepFailed
            If torch or ExecuTorch failed. The failed stage stays in the session, and is `stage` of the error.
        NotPossible
            If the stage is already lowered.

        Examples
        --------
        >>> session.edge().dialect.value
        'edge'
        """
        options = _given(preserve=_ops("edge", "preserve", preserve))
        return self._step(
            StepKind.EDGE, {**options, **_flags("edge", check_ir=check_ir, dim_order=dim_order)}
        )

    @named_options
    def transform(self, *passes: Any, name: str = "") -> Stage:
        """Run your own passes on a copy of the program.

        Parameters
        ----------
        passes
            Each a PassBase, or a callable that takes a GraphModule.
        name
            The name of the new stage. The default is the names of the passes.

        Returns
        -------
        Stage
            The new stage.

        Raises
        ------
        StepFailed
            If torch or ExecuTorch failed. The failed stage stays in the session, and is `stage` of the error.
        WrongArgument
            If a pass is not callable, or is a class instead of an instance.

        Examples
        --------
        >>> def remove_relu(module):
        ...     for node in module.graph.nodes:
        ...         if "relu" in str(node.target):
        ...             node.replace_all_uses_with(node.args[0])
        ...     module.graph.eliminate_dead_code()
        >>> session.transform(remove_relu, name="no relu").change.removed
        1
        """
        text("transform", "name", name)
        for one in passes:
            if not callable(one) or isinstance(one, type):
                hint = f"Make an instance of it: {one.__name__}()." if isinstance(one, type) else ""
                refuse("transform", "a pass", one, "a PassBase, or a callable that takes a GraphModule", hint)
        stage = self._do(StepKind.TRANSFORM, {"passes": list(passes)})
        return _succeeded(stage.rename(name) if name else stage)

    @named_options
    def backend(
        self,
        partitioner: Any = "xnnpack",
        *,
        check_ir: bool = True,
        dim_order: bool = True,
        edge_first: bool = False,
    ) -> Stage:
        """Delegate parts of the program to a backend: `to_backend` from edge, else
        `to_edge_transform_and_lower`.

        Parameters
        ----------
        partitioner
            "xnnpack", "vulkan", "coreml"; one of ExecuTorch's partitioners; several of these in order; or
            these by method. The findings of the new stage say why a call was not delegated.
        check_ir, dim_order
            As for `edge`, if the program is not lowered yet.
        edge_first
            Lower a program that is not lowered yet with `to_edge`, then call `to_backend`.

        Returns
        -------
        Stage
            The new stage.

        Raises
        ------
        StepFailed
            If torch or ExecuTorch failed. The failed stage stays in the session, and is `stage` of the error.
        NotPossible
            If the stage is already an ExecuTorch program, or there is no such backend.

        Examples
        --------
        >>> session.backend("xnnpack").snapshot.method.graph["executorch_call_delegate"].op
        'call_function'
        """
        flags = _flags("backend", check_ir=check_ir, dim_order=dim_order)
        first = _flags("backend", edge_first=edge_first) if edge_first is not False else {}
        return self._step(StepKind.BACKEND, {"partitioner": partitioner, **flags, **first})

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
        """Make the program that the runtime runs (`to_executorch`).

        Parameters
        ----------
        config
            Your own ExecutorchBackendConfig, instead of the options below.
        algorithm
            How memory is planned: "greedy" (the default) or "naive".
        alloc_graph_input, alloc_graph_output, alloc_mutable_buffers
            Plan memory for these. The default is True.
        remove_view_copy
            Let views share memory. The default is True.
        emit_stacktrace
            Write stack traces to the file. The default is False.

        Returns
        -------
        Stage
            The new stage. Its `pte` has the bytes of the file.

        Raises
        ------
        StepFailed
            If torch or ExecuTorch failed. The failed stage stays in the session, and is `stage` of the error.
        NotPossible
            If the stage is not in the edge dialect.

        Examples
        --------
        >>> session.edge().executorch().pte[4:8]
        b'ET12'
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
            return self._step(StepKind.EXECUTORCH, given)
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
        return self._step(StepKind.EXECUTORCH, {"config": config})

    @named_options
    def quantize(
        self,
        inputs: Any = None,
        *,
        per_channel: bool = True,
        dynamic: bool = False,
        quantizer: Any = None,
    ) -> Stage:
        """Quantize to 8-bit integers with XNNPACK's quantizer or your own (PT2E).

        Parameters
        ----------
        inputs
            Calls to calibrate with: a list of tensors, of tuples of arguments, or of dicts of keyword
            arguments. A tensor alone is one call. A dict by method, if there are several. Or the name of a
            variable that holds them. Without them, the example inputs are used, and a notice says so.
        per_channel
            Use a scale for each output channel.
        dynamic
            Scale activations at run time.
        quantizer
            Your own torchao Quantizer, instead of XNNPACK's.

        Returns
        -------
        Stage
            The new stage.

        Raises
        ------
        StepFailed
            If torch or ExecuTorch failed. The failed stage stays in the session, and is `stage` of the error.
        NotPossible
            If the program is not in an ATen dialect, or has no example inputs.
        WrongArgument
            If `inputs` are not calls, or `quantizer` is not a Quantizer.

        Examples
        --------
        >>> stage = session.quantize([x])
        >>> any("quantize_per_tensor" in row.op for row in stage.ops())
        True
        """
        if quantizer is not None and (isinstance(quantizer, type) or not hasattr(quantizer, "annotate")):
            refuse("quantize", "quantizer", quantizer, "a torchao Quantizer, which has the method annotate")
        _check_calls(inputs)
        given = {"inputs": inputs, "quantizer": quantizer}
        options = _flags("quantize", per_channel=per_channel, dynamic=dynamic)
        options |= {name: one for name, one in given.items() if one is not None}
        return self._step(StepKind.QUANTIZE, options)

    @named_options
    def reexport(
        self,
        dynamic_shapes: Any = None,
        *,
        dims: Mapping[str, Mapping[int, str]] | None = None,
        strict: bool | None = None,
    ) -> Stage:
        """Export the module again, with other dynamic shapes or in the other mode.

        Parameters
        ----------
        dynamic_shapes
            As torch.export takes them; or "static", "dynamic" or "auto" for every dimension.
        dims
            The same as text, by input and position: {"x": {0: "batch in 2..64"}, "y": {0: "2*batch + 1"}}.
        strict
            Trace with TorchDynamo. None: as the program was exported.

        Returns
        -------
        Stage
            The new stage.

        Raises
        ------
        StepFailed
            If torch or ExecuTorch failed. The failed stage stays in the session, and is `stage` of the error.
        NotPossible
            If other steps were run before, or an entry of `dims` cannot be read.

        Examples
        --------
        >>> stage = session.reexport(dims={"x": {0: "batch in 2..64"}})
        >>> stage.snapshot.method.symbols[0].lower
        '2'
        """
        if strict is not None:
            flag("reexport", "strict", strict)
        given = {"dynamic_shapes": dynamic_shapes, "dims": dims, "strict": strict}
        return self._step(StepKind.REEXPORT, {name: one for name, one in given.items() if one is not None})


def _succeeded(stage: Stage) -> Stage:
    """The stage; raises StepFailed if its step failed."""
    if stage.failed:
        raise StepFailed(stage)
    return stage


def _given(**options: Any) -> dict[str, Any]:
    """The options that are not None."""
    return {name: value for name, value in options.items() if value}


def _flags(verb: str, **options: object) -> dict[str, Any]:
    """Options that are True or False."""
    return {name: flag(verb, name, value) for name, value in options.items()}


def _ops(verb: str, name: str, ops: object) -> list[Any]:
    """Operators as a list: each by its name, or as an object."""
    expected = 'a list of operators, such as ["aten.linear.default"]'
    if not isinstance(ops, Iterable) or isinstance(ops, str | bytes | Mapping | type):
        refuse(verb, name, ops, expected)
    found = list(ops) if type(ops).__module__ != "torch._ops" else [ops]
    for one in found:
        if not isinstance(one, str) and not type(one).__module__.startswith(("torch._ops", "executorch.")):
            refuse(verb, name, ops, expected, f"It holds {described(one)}.")
    return found


def _check_calls(inputs: object) -> None:
    """Check that calibration inputs are a tensor, which is one call, or several calls."""
    is_array = type(inputs).__module__.partition(".")[0] == "numpy"
    is_many = inputs is None or isinstance(inputs, Iterable) or hasattr(inputs, "__getitem__")
    if is_array or not is_many or isinstance(inputs, bytes | type):
        hint = "One call is a list with one entry: inputs=[x], or [(x, y)] of several arguments."
        refuse("quantize", "inputs", inputs, "a list of calls, each a tensor, a tuple or a dict", hint)
