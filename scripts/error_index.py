"""Write docs/errors.md, the list of every error that exir_viz raises: `python -m scripts.error_index`.

What enters: the classes below `ExirVizError` of every package, with their docstrings, and what raises them:
public functions, methods and properties by the `Raises` sections of their docstrings, every function that
refuses unknown options, and the command.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import exir_viz
from exir_viz import cli, measure, tables, types
from exir_viz.errors import ExirVizError
from exir_viz.options import named_options
from exir_viz.pages import dot

FILE: Final = Path(__file__).resolve().parents[1] / "docs" / "errors.md"
HEAD: Final = """\
# Errors

Every error that exir_viz raises on purpose is an `exir_viz.errors.ExirVizError`: one `except` catches all of
them. Its message says what happened, where, and what to do. <!-- written by python -m scripts.error_index -->

| error | what it says | raised by |
|---|---|---|
"""
MOST_NAMES: Final = 60
RAISES: Final = re.compile(r"^Raises\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}|\Z)", re.MULTILINE | re.DOTALL)


def text() -> str:
    """The page."""
    raised = dict(functions())
    found = sorted(classes(), key=lambda one: one.__name__.lower())
    return HEAD + "".join(_row(one, raised_by(one, raised)) for one in found)


def raised_by(error: type[ExirVizError], raised: dict[str, set[str]]) -> list[str]:
    """Which functions name an error; for one that none names, those that name the kind that it is of."""
    if error.__module__.startswith(cli.__name__):
        return ["exir-viz"]
    names = [name for name, errors in raised.items() if error.__name__ in errors]
    bases = [base for base in error.__bases__ if issubclass(base, ExirVizError) and base is not ExirVizError]
    return names or [name for base in bases for name in raised_by(base, raised)]


def _row(error: type[ExirVizError], raised_by: list[str]) -> str:
    doc = " ".join(inspect.cleandoc(error.__doc__ or "").partition("\n\n")[0].split())
    bases = [base.__name__ for base in error.__bases__ if base is not ExirVizError]
    kind = f" A kind of {', '.join(f'`{base}`' for base in bases)}." if error is not ExirVizError else ""
    kind = kind if bases else ""
    by = ", ".join(_together(raised_by))
    return f'| <a id="{error.__name__.lower()}"></a>`{error.__name__}` | {doc}{kind} | {by} |\n'


def _together(names: list[str]) -> Iterator[str]:
    """Many methods of one class are counted, and very many functions, too."""
    if len(names) > MOST_NAMES:
        yield f"{len(names)} functions and methods"
        return
    members_of: dict[str, list[str]] = {}
    for name in names:
        members_of.setdefault(name.rpartition(".")[0], []).append(name)
    for owner, members in members_of.items():
        if owner and len(members) > 3:
            yield f"{len(members)} {'functions' if owner == 'tables' else 'methods'} of `{owner}`"
        else:
            yield from (f"`{name}`" for name in members)


def classes() -> Iterator[type[ExirVizError]]:
    """Every error, of every module of the package."""
    for module in pkgutil.walk_packages(exir_viz.__path__, "exir_viz."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting: list[type[ExirVizError]] = [ExirVizError]
    seen: set[type[ExirVizError]] = set()
    while waiting:
        one = waiting.pop()
        if one not in seen and one.__module__.startswith("exir_viz"):
            seen.add(one)
            yield one
            waiting += one.__subclasses__()


def functions() -> Iterator[tuple[str, set[str]]]:
    """By public function, method or property, the errors of its docstring and of its options."""
    for name, thing in _public():
        section = RAISES.search(inspect.getdoc(thing) or "")
        lines = section[1].splitlines() if section else []
        named = {word.strip(",") for line in lines if line[:1].strip() for word in line.split()}
        checked = getattr(getattr(thing, "__func__", thing), "__code__", None) is _CHECKED
        yield name, named | ({"UnknownOption", "WrongArgument"} if checked else set())


def _public() -> Iterator[tuple[str, object]]:
    for name, thing in _named():
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            for key, each in inspect.getmembers(thing):
                defined_in = getattr(getattr(each, "fget", each), "__module__", "")
                if not key.startswith("_") and str(defined_in).startswith("exir_viz") and is_member(each):
                    yield f"{name}.{key}", each


def _named() -> Iterator[tuple[str, object]]:
    for name in exir_viz.__all__:
        yield name, getattr(exir_viz, name)
    for name in types.__all__:
        yield name, getattr(types, name)
    for name in tables.__all__:
        yield f"tables.{name}", getattr(tables, name)
    yield from (("measure.profile_file", measure.profile_file), ("measure.sweep", measure.sweep))
    yield "pages.dot.write", dot.write


def is_member(thing: object) -> bool:
    """A function, a class method or a property."""
    return inspect.isroutine(thing) or isinstance(thing, property | functools.cached_property)


@named_options
def _checked() -> None:
    """An example of a function that refuses unknown options."""


_CHECKED: Final = _checked.__code__


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
