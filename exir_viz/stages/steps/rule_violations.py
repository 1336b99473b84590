"""Find every node that breaks the rule for which ExecuTorch refused a program.

Its verifiers stop at the first bad operator and name no node. Here the same verifiers check each node of the
refused graph, which is taken from the error's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.operators import dtypes_refused, known_operators, not_core
from exir_viz.stages.decomposition_tables import decomposition_of
from exir_viz.stages.live import LivePrograms
from exir_viz.stages.plain_options import plain_options
from exir_viz.stages.records import Failure, Finding, OptionsFix
from exir_viz.torch_internals.edge import aten_operator, refused_graph, refusing_verifier

from . import Options
from .decompose import CORE
from .failures import explained, failure, finding, first_sentence, op_text, root
from .remedies import Remedy, dtype_remedy

if TYPE_CHECKING:
    from executorch.exir import EdgeCompileConfig
    from torch import fx

# Checks an op: raises if the dialect does not allow it.
Check = Callable[[Any], object]

_TRAINING: Final = "batch_norm"


def rule_violations(
    error: Exception,
    live: LivePrograms,
    config: Callable[[], EdgeCompileConfig],
    options: Options | None = None,
) -> Failure | None:
    """Explain an error of to_edge; `config` recreates the options of the run.

    options: of the step, if running it again with `check_ir` off is a way out.
    """
    cause = root(error)
    if type(cause).__name__ != "SpecViolationError":
        return explained(error, live)
    if "does not exist in the graph" in str(cause) and (found := tuple(_preserved(live))):
        return failure(error, findings=found)
    module = refused_graph(cause)
    if module is None:
        return explained(error, live)
    verifier = refusing_verifier(cause)
    found = tuple(_bad_ops(module, live, config(), getattr(verifier, "check_valid_op", None))) or tuple(
        _bad_dtypes(module, live)
    )
    if not found:
        return explained(error, live)
    ops = sorted({one.op for one in found})
    some = ", ".join(ops[:3]) + (f" and {len(ops) - 3} more" if len(ops) > 3 else "")
    nodes = f"{plural(len(found), 'call')} {'breaks' if len(found) == 1 else 'break'}"
    fixes: tuple[OptionsFix, ...] = ()
    if options is not None:
        fixes = (
            OptionsFix(Remedy.UNVERIFIED, {**plain_options(options), "check_ir": False}, skips_checks=True),
        )
    return failure(error, f"{nodes} the rules of the edge dialect: {some}.", found, fixes)


def _preserved(live: LivePrograms) -> Iterator[Finding]:
    """The outputs of modules whose call signatures the export preserved: lowering renames them."""
    for program in live.programs.values():
        nodes = {node.name: node for node in program.graph.nodes}
        for entry in program.module_call_graph:
            for output in entry.signature.outputs if entry.fqn and entry.signature else ():
                node = nodes.get(getattr(output, "name", ""))
                if node is not None:
                    yield finding(
                        node,
                        f"The export preserves the signature of {entry.fqn}, which names this value.",
                        Remedy.NO_SIGNATURES,
                        live=live,
                    )


def _calls(module: fx.GraphModule) -> Iterator[fx.Node]:
    for inner in module.modules():
        for node in getattr(getattr(inner, "graph", None), "nodes", ()):
            if node.op == "call_function":
                yield node


def _bad_ops(
    module: fx.GraphModule, live: LivePrograms, config: EdgeCompileConfig, refuses: Check | None
) -> Iterator[Finding]:
    """The calls that the verifier refused, by its own check: only it knows what a partitioner preserves."""
    from executorch.exir.verification.verifier import EXIRATenDialectVerifier, EXIREdgeDialectVerifier

    from exir_viz.torch_internals.edge import is_edge_operator
    from exir_viz.torch_internals.operators import OpOverload

    aten: Check = EXIRATenDialectVerifier(edge_compile_config=config).check_valid_op
    edge: Check = EXIREdgeDialectVerifier(edge_compile_config=config).check_valid_edge_op
    lowered = any(is_edge_operator(node.target) for node in _calls(module))
    messages: dict[Any, str] = {}
    for node in _calls(module):
        target = node.target
        if not isinstance(target, OpOverload) and not is_edge_operator(target):
            continue
        if target not in messages:
            messages[target] = _verdict_text(refuses or (edge if lowered else aten), target)
        if messages[target]:
            remedy = op_remedy(node, aten)
            text = not_core() if "not in Core ATen" in messages[target] else messages[target]
            yield finding(node, text, remedy, live=live)


def _verdict_text(check: Check, target: object) -> str:
    """The verifier's text about an operator; "" if it accepts it."""
    try:
        check(target)
    except Exception as error:  # noqa: BLE001  # verifiers raise SpecViolationError, RuntimeError and AssertionError
        return first_sentence(str(error)) or type(error).__name__
    return ""


