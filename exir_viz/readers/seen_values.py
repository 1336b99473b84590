"""What became of attributes and variables: an argument of an op that a line made, an op, or absent.

A value is in the program where an op that one of its lines made has an equal argument. Attributes of
torch's own modules, whose lines are not watched, are compared with arguments of the same name.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple, TypeGuard

from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.frames import is_users, users_frame
from exir_viz.snapshot.placement import working
from exir_viz.snapshot.printable import one_line
from exir_viz.snapshot.program import PythonValue, ValueOutcome, ValueRole
from exir_viz.snapshot.records import Arg, Literal, LiteralType, SequenceArg

from .source_lines import matching_text
from .watched_export import LineWatch, Place, Variable, is_plain, is_symbol, unwatched_lines

if TYPE_CHECKING:
    import torch

_LONGEST: Final = 60
_MOST_LINES: Final = 3
# Attributes that every module has.
_OF_TORCH: Final = frozenset({"training", "call_super_init", "dump_patches"})
_NAME_IN_SCHEMA: Final = re.compile(r"(\w+)(?:=(?:\[[^\]]*\]|[^,)\[]*))?\s*(?=[,)])")


class _Read(NamedTuple):
    """Where code reads a name: all lines of the statement that does."""

    file: str
    lines: range


def _position(read: _Read) -> tuple[str, int]:
    return read.file, read.lines.start


class _Function(NamedTuple):
    """A function of the user: where it reads its variables, and attributes of its first argument."""

    variables: dict[str, list[_Read]]
    assigned: dict[str, int]


class _Code:
    """The user's files that ran: their functions, and where they read attributes of modules."""

    def __init__(self, watch: LineWatch) -> None:
        self.functions: dict[tuple[str, int], _Function] = {}
        self.attributes: dict[str, list[_Read]] = defaultdict(list)
        # where code reads an attribute of this name of anything else than its first argument
        self.others: dict[str, list[_Read]] = defaultdict(list)
        for file in watch.arcs:
            text = matching_text(file, {})
            try:
                tree = ast.parse(text or "")
            except (SyntaxError, ValueError, RecursionError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    self._function(file, node)

    def _function(self, file: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        variables: dict[str, list[_Read]] = defaultdict(list)
        given = function.args
        several = [one for one in (given.vararg, given.kwarg) if one is not None]
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *several]
        assigned = {one.arg: one.lineno for one in every}
        first = every[0].arg if every else ""
        for statement, node in _nodes(function):
            read = _read(file, statement)
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    variables[node.id].append(read)
                else:
                    assigned.setdefault(node.id, node.lineno)
            elif _is_read_of(node, first):
                self.attributes[node.attr].append(read)
            elif name := _attribute_read(node):
                self.others[name].append(read)
        for name, statement in _read_by_inner_functions(function):
            variables[name].append(_read(file, statement))
        begins = min([function.lineno, *(one.lineno for one in function.decorator_list)])
        self.functions[file, begins] = _Function(variables, assigned)


def _read(file: str, statement: ast.stmt) -> _Read:
    return _Read(file, range(statement.lineno, (_end(statement) or statement.lineno) + 1))


def _read_by_inner_functions(function: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """The variables that functions in a function read and do not assign, each with the statement."""
    for inner in ast.walk(function):
        if inner is function or not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        nodes = [*ast.walk(inner)]
        own = {one.arg for one in nodes if isinstance(one, ast.arg)}
        own |= {one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        for statement, node in _nodes(inner):
            if isinstance(node, ast.Name) and node.id not in own:
                yield node.id, statement


def _attribute_read(node: ast.AST) -> str:
    """The name of an attribute that a node reads, of anything; "" if it reads none."""
    match node:
        case ast.Attribute(attr=name, ctx=ast.Load()):
            return name
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str() as name), *_]):
            return name
    return ""


