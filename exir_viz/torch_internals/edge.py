"""ExecuTorch's edge dialect and backends: options, operators, passes, verifiers, and methods."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    from executorch.exir import EdgeCompileConfig
    from torch import fx
    from torch.export import ExportedProgram

    from .operators import OpOverload

# ExecuTorch's options of lowering to edge, some of which have private names.
#
# Why: "check the rules" and "dim order" are options of EdgeCompileConfig that start with an underscore.

EDGE_CONFIG: Final = Feature(
    name="edge_config",
    purpose="Lower to edge without checking the rules, or without dim order operators",
    without="check_ir and dim_order have no effect: ExecuTorch's defaults apply.",
    uses=("executorch.exir.EdgeCompileConfig(*, _check_ir_validity, _skip_dim_order, preserve_ops)",),
)


def edge_config(
    *, check_ir: bool = True, dim_order: bool = True, preserve: Iterable[Any] = ()
) -> EdgeCompileConfig:
    """The options as ExecuTorch's config. Each call makes a new one: ExecuTorch appends to its lists."""
    from executorch.exir import EdgeCompileConfig

    if not EDGE_CONFIG.is_usable():
        return EdgeCompileConfig(preserve_ops=list(preserve))
    return EdgeCompileConfig(
        _check_ir_validity=check_ir, _skip_dim_order=not dim_order, preserve_ops=list(preserve)
    )


# Edge operators: their class, the edge operator of an ATen operator, and the dtypes that it allows.
#
# Why: ExecuTorch wraps every ATen operator in its own class, in private modules.

EDGE_OPERATORS: Final = Feature(
    name="edge_operators",
    purpose="Find the edge operator of an ATen operator, and check the dtypes of its calls",
    without="Edge operators are not recognized: calls that break the edge rules are not named.",
    uses=(
        "executorch.exir.dialects._ops.ops.edge",
        "executorch.exir.dialects.edge._ops.EdgeOpOverload",
        "executorch.exir.dialects.edge._ops.EdgeDialectFunctionSchema",
    ),
    attributes=("executorch.exir.dialects.edge._ops.EdgeOpOverload._schema",),
)


def edge_operator(op: OpOverload) -> Any:
    """The edge operator that to_edge creates for an operator; None if unknown."""
    if not EDGE_OPERATORS.is_usable():
        return None
    from executorch.exir.dialects._ops import ops

    from .operators import overload_name, schema_name

    packet = getattr(getattr(ops.edge, op.namespace), schema_name(op).partition("::")[2])
    return getattr(packet, overload_name(op))


def aten_operator(target: Any) -> Any:
    """The operator that an edge operator was made of; any other target as it is."""
    return getattr(target, "_op", target) if type(target).__name__ == "EdgeOpOverload" else target


def is_edge_operator(target: Any) -> bool:
    """Whether it is an operator of the edge dialect. This imports ExecuTorch."""
    if not EDGE_OPERATORS.is_usable():
        return False
    from executorch.exir.dialects.edge._ops import EdgeOpOverload

    return isinstance(target, EdgeOpOverload)


def allows_dtypes(target: Any, dtypes: Mapping[str, Any]) -> bool:
    """Whether an edge operator allows these dtypes of its arguments. True if it has no rule."""
    rule = getattr(target._schema, "dtype_constraint", None)
    return rule is None or bool(rule.validate(dict(dtypes)))


# Run a pass over an ExportedProgram, so that its signature is updated and its verifiers check the result.
#
# Why: torch has no public way. torch and ExecuTorch themselves use this one.

PROGRAM_PASSES: Final = Feature(
    name="program_passes",
    purpose="Run your own passes over an ATen program",
    without="Passes over ATen programs cannot be run.",
    uses=(
        "torch.export.ExportedProgram._transform_do_not_use(self, pass)",
        "torch.fx.passes.infra.pass_manager.pass_result_wrapper(fn)",
    ),
)


