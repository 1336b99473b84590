"""A feature that needs private parts of torch or ExecuTorch, with a notice if they have changed.

A feature names what it uses in two ways. `uses` are names that can be checked before the feature runs:
"torch.fx.node._get_qualified_name(func)" exists, and can be called with that argument. `attributes` are
attributes of objects ("torch.export.ExportedProgram._guards_code") or names that are checked when they are
read.

A notice goes to the current collector of notices: a step, a capture. Without one it is a Python warning.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from exir_viz.errors import UnsupportedTorch

CODE: Final = "torch_internals"
KNOWN: Final = "torch 2.13 to 2.15, ExecuTorch 1.4 and 1.5"

_PACKAGE: Final = Path(__file__).parents[1]
_CALL: Final = re.compile(r"(?P<path>[\w.]+)(?:\((?P<arguments>[^)]*)\))?")

Note = Callable[[str, str], None]

_note: ContextVar[Note | None] = ContextVar("note", default=None)
# Why a feature is not available, "" if it is; checked once per process.
_reasons: dict[str, str] = {}


class FeatureUnavailable(UserWarning):
    """Warns that a feature of exir_viz is left out, because a private part of torch or ExecuTorch has
    changed.
    """


@dataclass(frozen=True)
class Feature:
    """A feature of exir_viz that needs private parts of torch or ExecuTorch.

    purpose: what users get by it. without: what they miss without it. uses, attributes: the private names.
    versions: the releases with which it works.
    """

    name: str
    purpose: str
    without: str
    uses: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    versions: str = KNOWN

    def available(self) -> str | None:
        """Why the feature is not available; None if it is."""
        if self.name not in _reasons:
            found = (missing(use) for use in self.uses)
            _reasons[self.name] = next((reason for reason in found if reason), "")
        return _reasons[self.name] or None

    def is_usable(self) -> bool:
        """Whether it is available. If not, the user gets a notice."""
        reason = self.available()
        if reason is None:
            return True
        self.left_out(reason)
        return False

    def attribute(self, holder: Any, name: str, default: Any = None) -> Any:
        """A private attribute of an object; the default, and a notice, if it has none."""
        try:
            return getattr(holder, name)
        except AttributeError:
            self.left_out(f"{type(holder).__name__}.{name} is absent")
            return default

    def left_out(self, reason: str) -> None:
        """Tell the user that the feature is left out."""
        _warn(f"{self.without} ({reason}; known: {self.versions})")

    def required(self) -> None:
        """Raise UnsupportedTorch if the feature is not available: nothing can replace it."""
        reason = self.available()
        if reason is not None:
            raise self.unsupported(reason)

    def unsupported(self, reason: str) -> UnsupportedTorch:
        """The error that says what cannot be done, why, and which versions work."""
        return UnsupportedTorch(f"{self.without} {reason}. Install {self.versions}.")


def features() -> tuple[Feature, ...]:
    """Every feature, by the file that has it, in the order of that file."""
    package = importlib.import_module(__package__ or "")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    return tuple(value for module in modules for value in vars(module).values() if isinstance(value, Feature))


def missing(use: str) -> str | None:
    """What is wrong with a private name: "… is absent", "… takes other arguments"; None if nothing is.

    "module.function(a, b, *, c)" can be called with two positional arguments and the keyword c.
    """
    match = _CALL.fullmatch(use)
    assert match is not None, use
    try:
        found = resolve(match["path"])
    except (ImportError, AttributeError):
        return f"{match['path']} is absent"
    if match["arguments"] is None:
        return None
    positional, _, keywords = match["arguments"].partition("*")
    names = [one.strip() for one in keywords.split(",")]
    try:
        inspect.signature(found).bind(
            *filter(None, map(str.strip, positional.split(","))), **{name: None for name in names if name}
        )
    except TypeError:
        return f"{match['path']} takes other arguments"
    except ValueError:  # a C++ function has no signature to inspect
        return None
    return None


def resolve(path: str) -> Any:
    """The object of a dotted name; raises ImportError or AttributeError if there is none."""
    root, *parts = path.split(".")
    found: Any = importlib.import_module(root)
    name = root
    for part in parts:
        name = f"{name}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            if not inspect.ismodule(found):
                raise
            found = importlib.import_module(name)
    return found


@contextmanager
def collecting(note: Note) -> Iterator[None]:
    """Pass the notices of the block to `note`, each text once."""
    seen: set[str] = set()

    def once(code: str, text: str) -> None:
        if text not in seen:
            seen.add(text)
            note(code, text)

    token = _note.set(once)
    try:
        yield
    finally:
        _note.reset(token)


def pass_on(texts: Iterable[str]) -> None:
    """Repeat collected notices that are in no result that the user gets."""
    for text in texts:
        _warn(text)


def forget() -> None:
    """Check everything again: for tests that remove private names."""
    _reasons.clear()


def _warn(text: str) -> None:
    note = _note.get()
    if note is not None:
        note(CODE, text)
    else:
        warnings.warn(text, FeatureUnavailable, stacklevel=_callers_level())


def _callers_level() -> int:
    """The stack level of the first frame outside exir_viz: a warning then names the user's line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _PACKAGE in Path(frame.f_code.co_filename).parents:
        level, frame = level + 1, frame.f_back
    return level