def _is_read_of(node: ast.AST, name: str) -> TypeGuard[ast.Attribute]:
    """Whether a node reads an attribute of a variable."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        and isinstance(node.ctx, ast.Load)
    )


def _nodes(function: ast.AST) -> Iterator[tuple[ast.stmt, ast.AST]]:
    """The nodes of a function, each with its statement; not those of functions in it."""
    waiting: list[tuple[ast.stmt, ast.AST]] = [(one, one) for one in getattr(function, "body", ())]
    while waiting:
        statement, node = waiting.pop()
        yield statement, node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        children = ast.iter_child_nodes(node)
        waiting += [(child if isinstance(child, ast.stmt) else statement, child) for child in children]


def _end(statement: ast.stmt) -> int | None:
    """The last line of what a statement itself evaluates: not of its body."""
    for name in ("test", "iter", "subject"):
        head = getattr(statement, name, None)
        if isinstance(head, ast.expr) and hasattr(statement, "body" if name != "subject" else "cases"):
            return head.end_lineno
    if isinstance(statement, ast.With | ast.AsyncWith):
        return max(one.context_expr.end_lineno or 0 for one in statement.items)
    return statement.end_lineno


def seen_values(module: torch.nn.Module, watch: LineWatch, snapshot: Snapshot) -> tuple[PythonValue, ...]:
    """The attributes of a module and of its submodules, and the variables of functions that ran."""
    code, ops, lines = _Code(watch), _Ops(snapshot), _Lines(watch, snapshot)
    return (*_attributes(module, watch, code, ops, lines), *_variables(watch, code, ops, lines))


class _Lines:
    """The lines that ran: those that were watched, and those that TorchDynamo read and ops name.

    is_complete: all lines that ran are known.
    """

    def __init__(self, watch: LineWatch, snapshot: Snapshot) -> None:
        unwatched = unwatched_lines(snapshot)
        self.is_complete = unwatched is None
        self.watched = {(file, line) for file, arcs in watch.arcs.items() for _, line in arcs}
        self.unwatched = {(file, line) for file, several in (unwatched or {}).items() for line in several}


def _that_ran(reads: Iterable[_Read], lines: Collection[Place]) -> list[_Read]:
    """Those statements that are in some lines, in the order of their lines."""
    found = [one for one in reads if any((one.file, line) in lines for line in one.lines)]
    return sorted(found, key=_position)


class _Ops:
    """The ops of a program, by the user's line and by module."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.by_line: dict[Place, list[Node]] = defaultdict(list)
        self.by_module: dict[str, list[Node]] = defaultdict(list)
        self.state: set[str] = set()
        for method in snapshot.methods.values():
            self.state |= {one.target for one in method.signature.inputs if one.target is not None}
            for graph in method.graphs():
                for node in map(graph.__getitem__, working(graph)):
                    frame = users_frame(node.frames)
                    if frame is not None and is_users(frame.file):
                        self.by_line[frame.file, frame.line].append(node)
                    if node.scope is not None:
                        self.by_module[node.scope.path].append(node)

    def with_argument(self, value: object, reads: Iterable[_Read], path: str = "") -> list[Node]:
        """The ops of some lines that have an argument equal to a value; `path`: of a module."""
        places = dict.fromkeys((read.file, line) for read in reads for line in read.lines)
        return [
            node
            for place in places
            for node in self.by_line.get(place, ())
            if any(_is_equal(arg, value) for arg in _args(node)) and _is_within(node, path)
        ]

    def with_named_argument(self, value: object, name: str, path: str) -> list[Node]:
        """The ops of a module that have an argument of this name and value."""
        return [
            node
            for node in self.by_module.get(path, ())
            if (arg := _named_args(node).get(name)) is not None and _is_equal_or_each(arg, value)
        ]


def _is_within(node: Node, path: str) -> bool:
    """Whether a module made a node: the body of torch.cond names none, but the call of it does."""
    holder = node.graph.holder
    if not node.scopes and holder is not None:
        return _is_within(holder, path)
    return not path or any(scope.path == path for scope in node.scopes)


def _args(node: Node) -> Iterator[Arg]:
    waiting = [*node.call.args, *node.call.values]
    while waiting:
        arg = waiting.pop()
        yield arg
        if isinstance(arg, SequenceArg):
            waiting += arg.items


def _named_args(node: Node) -> dict[str, Arg]:
    names = _NAME_IN_SCHEMA.findall((node.target.schema or "").partition("(")[2].partition(" -> ")[0])
    return dict(zip(names, node.call.args, strict=False)) | dict(
        zip(node.call.names, node.call.values, strict=True)
    )


def _is_equal_or_each(arg: Arg, value: object) -> bool:
    """Whether an argument is this value, or a list of it: kernel_size=2 of a module is [2] in its op."""
    items = arg.items if isinstance(arg, SequenceArg) and isinstance(value, int) else ()
    return _is_equal(arg, value) or (bool(items) and all(_is_equal(item, value) for item in items))


_LITERALS: Final[Mapping[type, LiteralType]] = {
    bool: LiteralType.BOOL, int: LiteralType.INT, float: LiteralType.FLOAT, complex: LiteralType.COMPLEX,
    str: LiteralType.STR,
}  # fmt: skip


def _is_equal(arg: Arg, value: object) -> bool:
    """Whether an argument is this value, or a list that contains these values in a row.

    None is in too many calls to say anything.
    """
    if isinstance(value, tuple | list):
        items = arg.items if isinstance(arg, SequenceArg) else ()
        starts = range(len(items) - len(value) + 1) if value else ()
        return any(all(map(_is_equal, items[at:], value)) for at in starts)
    kind = _LITERALS.get(type(value))
    return isinstance(arg, Literal) and kind is arg.type and arg.text == _literal_text(value)