def with_pass(program: ExportedProgram, one: Any) -> ExportedProgram:
    """The program after a pass; raises UnsupportedTorch if torch cannot run one."""
    PROGRAM_PASSES.required()
    from torch.fx.passes.infra.pass_manager import pass_result_wrapper

    return program._transform_do_not_use(pass_result_wrapper(one))


# Separate tables for the weights and constants of a program.
#
# Why: the copy of a delegate shares these tables with the original, and ExecuTorch adds and removes
# entries. A step must not change the stage that it starts from.

PROGRAM_STATE: Final = Feature(
    name="program_state",
    purpose="Keep the delegates of a stage as they are while a step runs",
    without="ExecuTorch may change the constants of a delegate in the stage that it starts from.",
    attributes=("torch.export.ExportedProgram._state_dict", "torch.export.ExportedProgram._constants"),
)


def own_tables(program: ExportedProgram) -> None:
    """Copy a program's tables; the tensors in them stay the same objects."""
    for name, table in (("_state_dict", program.state_dict), ("_constants", program.constants)):
        if PROGRAM_STATE.attribute(program, name) is not None:
            setattr(program, name, dict(table))


# Run the verifiers of a whole program: those that it names, and the one of its memory plan.
#
# Why: torch's method to verify a whole program is private, and ExecuTorch's check of a memory plan is a class
# that only its planning passes use. Both must leave the program unchanged.

PROGRAM_VERIFIERS: Final = Feature(
    name="program_verifiers",
    purpose="Ask the verifiers of torch and ExecuTorch about a whole program",
    without="check() applies its own rules only.",
    uses=("torch._export.verifier.Verifier.check(self, ep)",),
    attributes=(
        "torch.export.ExportedProgram.verifiers",
        "executorch.exir.memory_planning.Verifier(graph_module, True, True, True)",
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.pending_fresh_unbacked_symbols",
    ),
)


def verified(program: Any) -> Iterator[tuple[str, str | None]]:
    """Each verifier that the program names, with the reason if it rejects the program, else None."""
    if not PROGRAM_VERIFIERS.is_usable():
        return
    for verifier in PROGRAM_VERIFIERS.attribute(program, "verifiers", ()):
        yield str(verifier.dialect), _rejection(program, lambda one=verifier: one().check(program))


def verified_plan(program: Any) -> Iterator[tuple[str, str | None]]:
    """The verdict of ExecuTorch's memory plan verifier; none for a program without a plan."""
    if not PROGRAM_VERIFIERS.is_usable():
        return
    from executorch.exir.memory_planning import Verifier

    module = program.graph_module
    specs = {op: list(_specs(module, op)) for op in ("placeholder", "output")}
    if not any("spec" in node.meta for node in module.graph.nodes):
        return
    allocated = {op: any(spec.mem_offset is not None for spec in found) for op, found in specs.items()}
    plan = Verifier(module, allocated["placeholder"], allocated["output"], True, program.graph_signature)
    yield "memory plan", _rejection(program, plan.verify_storage_reuse)


def _specs(module: Any, op: str) -> Iterator[Any]:
    for node in module.graph.nodes:
        if node.op == op:
            found = node.meta.get("spec")
            for spec in found if isinstance(found, list | tuple) else (found,):
                if hasattr(spec, "mem_offset") and not spec.const:  # a number has none
                    yield spec


def _rejection(program: Any, ask: Any) -> str | None:
    try:
        with _no_new_symbols(program):
            ask()
    except Exception as error:  # noqa: BLE001  # verifiers raise what they like: AssertionError, InternalError
        return str(error) or type(error).__name__
    return None


@contextmanager
def _no_new_symbols(program: Any) -> Iterator[None]:
    """Remove new pending symbols: the verifier runs the graph, and torch refuses a program that has them."""
    from .fake_values import fake_mode_of

    mode = fake_mode_of(node.meta.get("val") for node in program.graph.nodes)
    environment = getattr(mode, "shape_env", None)
    pending = getattr(environment, "pending_fresh_unbacked_symbols", None)
    before = None if pending is None else list(pending)
    try:
        yield
    finally:
        if before is not None and pending is not None:
            pending[:] = before


