"""What `load`, `explore`, `diff` and `Session` accept, and what to say of everything else."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final, TypeGuard

from exir_viz.errors import CaptureError, WrongArgument
from exir_viz.options import called_verb, described
from exir_viz.snapshot import Snapshot

LIVE: Final = (
    "Pass an ExportedProgram, an EdgeProgramManager, an ExecutorchProgramManager, a torch.fx.GraphModule, or "
    "an nn.Module with its example inputs: {verb}(module, x)."
)


# The verbs that export a module with inputs.
_EXPORTING: Final = ("explore", "load", "Session", "doctor")


def exporting_verb() -> str:
    """The verb that the user called with a module; `load` where it is another."""
    verb = called_verb()
    return verb if verb in _EXPORTING else "load"


def arguments_of(module: Any, args: tuple[Any, ...], kwargs: object) -> tuple[Any, ...]:
    """The inputs of a module: a tuple as the only input holds them, as torch.export takes them.

    Not where `forward` takes the tuple itself. To pass one tuple of as many items as there are arguments,
    pass ((a, b),).
    """
    named = {} if kwargs is None else kwargs
    if len(args) != 1 or type(args[0]) is not tuple or not isinstance(named, Mapping):
        return args
    try:
        inspect.signature(module.forward).bind(*args[0], **named)
    except (TypeError, ValueError):
        return args
    return args[0]


def is_path(x: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is the path of a file."""
    return isinstance(x, str | os.PathLike)


def is_runtime_file(x: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is the path of a `.pte`, or of a bundled program, which contains one."""
    return is_path(x) and os.fspath(x).endswith((".pte", ".bpte"))


def live_programs(x: Any) -> Mapping[str, Any]:
    """The programs by method of a stage, an ExportedProgram or a manager; a GraphModule has none."""
    kept = getattr(x, "live", None)
    if kept is not None:
        return dict(kept.programs)
    if hasattr(x, "graph_signature"):
        return {"forward": x}
    if hasattr(x, "methods") and hasattr(x, "exported_program"):
        return {name: x.exported_program(name) for name in x.methods}
    return {}


def not_captured(x: object) -> CaptureError:
    """Why `load` does not take something, and what to do."""
    verb = exporting_verb()
    what = verb if verb == "load" else "read"
    return CaptureError(
        f"Cannot {what} {described(x)}. {_advice(x, verb)}{LIVE.format(verb=verb)} "
        "For a file, use exir_viz.load(path)."
    )


def not_started(x: object) -> CaptureError:
    """Why a session does not begin with something, and what to do."""
    return CaptureError(
        f"Cannot start a session with {described(x)}. {_advice(x, 'Session')}Pass an nn.Module with its "
        "example inputs, Session(module, x); an ExportedProgram, or a dict of them by method; or an "
        "EdgeProgramManager. For a saved session, use Session.load(path)."
    )


def not_explored(x: object) -> CaptureError:
    """Why `explore` does not take something, and what to do."""
    return CaptureError(
        f"Cannot explore {described(x)}. {_advice(x, 'explore')}{LIVE.format(verb='explore')} "
        "Or pass a Snapshot, a Profile, a Session, a Stage, or the path of a file that exir_viz.load reads."
    )


def not_compared(x: object, name: str) -> WrongArgument:
    """Why `diff` does not take something, and what to do."""
    hint = "Pass two of its stages: diff(session.root, session.current)." if _is(x, "Session") else ""
    expected = "a Snapshot, a stage, the path of a file, or a program that exir_viz.load takes"
    return WrongArgument("diff", name, described(x), expected, hint or _advice(x, "load").strip())


def not_loaded(x: object, verb: str = "load", expected: str = "the path of a file") -> WrongArgument:
    """Why `load` does not take something, and what to do."""
    return WrongArgument(verb, "path", described(x), expected)


def check_inputs_unused(verb: str, x: object, given: Mapping[str, object]) -> None:
    """Raise WrongArgument for inputs and options of torch.export where nothing is exported."""
    for name, value in given.items():
        if value is not None and value is not False and not (isinstance(value, tuple | dict) and not value):
            what = "example inputs" if name == "args" else name
            raise WrongArgument(
                verb,
                what,
                "given",
                f"no {what}, because {described(x)} is not exported",
                "Only an nn.Module is exported. To change its sizes, use Session(x).reexport(…).",
            )


def _advice(x: object, verb: str) -> str:
    """What probably went wrong, as a sentence that ends with a blank; "" where that is not known."""
    if x is None:
        return "Did you pass the result of a function that returns nothing? "
    if isinstance(x, Snapshot):
        return "It is already captured: explore(snapshot), snapshot.to_html(path) or diff(a, b). "
    if isinstance(x, bytes):
        return "Write the bytes to a file: exir_viz.load(path) reads a file as data. "
    if isinstance(x, type):
        return f"Make an instance of it: {verb}({x.__name__}(…), x). "
    if isinstance(x, ModuleType):
        return "A Python module is not an nn.Module. "
    if inspect.isroutine(x):
        return "Put the function into the forward of an nn.Module. "
    name = type(x).__name__
    if name in ("Tensor", "Parameter", "ndarray", "FakeTensor"):
        return f"It holds numbers, not a program. Pass the module first: {verb}(module, x). "
    if _is(x, name) and name in _OURS:
        return _OURS[name]
    if isinstance(x, dict | list | tuple):
        return "Pass one program, not several in a container. "
    return ""


def _is(x: object, name: str) -> bool:
    """Whether it is of one of our classes that cannot be imported here."""
    return type(x).__name__ == name and type(x).__module__.startswith("exir_viz.")


_OURS: Final = {
    "Session": "Each of its stages has a Snapshot: session.root.snapshot. ",
    "Stage": "Its Snapshot is stage.snapshot. ",
    "Profile": "Its program is profile.snapshot. ",
    "Diff": "Its programs are diff.a and diff.b. ",
    "Values": "Its programs are values.diff.a and values.diff.b. ",
}
