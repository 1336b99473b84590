"""Write docs/errors.md, the list of every error that exir_viz raises: `python -m scripts.error_index`.

What enters: the classes below `ExirVizError` of every package, with their docstrings, and the `Raises`
sections of the public docstrings.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import exir_viz
from exir_viz import ExirVizError, tables

FILE: Final = Path(__file__).resolve().parents[1] / "docs" / "errors.md"
HEAD: Final = """\
# Errors

Every error that exir_viz raises on purpose is an `exir_viz.ExirVizError`: one `except` catches all of them.
Its message says what happened, where, and what to do. <!-- written by python -m scripts.error_index -->

| error | what it says | raised by |
|---|---|---|
"""
RAISES: Final = re.compile(r"^Raises\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}|\Z)", re.MULTILINE | re.DOTALL)


def text() -> str:
    """The page."""
    raised = dict(_raised())
    found = sorted(_classes(), key=lambda one: one.__name__.lower())
    return HEAD + "".join(_row(one, _raised_by(one, raised)) for one in found)


def _raised_by(error: type[ExirVizError], raised: dict[str, set[str]]) -> list[str]:
    """Which functions name an error; for one that none names, those that name the kind that it is of."""
    names = [name for name, errors in raised.items() if error.__name__ in errors]
    bases = [base for base in error.__bases__ if issubclass(base, ExirVizError) and base is not ExirVizError]
    return names or [name for base in bases for name in _raised_by(base, raised)]


def _row(error: type[ExirVizError], raised_by: list[str]) -> str:
    doc = " ".join(inspect.cleandoc(error.__doc__ or "").partition("\n\n")[0].split())
    bases = [base.__name__ for base in error.__bases__ if base is not ExirVizError]
    kind = f" A kind of {', '.join(f'`{base}`' for base in bases)}." if error is not ExirVizError else ""
    kind = kind if bases else ""
    by = ", ".join(_together(raised_by))
    return f'| <a id="{error.__name__.lower()}"></a>`{error.__name__}` | {doc}{kind} | {by} |\n'


def _together(names: list[str]) -> Iterator[str]:
    """Many methods of one class are counted."""
    homes: dict[str, list[str]] = {}
    for name in names:
        homes.setdefault(name.rpartition(".")[0], []).append(name)
    for home, members in homes.items():
        if home and len(members) > 3:
            yield f"{len(members)} {'functions' if home == 'tables' else 'methods'} of `{home}`"
        else:
            yield from (f"`{name}`" for name in members)


def _classes() -> Iterator[type[ExirVizError]]:
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


def _raised() -> Iterator[tuple[str, set[str]]]:
    """By public function or method, the names in its `Raises` section."""
    for name, thing in _public():
        section = RAISES.search(inspect.getdoc(thing) or "")
        if section:
            lines = (line.split() for line in section[1].splitlines() if line and not line.startswith(" "))
            yield name, {word.strip(",") for words in lines for word in words}


def _public() -> Iterator[tuple[str, object]]:
    for name in exir_viz.__all__:
        thing = getattr(exir_viz, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            for key, each in inspect.getmembers(thing, inspect.isfunction):
                if not key.startswith("_") and each.__module__.startswith("exir_viz"):
                    yield f"{name}.{key}", each
    for name in tables.__all__:
        if inspect.isfunction(getattr(tables, name)):
            yield f"tables.{name}", getattr(tables, name)


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