# Run torch's and ExecuTorch's verifiers on a single operator.
#
# Why: only a dialect's verifier knows which operators the dialect allows, and a verifier takes whole
# programs. Here it checks a graph of one call.

VERIFIERS: Final = Feature(
    name="verifiers",
    purpose="Say which dialects allow an operator",
    without="Operator cards do not say which dialects allow the operator.",
    uses=(
        "torch._export.verifier._VerifierMeta._registry.get(name)",
        "torch._export.verifier.Verifier._check_graph_module(self, gm)",
        "torch._export.verifier.Verifier.check_additional",
        "torch._export.verifier.SpecViolationError",
    ),
    attributes=(
        "executorch.exir.verification.verifier.EXIRATenDialectVerifier()",
        "executorch.exir.verification.verifier.EXIREdgeDialectVerifier()",
        "executorch.exir.passes.executorch_prim_ops_registry._EXECUTORCH_SYM_OPS",
    ),
)
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")


def verdict(rules: str, target: Any) -> tuple[bool | None, str]:
    """Whether a call of `target` is allowed, and the verifier's reason if not; None if there is no verifier.

    rules: "TRAINING" and "ATEN" are torch's; "OLD_EXIR_ATEN" (the input of to_edge) and "EDGE" ExecuTorch's.
    """
    if not VERIFIERS.is_usable():
        return None, "torch's verifiers have changed"
    import torch
    from torch import fx
    from torch._export import verifier

    checker = _checker(rules)
    graph = fx.Graph()
    graph.call_function(target, (0, 0)).meta["val"] = None
    graph.output(None)
    # Its other checks need a whole program.
    checker.check_additional = lambda _module: None
    try:
        checker._check_graph_module(fx.GraphModule(torch.nn.Module(), graph))
    except (verifier.SpecViolationError, AssertionError) as error:
        return False, _ADDRESS.sub("", str(error))
    return True, ""


def _checker(rules: str) -> Any:
    from torch._export import verifier

    if rules == "OLD_EXIR_ATEN":
        from executorch.exir.verification.verifier import EXIRATenDialectVerifier

        return EXIRATenDialectVerifier()
    if rules == "EDGE":
        # Not the registered verifier: that has the exceptions of the to_edge call that ran last.
        from executorch.exir.verification.verifier import EXIREdgeDialectVerifier

        return EXIREdgeDialectVerifier()
    return verifier._VerifierMeta._registry[rules]()


def is_runtime_primitive(op: Any) -> bool:
    """Whether the runtime has an operator itself: arithmetic of sizes."""
    from executorch.exir.passes import executorch_prim_ops_registry as prims

    known = VERIFIERS.attribute(prims, "_EXECUTORCH_SYM_OPS", ())
    return op in known or op.namespace == "executorch_prim"


# The node at which an error of torch or ExecuTorch happened, read from the frames of its traceback.
#
# Why: most of their errors name no node. Their loops over nodes use a variable `n` or `node`, and
# ExecuTorch's verifiers name the refused graph `gm`. If no frame has such a variable, the error is shown
# without a node.

ERROR_FRAMES: Final = Feature(
    name="error_frames",
    purpose="Name the node, or every node, that a failed step failed for",
    without="The nodes that break the rules of the edge dialect are not named.",
    attributes=(
        "torch._export.verifier.Verifier._check_graph_module(self, gm)",
        "executorch.exir.verification.verifier._check_tensor_args_matching_op_allowed_dtype(gm)",
    ),
)
_VERIFIERS: Final = ("_check_tensor_args_matching_op_allowed_dtype", "_check_graph_module")
_VARIABLES: Final = ("n", "node")
_CALLS: Final = ("call_function", "call_method", "call_module", "get_attr")


