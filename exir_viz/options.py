"""Arguments of the public verbs: a wrong one is refused in our own words, and in the same way everywhere.

`named_options` goes around a verb and refuses what its signature does not take. The checks below look at
values. Nothing here imports torch.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextvars import ContextVar
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, ParamSpec, TypeGuard, TypeVar

from exir_viz.errors import UnknownOption, WrongArgument

_called: ContextVar[str] = ContextVar("called", default="")

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_LONGEST = 60
_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def wrong_argument(reason: str) -> WrongArgument:
    """A WrongArgument with a reason of its own: of arguments that contradict each other or the program."""
    return WrongArgument("", "", "", "", reason)


def named_options(verb: Callable[P, R]) -> Callable[P, R]:
    """Refuse arguments that the signature of a verb does not take, naming the option that was meant."""
    signature = inspect.signature(verb)

    @functools.wraps(verb)
    def called(*args: P.args, **options: P.kwargs) -> R:
        try:
            signature.bind(*args, **options)
        except TypeError as error:
            raise _misfit(verb, signature, args, options, str(error)) from None
        outermost = _called.set(_called.get() or name_of(verb))
        try:
            return verb(*args, **options)
        finally:
            _called.reset(outermost)

    return called


def called_verb() -> str:
    """The verb that the user called, which may call others; "" outside of one."""
    return _called.get()


def name_of(verb: Callable[..., Any]) -> str:
    """What the user calls: a function's or method's name, or the class of a constructor."""
    parts = verb.__qualname__.split(".")
    return parts[-2] if parts[-1] == "__init__" else parts[-1]


def _misfit(
    verb: Callable[..., Any],
    signature: inspect.Signature,
    args: Collection[object],
    options: Collection[str],
    why: str,
) -> UnknownOption | WrongArgument:
    """Why a call does not fit a signature."""
    name = name_of(verb)
    known = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    named = [one.name for one in known if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)]
    required = [one.name for one in known if one.default is one.empty and one.name in named]
    unknown = next((option for option in options if option not in named), None)
    if unknown is not None:
        inputs = _inputs_of_module(args, options) if "kwargs" in named else []
        named_inputs = ", ".join(f"{one!r}: …" for one in inputs)
        hint = f"Pass inputs of the module as kwargs={{{named_inputs}}}." if unknown in inputs else ""
        return UnknownOption(name, unknown, [one for one in named if one not in required], hint)
    by_name = [one.name for one in known if one.kind is one.KEYWORD_ONLY]
    hint = f"Pass options by name: {', '.join(f'{one}=…' for one in by_name)}." if by_name else ""
    before = len(signature.parameters) - len(known)
    if "too many positional" in why:
        return WrongArgument(
            name, "the call", f"with {len(args) - before} arguments by position", _places(known), hint
        )
    given = [one.name for one in known if one.kind is one.POSITIONAL_OR_KEYWORD][: len(args) - before]
    missing = next((one for one in required if one not in given and one not in options), "")
    if missing:
        return WrongArgument(name, missing, "missing", f"{name}({', '.join(required)})")
    return WrongArgument(name, "the call", f"wrong: {why}", "each argument once")


def _inputs_of_module(args: Iterable[object], options: Iterable[str]) -> list[str]:
    """The options that are parameters of `forward` of the module among the arguments."""
    forward = next(filter(callable, (getattr(one, "forward", None) for one in args)), None)
    if forward is None:
        return []
    parameters = inspect.signature(forward).parameters
    return [option for option in options if option in parameters]


def _places(known: Iterable[inspect.Parameter]) -> str:
    names = [one.name for one in known if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return f"at most {', '.join(names)}" if names else "none"


def known_options(verb: str, given: Iterable[str], options: Collection[str]) -> None:
    """Raise UnknownOption for the first option that is given and not known: of options as a mapping."""
    for option in given:
        if option not in options:
            raise UnknownOption(verb, str(option), options)


# -- values -----------------------------------------------------------------------------------------------


def flag(verb: str, name: str, value: object) -> bool:
    """True or False, and nothing that is only like it."""
    if not isinstance(value, bool):
        raise WrongArgument(verb, name, described(value), "True or False")
    return value


def text(verb: str, name: str, value: object) -> str:
    """A str."""
    if not isinstance(value, str):
        raise WrongArgument(verb, name, described(value), "text")
    return value


def count(verb: str, name: str, value: object, least: int = 0) -> int:
    """A whole number from `least` on."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise WrongArgument(verb, name, described(value), f"a whole number from {least} on")
    return value