def op_remedy(node: fx.Node, check: Check | None = None) -> str:
    """What helps with a call that edge refuses; `check` accepts what Core ATen has."""
    if check is None:
        from executorch.exir.verification.verifier import EXIRATenDialectVerifier

        check = EXIRATenDialectVerifier().check_valid_op
    op = op_text(node)
    if _TRAINING in op:
        return Remedy.EVAL
    if decomposition_of(aten_operator(node.target)) is not None and _decomposes(node, check):
        return Remedy.DECOMPOSE.format(op=op)
    return Remedy.NOT_CORE


def _decomposes(node: fx.Node, check: Check) -> bool:
    """Whether torch's rule for this call works during export and yields accepted operators."""
    from exir_viz.stages.preview import mutations, trace

    try:
        traced = trace(node)
        if mutations(traced):
            return False
        core = trace(node, CORE)
    except Exception:  # noqa: BLE001  # a rule that torch cannot run is no remedy, whatever it raises
        return False
    return not any(
        _verdict_text(check, one.target)
        for one in _calls(core)
        if callable(getattr(one.target, "name", None))
    )


def _bad_dtypes(module: fx.GraphModule, live: LivePrograms) -> Iterator[Finding]:
    """Calls with dtypes that ExecuTorch's operator table does not allow."""
    from exir_viz.torch_internals.edge import allows_dtypes, is_edge_operator

    for node in _calls(module):
        if not is_edge_operator(node.target):
            continue
        dtypes = _dtypes(node)
        if allows_dtypes(node.target, dtypes):
            continue
        names = {name: str(dtype).removeprefix("torch.") for name, dtype in dtypes.items()}
        yield finding(
            node,
            dtypes_refused(names),
            dtype_remedy(known_operators().dtypes_of(_schema_name(node)), names),
            live=live,
        )


def _schema_name(node: fx.Node) -> str:
    """The name of a call's operator as its schema has it: "aten::add.Tensor"."""
    from exir_viz.torch_internals.operators import schema_of

    schema = schema_of(node.target)
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name


def _dtypes(node: fx.Node) -> dict[str, Any]:
    """The dtypes of a call's tensors by argument; results are `__ret_0`, as in ExecuTorch's validator."""
    import torch

    from exir_viz.torch_internals.operators import schema_of

    schema = schema_of(node.target)
    given = {
        argument.name: node.kwargs.get(argument.name, node.args[at] if at < len(node.args) else None)
        for at, argument in enumerate(schema.arguments)
    }
    results = node.meta.get("val")
    results = results if isinstance(results, list | tuple) else (results,)
    names = (returned.name or f"__ret_{at}" for at, returned in enumerate(schema.returns))
    found = {name: _first_tensor(value) for name, value in given.items()}
    found |= dict(zip(names, results, strict=False))
    return {name: value.dtype for name, value in found.items() if isinstance(value, torch.Tensor)}


def _first_tensor(value: Any) -> Any:
    """The value of a node, or of the first node of a list: all nodes of a list have one dtype."""
    if isinstance(value, list | tuple):
        value = next((one for one in value if one is not None), None)
    meta = getattr(value, "meta", None)
    return None if meta is None else meta.get("val")