def _literal_text(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


def _attributes(
    module: torch.nn.Module, watch: LineWatch, code: _Code, ops: _Ops, lines: _Lines
) -> Iterator[PythonValue]:
    for path, one in module.named_modules():
        ran = watch.lines.get(path, set())
        for name, value in vars(one).items():
            full = f"{path}.{name}" if path else name
            if name.startswith("_") or name in _OF_TORCH or full in ops.state or callable(value):
                continue
            every = code.attributes.get(name, ())
            reads, unwatched = _that_ran(every, ran), _that_ran(every, lines.unwatched)
            made = ops.with_argument(value, unwatched, path) if is_plain(value) and not reads else []
            unread = _unread(name, code, lines)
            yield _attribute(full, value, path, unwatched if made else reads, ops, unread)


def _unread(name: str, code: _Code, lines: _Lines) -> str:
    """The note for an attribute that no watched method of its module read."""
    watched = "" if lines.is_complete else "watched "
    reads = (*code.attributes.get(name, ()), *code.others.get(name, ()))
    if others := _that_ran(reads, lines.watched):
        where = _where(others)
        return f"No {watched}method of its module read it; an attribute of this name is read at {where}"
    return f"No {watched}line of yours read it while exporting"


def _attribute(
    full: str, value: object, path: str, reads: Sequence[_Read], ops: _Ops, unread: str
) -> PythonValue:
    name = full.rpartition(".")[2]
    text = _text(value) if is_plain(value) else ""
    made = ops.with_argument(value, reads, path) if text else []
    where = _where(reads)
    if made:
        outcome, note = ValueOutcome.CONSTANT, f"An argument of {_names(made)} ({where})"
    elif text and (made := ops.with_named_argument(value, name, path)):
        outcome, note = ValueOutcome.CONSTANT, f"The argument {name} of {_names(made)}"
    elif reads:
        outcome, note = ValueOutcome.ABSENT, f"Python read it at {where}: only its effect is in the program"
    else:
        outcome, note = ValueOutcome.ABSENT, unread
    first = reads[0] if reads else None
    return PythonValue(
        ValueRole.ATTRIBUTE, full, _type(value), text, outcome, note, tuple(node.id for node in made),
        first.file if first else "", first.lines.start if first else 0,
    )  # fmt: skip


def _variables(watch: LineWatch, code: _Code, ops: _Ops, lines: _Lines) -> Iterator[PythonValue]:
    for variable, values in watch.values.items():
        function = code.functions.get((variable.file, variable.first))
        if function is None or variable.name not in function.assigned:
            continue
        reads = _that_ran(function.variables.get(variable.name, ()), lines.watched | lines.unwatched)
        unused = f"No {'' if lines.is_complete else 'watched '}line that ran uses it"
        line = function.assigned[variable.name]
        yield _variable(variable, [*values.values()], line, reads, ops, unused)


def _variable(
    variable: Variable, values: Sequence[object], line: int, reads: Sequence[_Read], ops: _Ops, unused: str
) -> PythonValue:
    text = ", ".join(dict.fromkeys(map(_text, values[:_MOST_LINES])))
    if len(values) > _MOST_LINES:
        text += ", …"
    made = [node for value in values for node in ops.with_argument(value, reads)]
    made = list({node.id: node for node in made}.values())
    if any(map(_is_symbolic, values)):
        outcome, note, made = ValueOutcome.OP, "It varies: the program computes it from sizes or data", []
    elif made:
        outcome, note = ValueOutcome.CONSTANT, f"An argument of {_names(made)}"
    elif reads:
        outcome = ValueOutcome.ABSENT
        note = f"Python used it at {_where(reads)}: only its effect is in the program"
    else:
        outcome, note = ValueOutcome.ABSENT, unused
    return PythonValue(
        ValueRole.VARIABLE, f"{variable.function}: {variable.name}", _type(values[0]), text, outcome, note,
        tuple(node.id for node in made), variable.file, line,
    )  # fmt: skip


def _is_symbolic(value: object) -> bool:
    if isinstance(value, tuple | list):
        return any(map(is_symbol, value))
    return is_symbol(value)


def _type(value: object) -> str:
    return type(value).__name__


def _text(value: object) -> str:
    if isinstance(value, tuple | list):
        return one_line(f"({', '.join(map(_text, value))}{',' * (len(value) == 1)})", _LONGEST)
    return one_line(str(value) if is_symbol(value) else repr(value), _LONGEST)


def _where(reads: Sequence[_Read]) -> str:
    places = dict.fromkeys(f"{PurePath(read.file).name}:{read.lines.start}" for read in reads)
    shown = [*places][:_MOST_LINES]
    return ", ".join(shown) + (", …" if len(places) > _MOST_LINES else "")


def _names(nodes: Sequence[Node]) -> str:
    names = [*dict.fromkeys(node.target.name or node.name for node in nodes)]
    return ", ".join(names[:_MOST_LINES]) + (", …" if len(names) > _MOST_LINES else "")