def pixels(verb: str, name: str, value: object) -> int:
    """A whole number above 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise WrongArgument(verb, name, described(value), "a whole number of CSS pixels, such as 600")
    return value


def path(verb: str, value: object, hint: str = "", name: str = "path") -> Path:
    """A path as text or as an os.PathLike of text."""
    found = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(found, str):
        raise WrongArgument(
            verb, name, described(value), "the path of a file, as text or a pathlib.Path", hint
        )
    if not found or "\0" in found:
        why = "empty text" if not found else "text with a NUL character"
        raise WrongArgument(verb, name, why, "the path of a file", hint)
    if _URL.match(found):
        raise WrongArgument(verb, name, f"the URL {found!r}", "the path of a file on this computer", hint)
    return Path(found)


def one_of(verb: str, name: str, value: object, allowed: Collection[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        words = [str(one) for one in allowed]  # members of a StrEnum are shown as their text
        close = get_close_matches(value, words, n=1) if isinstance(value, str) else []
        hint = f"Did you mean {close[0]!r}?" if close else ""
        raise WrongArgument(verb, name, described(value), " or ".join(map(repr, words)), hint)
    return value


def instance(verb: str, name: str, value: object, cls: type[T], hint: str = "") -> T:
    """An object of a class."""
    if not isinstance(value, cls):
        article = "an" if cls.__name__[0] in "AEIO" else "a"
        raise WrongArgument(verb, name, described(value), f"{article} {cls.__name__}", hint)
    return value


def is_text(value: object) -> bool:
    """Whether it is a str."""
    return isinstance(value, str)


def several(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether it is an iterable other than text, bytes or a mapping."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def all_of(verb: str, name: str, values: object, cls: type[T], hint: str = "") -> tuple[T, ...]:
    """Several objects of a class, in a list or another sequence."""
    if not several(values):
        raise WrongArgument(
            verb, name, described(values), "a list" if cls is object else f"a list of {cls.__name__}", hint
        )
    found = tuple(values)
    for at, one in enumerate(found):
        instance(verb, f"{name}[{at}]", one, cls, hint)
    return found


def by_name(verb: str, name: str, value: object) -> dict[str, Any]:
    """Values by name; None is none."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise WrongArgument(verb, name, described(value), "a dict of values by name")
    return dict(value)


def refuse(verb: str, name: str, value: object, expected: str, hint: str = "") -> NoReturn:
    """Raise WrongArgument for a value that was looked at elsewhere."""
    raise WrongArgument(verb, name, described(value), expected, hint)


def described(value: object) -> str:
    """Describe an argument: its value if that is short, else its type."""
    if isinstance(value, type):
        return f"the class {type_name(value)} itself"
    if isinstance(value, ModuleType):
        return f"the Python module {value.__name__}"
    if inspect.isroutine(value):
        return f"the function {getattr(value, '__qualname__', '')}".strip()
    if value is None or isinstance(value, bool | int | float | str):
        shown = repr(value)
        return shown if len(shown) <= _LONGEST else f"a {type(value).__name__} of {len(shown):,} characters"
    if isinstance(value, bytes):
        return f"bytes ({len(value):,})"
    if isinstance(value, tuple | list | dict) and len(repr(value)) <= _LONGEST:
        return repr(value)
    name = type_name(type(value))
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def type_name(cls: type) -> str:
    """A class with the module that it is of: "torch.Tensor"; those of Python, ours and the user's without."""
    package = cls.__module__.partition(".")[0]
    own = package in ("builtins", "exir_viz", "__main__")
    return cls.__qualname__ if own else f"{cls.__module__}.{cls.__qualname__}"
