"""Which node torch or ExecuTorch worked on when an error came, read from the frames of its traceback.

Why: most of their errors name no node. The loops over nodes call theirs `n` or `node`, and ExecuTorch's
verifiers call the graph that they refuse `gm`. Where no frame has such a variable, the error is shown without
a node.
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
    """The node that torch or ExecuTorch worked on when the error came: the outermost loop over nodes knows.

    Further in, decompositions run graphs of their own, whose nodes nobody has seen. Of an error with a cause,
    the cause's stack leads to where it began.
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
    """The graph that a verifier of ExecuTorch looked at when it gave up; None, and a notice, without one."""
    for function in _VERIFIERS:
        module = _local(error, function, "gm")
        if module is not None:
            return module  # type: ignore[no-any-return]
    FEATURE.left_out("no verifier on the stack has a variable gm")
    return None


def _local(error: BaseException, function: str, name: str) -> Any:
    """What a function on the error's stack called `name`; None where it is not there."""
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
