"""The torch and ExecuTorch code that makes a stage, as a script that does not use exir_viz.

Each step adds its own code (`StepSpec.code`) to that of its parent stage. What cannot be written as code,
such as the module or the inputs of a calibration, becomes a variable that the user defines first: the script
lists these at its top. ATen programs are in the variable `program` (`programs`, a dict, if there are several
methods), edge programs in `edge`, and an ExecuTorch program in `executorch`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import TYPE_CHECKING, Any, Final

from exir_viz.torch_internals.export import is_derived, is_hint

if TYPE_CHECKING:
    from exir_viz.stages.live import ExportInputs, LivePrograms

_WIDEST: Final = 100
_OURS: Final = ("torch", "model", "args", "kwargs", "program", "programs", "edge", "executorch")


@dataclass(frozen=True)
class PlainCode:
    """The code of a stage.

    inputs: the variables to define first, and what each is. imports: names by module, "" for the module.
    names: those that are taken.
    """

    inputs: Mapping[str, str]
    imports: Mapping[str, tuple[str, ...]]
    lines: tuple[str, ...]
    names: frozenset[str] = frozenset(_OURS)

    @classmethod
    def loaded(cls, text: str) -> PlainCode | None:
        """The script of a loaded session, which no step continues; None if there is none."""
        return cls({}, {}, tuple(text.splitlines())) if text else None

    @property
    def text(self) -> str:
        """The script."""
        head = [f"#   {name}: {about}" for name, about in self.inputs.items()]
        top = ["# Define these first:", *head] if head else []
        imports = [f"import {module}" for module, names in self.imports.items() if "" in names]
        for module, names in sorted(self.imports.items()):
            if named := sorted({*names} - {""}):
                imports.append(f"from {module} import {', '.join(named)}")
        blank = [""] if imports and self.lines else []
        return "\n".join([*top, *imports, *blank, *self.lines]) + "\n"


class CodeWriter:
    """Adds the code of a step to that of the parent stage; None begins a script."""

    def __init__(self, before: PlainCode | None = None) -> None:
        self._inputs = dict(before.inputs) if before else {}
        self._imports = dict(before.imports) if before else {}
        self._lines = list(before.lines) if before else []
        self._names = set(before.names) if before else set(_OURS)

    def code(self) -> PlainCode:
        """All code so far."""
        return PlainCode(self._inputs, dict(self._imports), tuple(self._lines), frozenset(self._names))

    def restart(self) -> None:
        """Leave out the code so far: the step starts from the module again."""
        for part in (self._inputs, self._imports, self._lines):
            part.clear()
        self._names = set(_OURS)

    def imports(self, module: str, *names: str) -> None:
        """Import a module, or names of it."""
        self._imports[module] = (*self._imports.get(module, ()), *(names or ("",)))
        self._names |= set(names)

    def line(self, *lines: str) -> None:
        """Add lines."""
        self._lines += lines

    def imported(self, module: str, name: str) -> str:
        """Import a function of the user's; returns its name, which no other variable has."""
        free = self._free(name)
        self.imports(module, name if free == name else f"{name} as {free}")
        return free

    def provided(self, name: str, about: str) -> str:
        """A variable that the user defines; returns its name, which no other variable has."""
        name = self._free(name)
        self._inputs[name] = about
        return name

    def shared(self, name: str, about: str) -> str:
        """A variable that the user defines once for all steps: `model`, `args`, `kwargs`."""
        self._inputs[name] = about
        return name

    def assigned(self, name: str, expression: str) -> str:
        """Assign an expression to a variable; returns its name, which no other variable has."""
        name = self._free(name)
        self.line(f"{name} = {expression}")
        return name

    def each_program(self, live: LivePrograms, expression: str) -> None:
        """Replace every ATen program by an expression of `program`."""
        if has_one_method(live):
            self.line(f"program = {expression}")
        else:
            self.line(f"programs = {{name: {expression} for name, program in programs.items()}}")

    def _free(self, name: str) -> str:
        number, free = 1, name if name.isidentifier() else "value"
        while free in self._names:
            number += 1
            free = f"{name}_{number}"
        self._names.add(free)
        return free


def has_one_method(live: LivePrograms) -> bool:
    """Whether the script has the variable `program`; else it has the dict `programs`."""
    return list(live.programs) == ["forward"]


def quoted(text: str) -> str:
    """A text as code, in double quotes where it needs no others."""
    return f'"{text}"' if repr(text) == f"'{text}'" and '"' not in text else repr(text)


def programs_of(live: LivePrograms) -> str:
    """The variable of the ATen programs."""
    return "program" if has_one_method(live) else "programs"


def operator_text(op: Any) -> str:
    """An operator as code: `torch.ops.aten.linear.default`."""
    return f"torch.ops.{op}"


def sequence_text(items: Iterable[str], around: str = "[]") -> str:
    """A list or a call's arguments, on several lines if one is too long."""
    items = list(items)
    line = ", ".join(items)
    if len(line) <= _WIDEST - 20:
        return f"{around[0]}{line}{around[1]}"
    return "\n".join([around[0], *(indent(f"{item},", "    ") for item in items), around[1]])


