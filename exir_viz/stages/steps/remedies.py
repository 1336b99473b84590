"""Every remedy of a finding, and the title of every fix: what to do about a step that failed or would fail,
or about a call that is not delegated. A test runs each of them before it may be suggested.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from exir_viz.snapshot.operators import DtypeRule, word_of


class Remedy(StrEnum):
    """A sentence for the user. Words in braces are filled in with `format`."""

    # Errors that any step can raise.
    DATA_DEPENDENT = (
        "This line depends on the data of a tensor. Use torch.cond or torch.where, or tell torch what is "
        "always true of the value with torch._check(...)."
    )
    RAISED_AT_NODE = (
        "{library} raised this error. Rewrite this line with other operators, or report the error to "
        "{library}."
    )
    RAISED_SOMEWHERE = (
        "{library} does not name the node. Export and lower parts of the module to find the line, or report "
        "the error to {library}."
    )

    # Decompositions and the rules of edge.
    KEEP_OP = "Remove {op} from the list to keep it."
    NO_SIGNATURES = "Export without preserve_module_call_signature: lowering replaces the value."
    EVAL = "The module was exported in training mode: call .eval() on it before exporting, for inference."
    DECOMPOSE = "First run decompose(), then decompose([{op!r}]), and lower the result."
    NOT_CORE = (
        "Rewrite the line with other operators. If the backend or the runtime has a kernel for it, preserve "
        "it, or lower without verifying edge rules."
    )
    RUNTIME_HAS_IT = (
        "Lower without verifying edge rules, edge(check_ir=False): the runtime has an instruction for it."
    )
    WITHOUT_IT = "Rewrite the line without it."
    DTYPE = (
        "Convert {argument} before this line to {dtypes}. If ExecuTorch refuses the conversion too, pass "
        "inputs and weights in that dtype."
    )
    COMPLEX = "Compute with the real and the imaginary part as two float tensors."
    UNVERIFIED = "Lower without verifying edge rules: the result may not run"

    # Backends.
    BEFORE_EDGE = (
        "Run this step on the stage {stage!r} instead: before edge, ExecuTorch can prepare the program for "
        "the backend."
    )
    EDGE_FIRST = "Lower to edge first, then to the backend"
    FINITE = "Give it a finite number, such as torch.finfo(dtype).max, to delegate this call."
    SUPPORTED_OPS = "Rewrite the line with operators that {title} supports."
    OUT_OF_BRANCH = "Move the call out of the branch or loop."
    SECOND_BACKEND = "Add a partitioner that gets what the first one leaves: backend([first, second])."
    COMPARE_LIMITS = "Compare the shapes, dtypes and arguments with what {title}'s partitioner checks."
    AS_STATED = "Change the call as the reason says."
    PARAMETER = "Make it a parameter or a constant of the module, not a computed value."
    FLOAT = "Convert to float32 before this line."
    PRECISION = "Choose a partitioner that allows this precision, or quantize another way."
    STATIC = "Export with static sizes."

    # ExecuTorch.
    NO_TRACES = "Leave stack traces out"
    OUT_VARIANT = (
        "Register an out variant of the operator, with torch.library and with the runtime, or rewrite the "
        "line with operators that have one."
    )
    KERNEL = "Register a kernel of your own for it, or rewrite the line with other operators."
    QUANTIZED_KERNELS = (
        "Run import executorch.kernels.quantized, which registers it, and link the library of quantized "
        "kernels into the runtime. Or lower to a backend before, such as XNNPACK."
    )
    TENSOR_OUTPUT = "Return a tensor: torch.tensor(...)."
    NO_GRADIENTS = (
        "Run the step under torch.no_grad(), or call .requires_grad_(False) on the module before exporting."
    )
    LOOP = (
        "The runtime has instructions for cond, map and scan. Write the loop with scan. If the number of "
        "iterations is fixed, write a Python loop: torch.export unrolls it."
    )

    # Quantization.
    OBSERVE_FLOATS = (
        "The quantizer asks to observe {dtype} values here. Annotate float tensors only, or leave out "
        "quantizer=: XNNPACK's configuration does that."
    )
    KEEP_INTEGERS = (
        "The quantizer made integers floats before this line. Annotate float tensors only, or leave out "
        "quantizer=: XNNPACK's configuration does that."
    )
    LIKE_EXAMPLES = "Pass calibration inputs with the structure, dtypes and sizes of the example inputs."
    QUANTIZE_EXPORTED = (
        "Quantize the exported stage: decompositions replace the operators that quantizers support."
    )
    DECOMPOSE_FIRST = "Run decompose() first, then quantize: {op} is not quantized, its parts can be."
    LEAVE_FLOAT = "Lower the program without this step, or pass a quantizer= that supports its operators."


def dtype_remedy(rule: DtypeRule | None, dtypes: Mapping[str, str]) -> str:
    """What to do about arguments with dtypes that edge refuses, by argument; no rule if none is recorded."""
    if any(dtype.startswith("complex") for dtype in dtypes.values()):
        return Remedy.COMPLEX
    arguments = [name for name in dtypes if not name.startswith("__ret")] or list(dtypes)
    allowed = {name: rule.allowed(name) for name in arguments} if rule else {}
    refused = (name for name in allowed if dtypes[name] not in allowed[name])
    name = next(refused, arguments[0])
    some = ", ".join(allowed.get(name, ()))
    supported = f"one of {some}" if some else "a supported dtype, such as float32"
    return Remedy.DTYPE.format(argument=word_of(name), dtypes=supported)
