"""A pickle as data: its instructions are followed, and nothing that it names is imported or called.

A pickle is a program. Here a class or function that it names becomes a `Name`, and a call becomes a `Built`,
which records the function and its arguments; nothing is ever called. Steps are limited, and so is memory,
because every object is made by a step.
"""

from __future__ import annotations

import io
import pickletools  # a disassembler: it names instructions and decodes their constants, and runs nothing
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from exir_viz.readers.archive import limits
from exir_viz.readers.archive.context import Budget


class PickleError(ValueError):
    """The pickle is broken, over a limit, or of a kind that is not followed."""


@dataclass(frozen=True, slots=True)
class Name:
    """A class or function that the pickle names: "torch._utils._rebuild_tensor_v2"."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Persistent:
    """A reference to something outside of the pickle: torch's storages."""

    id: object


@dataclass(slots=True, eq=False)
class Mapping:
    """A dict: keys may be anything."""

    pairs: list[tuple[object, object]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Built:
    """A call that was not made: the function, its arguments, and the state that was set afterwards."""

    fn: object
    args: object
    state: object = None
    items: list[object] = field(default_factory=list)
    pairs: list[tuple[object, object]] = field(default_factory=list)


class _Mark:
    pass


_MARK: Final = _Mark()
_CONSTANTS: Final = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_VALUES: Final = frozenset({
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "STRING",
    "BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "UNICODE", "BINUNICODE",
    "SHORT_BINUNICODE", "BINUNICODE8",
})  # fmt: skip
# Larger numbers of the memo are never written, and could be chosen to collide.
_MAX_MEMO: Final = 1 << 32
_IGNORED: Final = frozenset({"PROTO", "FRAME"})


def load(data: bytes, budget: Budget) -> object:
    """Follow a pickle, within the instructions that are left for the file.

    Leaves constants, lists, tuples, and the inert classes above; raises PickleError.
    """
    if len(data) > limits.MAX_PICKLE_BYTES:
        raise PickleError(f"it has {len(data):,} bytes, and at most {limits.MAX_PICKLE_BYTES:,} are read")
    machine = _Machine()
    try:
        for opcode, arg, _ in pickletools.genops(io.BytesIO(data)):
            budget.pickle_steps -= 1
            if budget.pickle_steps < 0:
                raise PickleError(f"the file's pickles have over {limits.MAX_PICKLE_STEPS:,} instructions")
            if opcode.name == "STOP":
                return machine.pop()
            machine.step(opcode.name, arg)
    except (ValueError, IndexError, KeyError, TypeError, OverflowError, UnicodeError) as error:
        if isinstance(error, PickleError):
            raise
        raise PickleError(f"it is broken: {error}") from error
    raise PickleError("it has no end")


class _Machine:
    """The stack and the memo; one method for each family of instructions."""

    def __init__(self) -> None:
        self._stack: list[object] = []
        self._memo: dict[int, object] = {}
        self._steps: dict[str, Callable[[], object]] = {
            "EMPTY_LIST": list,
            "EMPTY_TUPLE": tuple,
            "EMPTY_DICT": Mapping,
            "EMPTY_SET": lambda: Built(Name("builtins.set"), ()),
            "LIST": self._popped,
            "TUPLE": lambda: tuple(self._popped()),
            "TUPLE1": lambda: tuple(self._last(1)),
            "TUPLE2": lambda: tuple(self._last(2)),
            "TUPLE3": lambda: tuple(self._last(3)),
            "DICT": lambda: Mapping(_pairs(self._popped())),
            "FROZENSET": lambda: Built(Name("builtins.frozenset"), (self._popped(),)),
            "DUP": lambda: self._stack[-1],
            "STACK_GLOBAL": lambda: _name(*self._last(2)),
            "REDUCE": self._call,
            "NEWOBJ": self._call,
            "NEWOBJ_EX": self._new_with_keywords,
            "OBJ": self._object,
            "BINPERSID": lambda: Persistent(self.pop()),
        }
        self._changes: dict[str, Callable[[], None]] = {
            "APPEND": lambda: self._append(self._last(1)),
            "APPENDS": lambda: self._append(self._popped()),
            "ADDITEMS": lambda: self._append(self._popped()),
            "SETITEM": lambda: self._set(self._last(2)),
            "SETITEMS": lambda: self._set(self._popped()),
            "BUILD": self._build,
            "MEMOIZE": lambda: self._memo.__setitem__(len(self._memo), self._stack[-1]),
            "MARK": lambda: self._stack.append(_MARK),
            "POP": self._drop,
            "POP_MARK": self._drop_to_mark,
        }

    def step(self, name: str, arg: object) -> None:
        """Follow one instruction."""
        if name in _VALUES:
            self._stack.append(arg)
        elif name in self._steps:
            self._stack.append(self._steps[name]())
        elif name in self._changes:
            self._changes[name]()
        elif name in ("PUT", "BINPUT", "LONG_BINPUT") and isinstance(arg, int) and 0 <= arg < _MAX_MEMO:
            self._memo[arg] = self._stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET") and isinstance(arg, int):
            self._stack.append(self._memo[arg])
        elif name in _CONSTANTS:
            self._stack.append(_CONSTANTS[name])
        elif name in ("GLOBAL", "INST") and isinstance(arg, str):
            named = _name(*arg.split(" ", 1))
            self._stack.append(named if name == "GLOBAL" else Built(named, tuple(self._popped())))
        elif name == "PERSID":
            self._stack.append(Persistent(arg))
        elif name not in _IGNORED:
            raise PickleError(f"its instruction {name} is not supported")

    def pop(self) -> object:
        """Take the topmost value."""
        (value,) = self._last(1)
        return value

    def _last(self, count: int) -> list[object]:
        values = self._stack[-count:]
        if len(values) < count or any(value is _MARK for value in values):
            raise PickleError("it pops more values than it pushed")
        del self._stack[-count:]
        return values

    def _popped(self) -> list[object]:
        """Pop everything above the topmost mark, and the mark."""
        at = len(self._stack) - 1
        while at >= 0 and self._stack[at] is not _MARK:
            at -= 1
        if at < 0:
            raise PickleError("it has no mark")
        values = self._stack[at + 1 :]
        del self._stack[at:]
        return values

    def _append(self, values: list[object]) -> None:
        target = self._stack[-1]
        if isinstance(target, list):
            target += values
        elif isinstance(target, Built):
            target.items += values
        else:
            raise PickleError("it appends to an object that is not a list")

    def _set(self, values: list[object]) -> None:
        target = self._stack[-1]
        if not isinstance(target, (Mapping, Built)):
            raise PickleError("it sets items on an object that is not a dict")
        target.pairs += _pairs(values)

    def _build(self) -> None:
        state = self.pop()
        target = self._stack[-1]
        if not isinstance(target, Built):
            raise PickleError("it sets the state of an object that it did not build")
        target.state = state

    def _call(self) -> Built:
        fn, args = self._last(2)
        return Built(fn, args)

    def _drop(self) -> None:
        self._last(1)

    def _drop_to_mark(self) -> None:
        self._popped()

    def _new_with_keywords(self) -> object:
        cls, args, keywords = self._last(3)
        return Built(cls, args, keywords)

    def _object(self) -> object:
        cls, *args = self._popped()
        return Built(cls, tuple(args))


def _pairs(values: list[object]) -> list[tuple[object, object]]:
    if len(values) % 2:
        raise PickleError("a dict has a key without a value")
    return list(zip(values[::2], values[1::2], strict=True))


def _name(module: object, name: object) -> Name:
    if not isinstance(module, str) or not isinstance(name, str):
        raise PickleError("it uses a value as a name that is not text")
    return Name(f"{module}.{name}")