def call_text(function: str, arguments: Sequence[str]) -> str:
    """A call."""
    return function + sequence_text(arguments, "()")


def write_start(code: CodeWriter, live: LivePrograms) -> None:
    """The first stage: the export of a session that exported its module, else programs that are loaded."""
    if live.exported is not None:
        write_export(code, live.exported, live.exported.dynamic_shapes, live.exported.strict)
    elif live.manager is not None:
        name = "edge" if live.pte is None else "executorch"
        code.shared(name, f"the {type(live.manager).__name__}")
    elif has_one_method(live):
        code.imports("torch")
        code.line('program = torch.export.load("model.pt2")  # or torch.export.export(model, args)')
    else:
        code.imports("torch")
        loads = (f"{quoted(name)}: torch.export.load({quoted(f'{name}.pt2')})" for name in live.programs)
        code.line(f"programs = {sequence_text(loads, '{}')}")


def write_export(code: CodeWriter, source: ExportInputs, dynamic_shapes: Any, strict: bool) -> None:
    """Export the user's module."""
    code.imports("torch")
    arguments = [code.shared("model", f"the {type(source.module).__name__} to export")]
    names = ", ".join(source.kwargs)
    arguments.append(code.shared("args", "the tuple of its example inputs") if source.args else "()")
    if source.kwargs:
        arguments.append(code.shared("kwargs", f"the dict of its keyword inputs: {names}"))
    arguments += _how(code, source, dynamic_shapes, strict)
    code.line(f"program = {call_text('torch.export.export', arguments)}")


def write_export_of_program(
    code: CodeWriter, source: ExportInputs, dynamic_shapes: Any, strict: bool
) -> None:
    """Export the module of a program again."""
    code.imports("torch")
    code.line("args, kwargs = program.example_inputs")
    arguments = ["program.module()", "args", "kwargs", *_how(code, source, dynamic_shapes, strict)]
    code.line(f"program = {call_text('torch.export.export', arguments)}")


def _how(code: CodeWriter, source: ExportInputs, dynamic_shapes: Any, strict: bool) -> list[str]:
    """The arguments of an export after the inputs."""
    from torch.export import AdditionalInputs, ShapesCollection

    if isinstance(dynamic_shapes, AdditionalInputs | ShapesCollection):
        arguments = (source.module, source.args, dict(source.kwargs))
        dynamic_shapes = dynamic_shapes.dynamic_shapes(*arguments)  # type: ignore[no-untyped-call]
    found = []
    if dynamic_shapes is not None:
        found.append(f"dynamic_shapes={shapes_text(code, dynamic_shapes)}")
    return [*found, "strict=True"] if strict else found


def shapes_text(code: CodeWriter, shapes: Any) -> str:
    """`dynamic_shapes` as code; a variable that the user defines, if an entry is of the user's own class."""
    try:
        return _shape_text(code, shapes, {})
    except TypeError:
        return code.provided("dynamic_shapes", "the dynamic_shapes of the export")


def _shape_text(code: CodeWriter, value: Any, dims: dict[str, str]) -> str:
    """One entry of `dynamic_shapes`. `dims`: the variables of the dimensions so far, by their names."""
    from torch.export import Dim

    if value is None or type(value) in (int, bool):
        return repr(value)
    if type(value) is str:
        return quoted(value)
    if type(value) is dict:
        entries = (
            f"{_shape_text(code, key, dims)}: {_shape_text(code, one, dims)}" for key, one in value.items()
        )
        return f"{{{', '.join(entries)}}}"
    if type(value) in (list, tuple):
        inner = ", ".join(_shape_text(code, one, dims) for one in value)
        if type(value) is list:
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if is_derived(value):
        root, offset = _shape_text(code, value.root, dims), int(value.fn(0))
        factor = int(value.fn(1)) - offset
        if factor != 1 and is_derived(value.root):
            root = f"({root})"
        product = root if factor == 1 else f"{factor} * {root}"
        return product if not offset else f"{product} {'+' if offset > 0 else '-'} {abs(offset)}"
    if is_hint(value):
        code.imports("torch.export", "Dim")
        bounds = _bounds(min=value.min, max=value.max)
        return f"Dim.{value.type.name}" + (f"({', '.join(bounds)})" if bounds else "")
    if type(value) is Dim:
        if value.__name__ not in dims:
            code.imports("torch.export", "Dim")
            bounds = _bounds(min=value.min or None, max=value.max if isinstance(value.max, int) else None)
            expression = f"Dim({', '.join([quoted(value.__name__), *bounds])})"
            dims[value.__name__] = code.assigned(value.__name__, expression)
        return dims[value.__name__]
    raise TypeError(f"{type(value).__name__} cannot be written as code")


def _bounds(**bounds: int | None) -> list[str]:
    return [f"{name}={value}" for name, value in bounds.items() if value is not None]
