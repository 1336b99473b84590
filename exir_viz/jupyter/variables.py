"""The programs, sessions, diffs and profiles among the variables of a kernel, for JupyterLab's sidebar.

What enters: the names that a user defined. Values are recognised by their classes alone, and only those of
torch, ExecuTorch and exir_viz are asked for anything: no property or method of a user's class runs. Importing
this module imports neither torch nor what shows a program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff
    from exir_viz.measure.profile import Profile
    from exir_viz.snapshot import Snapshot
    from exir_viz.stages.session import Session
    from exir_viz.stages.stage import Stage
    from exir_viz.widget.session_explorer import SessionExplorer

# More would not be found in a list.
MOST_ROWS: Final = 200


class Variable(msgspec.Struct, frozen=True):
    """One row of the sidebar."""

    name: str
    kind: str
    dialect: str
    nodes: int
    can_compare: bool


class VariableList(msgspec.Struct, frozen=True):
    """What the sidebar gets; `left_out` says how many more there are."""

    variables: tuple[Variable, ...]
    left_out: int

    def _repr_mimebundle_(self, **_options: Any) -> Mapping[str, Any]:
        # JupyterLab asks for this as a `user_expression`, which is answered in the form of a display.
        return {"application/json": msgspec.to_builtins(self), "text/plain": repr(self)}


def list_variables(namespace: Mapping[str, object]) -> VariableList:
    """The variables of a namespace that can be explored, by name."""
    found = [
        variable
        for name, value in sorted(namespace.items())
        if name.isidentifier()
        and (not name.startswith("_") or _is_only_output(name, value, namespace))
        and (variable := _describe(name, value))
    ]
    return VariableList(tuple(found[:MOST_ROWS]), max(0, len(found) - MOST_ROWS))


def show(namespace: Mapping[str, object], name: str) -> object:
    """What explores a variable: the last value of a cell."""
    import exir_viz

    value: Any = namespace[name]
    match _kind(value):
        case "diff" | "values":
            return value.explore()
        case "stage":
            return exir_viz.explore(value.shown.snapshot)
        case _:
            return exir_viz.explore(_session_of(value))


def compare(namespace: Mapping[str, object], a: str, b: str) -> object:
    """The comparison of two variables; of a session, its current stage counts."""
    import exir_viz

    def comparable(name: str) -> object:
        value: Any = namespace[name]
        return _session_of(value).current if _kind(value) == "session" else value

    return exir_viz.diff(comparable(a), comparable(b), names=(a, b)).explore()


def _is_only_output(name: str, value: object, namespace: Mapping[str, object]) -> bool:
    """Whether an explorer, whose stages took time to make, has no other name than that of a cell's output."""
    if _OUTPUT.fullmatch(name) is None or _class_name(value) != _EXPLORER:
        return False
    return all(one is not value for other, one in namespace.items() if not other.startswith("_"))


def _describe(name: str, value: object) -> Variable | None:
    describe = _DESCRIBED.get(_class_name(value))
    return None if describe is None else describe(name, value)


def _kind(value: object) -> str:
    described = _describe("", value)
    return "" if described is None else described.kind


def _class_name(value: object) -> str:
    """Module and name of the class, which a class of the user's cannot have a say in."""
    cls = type(value)
    module = type.__getattribute__(cls, "__module__")
    return f"{module}.{type.__getattribute__(cls, '__qualname__')}"


def _program(name: str, program: Any) -> Variable:
    from exir_viz.readers.exported import dialect_of

    return Variable(name, "program", dialect_of(program).value, len(program.graph_module.graph.nodes), True)


def _manager(name: str, manager: Any) -> Variable:
    from exir_viz.readers.exported import dialect_of

    programs = [manager.exported_program(method) for method in sorted(manager.methods)]
    is_last = type(manager).__name__ == "ExecutorchProgramManager"
    dialect = "executorch" if is_last else dialect_of(programs[0]).value if programs else ""
    nodes = sum(len(program.graph_module.graph.nodes) for program in programs)
    return Variable(name, "program", dialect, nodes, True)


def _snapshot(name: str, snapshot: Snapshot) -> Variable:
    return Variable(name, "snapshot", snapshot.method.dialect.value, _count(snapshot), True)


def _session_of(value: Any) -> Any:
    """The session of an explorer; any other value itself."""
    return value.session if _class_name(value) == _EXPLORER else value


def _session(name: str, value: Session | SessionExplorer) -> Variable:
    snapshot = _session_of(value).current.shown.snapshot
    return Variable(name, "session", snapshot.method.dialect.value, _count(snapshot), True)


def _stage(name: str, stage: Stage) -> Variable:
    snapshot = stage.shown.snapshot
    return Variable(name, "stage", snapshot.method.dialect.value, _count(snapshot), True)


def _diff(name: str, diff: Diff) -> Variable:
    return Variable(name, "diff", "", _count(diff.b), False)


def _profile(name: str, profile: Profile) -> Variable:
    return Variable(name, "profile", profile.snapshot.method.dialect.value, _count(profile.snapshot), True)


def _values(name: str, values: Any) -> Variable:
    return Variable(name, "values", "", _count(values.diff.b), False)


def _count(snapshot: Snapshot) -> int:
    return sum(len(method.graph) for method in snapshot.methods.values())


_EXPLORER: Final = "exir_viz.widget.session_explorer.SessionExplorer"
# IPython's name for what a cell showed.
_OUTPUT: Final = re.compile(r"_\d+")
_MANAGERS: Final = "executorch.exir.program._program"
_DESCRIBED: Final[Mapping[str, Callable[[str, Any], Variable]]] = {
    "torch.export.exported_program.ExportedProgram": _program,
    f"{_MANAGERS}.EdgeProgramManager": _manager,
    f"{_MANAGERS}.ExecutorchProgramManager": _manager,
    "exir_viz.snapshot.snapshot.Snapshot": _snapshot,
    "exir_viz.stages.session.Session": _session,
    _EXPLORER: _session,
    "exir_viz.stages.stage.Stage": _stage,
    "exir_viz.compare.diff.Diff": _diff,
    "exir_viz.compare.values.values.Values": _values,
    "exir_viz.measure.profile.Profile": _profile,
}