def executing(error: BaseException) -> fx.Node | None:
    """The node at which the error happened, from the outermost loop over nodes.

    Inner loops belong to graphs of decompositions, whose nodes are not visible to the user. If the error has
    a cause, the cause's stack is used.
    """
    if error.__cause__ is not None and (found := executing(error.__cause__)) is not None:
        return found
    for frame in _frames(error):
        for name in _VARIABLES:
            found = frame.f_locals.get(name)
            if type(found).__module__ == "torch.fx.node" and getattr(found, "op", "") in _CALLS:
                return found
    return None


def refused_graph(error: BaseException) -> fx.GraphModule | None:
    """The graph that a verifier of ExecuTorch refused; None, and a notice, if there is none."""
    for function in _VERIFIERS:
        module = _local(error, function, "gm")
        if module is not None:
            return module  # type: ignore[no-any-return]
    ERROR_FRAMES.left_out("no verifier on the stack has a variable gm")
    return None


def refusing_verifier(error: BaseException) -> Any:
    """The verifier that refused a graph, which knows what the step preserves; None if there is none."""
    return _local(error, "_check_graph_module", "self")


def _local(error: BaseException, function: str, name: str) -> Any:
    """The value of the variable `name` of a function on the error's stack; None if it is not there."""
    found = None
    for frame in _frames(error):
        if frame.f_code.co_name == function:
            found = frame.f_locals.get(name, found)
    return found


def _frames(error: BaseException) -> Iterator[FrameType]:
    """The stack of an error, outermost first."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


# How XNNPACK's partitioner marks a quantize or dequantize op that the op beside it absorbs.
#
# Why: a part that is cut off has no such neighbor, and its ops must not be marked.

IMPLICIT_QUANTIZATION: Final = Feature(
    name="implicit_quantization",
    purpose="Bisect quantized delegates of XNNPACK",
    without="Parts of quantized delegates may not be lowered when they are bisected.",
    uses=("executorch.backends.xnnpack.utils.quant_utils.IS_IMPLICIT_Q_DQ_TAG",),
)


def absorbed_mark() -> str:
    """The key of a node's meta that marks it; "" if unknown."""
    if not IMPLICIT_QUANTIZATION.is_usable():
        return ""
    from executorch.backends.xnnpack.utils import quant_utils

    return str(quant_utils.IS_IMPLICIT_Q_DQ_TAG)


# The constant methods of a lowered program: values that a `.pte` returns by name.
#
# Why: the list of their names in a program manager is public, their values are private.

CONSTANT_METHODS: Final = Feature(
    name="constant_methods",
    purpose="Show the constant methods of a lowered program",
    without="Constant methods are not shown.",
    attributes=(
        "executorch.exir.EdgeProgramManager._config_methods",
        "executorch.exir.ExecutorchProgramManager._config_methods",
    ),
)


def constant_methods(manager: Any) -> Mapping[str, Any]:
    """The values by name; none if ExecuTorch does not expose them."""
    if not getattr(manager, "config_methods", None):
        return {}
    found: Mapping[str, Any] = CONSTANT_METHODS.attribute(manager, "_config_methods", {})
    return found


# The constant methods that ExecuTorch adds to a program with gradients, for training on a device.
#
# They say where gradients and parameters begin among its outputs, and which parameters these are.
#
# Why: ExecuTorch adds them when it writes a program; no program manager lists them.

TRAINING_METHODS: Final = Feature(
    name="training_methods",
    purpose="Show the methods that ExecuTorch adds to a program with gradients",
    without="The methods that ExecuTorch adds to a program with gradients are not shown.",
    uses=("executorch.exir.emit._emit_program._get_training_metadata(methods)",),
)


def training_methods(programs: Mapping[str, ExportedProgram]) -> Mapping[str, Any]:
    """Their values by name; none if no program returns gradients."""
    has_gradients = any(one.graph_signature.backward_signature for one in programs.values())
    if not has_gradients or not TRAINING_METHODS.is_usable():
        return {}
    from executorch.exir.emit._emit_program import _get_training_metadata

    found: Mapping[str, Any] = _get_training_metadata(dict(programs))
    return found
