"""The node at which an error of torch or ExecuTorch happened, read from the frames of its traceback.

Why: most of their errors name no node. Their loops over nodes use a variable `n` or `node`, and ExecuTorch's
verifiers name the refused graph `gm`. If no frame has such a variable, the error is shown without a node.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    from torch import fx

FEATURE: Final = Feature(
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
    FEATURE.left_out("no verifier on the stack has a variable gm")
    return None


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
