"""Transform: run the user's own passes, on ATen or edge programs. They may change the graph in place.

A pass is what torch and ExecuTorch accept as one: a PassBase, or a callable that takes a GraphModule and
returns a PassResult, or None if it changed the module in place. On edge, ExecuTorch's passes over whole
programs (ExportedProgramPassBase) are accepted too.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from exir_viz.readers.library_files import is_library
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import Frame
from exir_viz.stages.live import LivePrograms, NotPossible
from exir_viz.stages.plain_code import CodeWriter
from exir_viz.stages.records import Failure, Finding, StepKind
from exir_viz.torch_internals.edge import executing, with_pass

from . import Options, PhaseCallback, StepResult, StepSpec
from .failures import failure, finding, first_sentence, root

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage


def run(live: LivePrograms, options: Options, report: PhaseCallback) -> StepResult:
    """`passes`: run in order, on every method."""
    passes = _passes(options)
    title = ", ".join(map(pass_name, passes))
    if live.manager is not None:
        manager = live.manager
        for one in passes:
            report(pass_name(one))
            manager = manager.transform([one])
        return StepResult(LivePrograms.managed(manager, live), name=title, title=title)
    programs = live.programs
    for one in passes:
        report(pass_name(one))
        programs = {name: with_pass(program, one) for name, program in programs.items()}
    return StepResult(live.programs_become(programs), name=title, title=title)


def code(writer: CodeWriter, live: LivePrograms, options: Options) -> None:
    """The passes in order. A function of a module is imported; any other pass is the user's variable."""
    for one in _passes(options):
        name = _pass_variable(writer, one)
        if live.manager is not None:
            writer.line(f"edge = edge.transform([{name}])")
        else:
            writer.imports("torch.fx.passes.infra.pass_manager", "pass_result_wrapper")
            writer.each_program(live, f"program._transform_do_not_use(pass_result_wrapper({name}))")


def _pass_variable(writer: CodeWriter, one: Any) -> str:
    module, name = getattr(one, "__module__", None), getattr(one, "__qualname__", "")
    if inspect.isfunction(one) and name.isidentifier() and name != "<lambda>":
        if module not in (None, "__main__") and getattr(sys.modules.get(module), name, None) is one:
            return writer.imported(module, name)
        return writer.provided(name, "your pass, a function")
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", pass_name(one)).lower()
    about = "your pass, a function" if inspect.isroutine(one) else f"your pass, a {pass_name(one)}"
    return writer.provided(words if words.isidentifier() else "my_pass", about)


def pass_name(one: object) -> str:
    """A function's name, or the class of a pass."""
    while isinstance(one, functools.partial):
        one = one.func
    if inspect.isroutine(one):
        return str(getattr(one, "__name__", type(one).__name__))
    return type(one).__name__


def _passes(options: Options) -> Sequence[Any]:
    passes = options.get("passes", ())
    passes = [passes] if callable(passes) else list(passes)
    if not passes or not all(map(callable, passes)):
        raise NotPossible(
            "No passes given. Pass callables that take a GraphModule, or instances of PassBase: "
            "stage.transform(my_pass)."
        )
    return passes


def why_not(stage: Stage) -> str:
    """Why it cannot run: the bytes of an ExecuTorch program are already made."""
    if stage.dialect is Dialect.EXECUTORCH:
        return "it is already an ExecuTorch program. Start from an earlier stage."
    return ""


def failure_of(error: Exception, live: LivePrograms, options: Options) -> Failure:
    """The line of the pass that failed, and the node that it was processing."""
    del options
    cause = root(error)  # torch's PassManager wraps errors of a pass
    trace = traceback.extract_tb(cause.__traceback__)
    lines = [frame for frame in trace if not is_library(frame.filename)]
    node = executing(cause)
    text = f"{type(cause).__name__}: {first_sentence(str(cause))}"
    found: list[Finding] = []
    if lines:
        last = lines[-1]
        where = Frame(last.filename, last.lineno or 0, last.name, (last.line or "").strip())
        found.append(Finding(f"{last.name} raised {text}", frame=where))
    if node is not None:
        found.append(finding(node, "It was at this node.", live=live))
    return failure(cause, text, tuple(found))


STEP = StepSpec(
    StepKind.TRANSFORM,
    "Transform",
    "Run your own passes. Python only: stage.transform(my_pass).",
    run,
    code,
    why_not,
    failure_of=failure_of,
    quiet=False,
    others=("passes",),
)
