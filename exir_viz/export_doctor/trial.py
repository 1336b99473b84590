"""Try the code of fixes: export the module with them, and keep those that get past the line.

The user's functions run with other code meanwhile, compiled from the text of their file with the fixes in it.
The file is not written, and only these functions of it run.
"""

from __future__ import annotations

import ast
import copy
import gc
import sys
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from exir_viz.errors import ExportFailed
from exir_viz.readers.source_lines import matching_text
from exir_viz.stages.output_capture import discarded_output

from .blockers import GENERAL
from .records import Blocker, Fix

if TYPE_CHECKING:
    import torch

# Exports the module; returns why it fails.
Export = Callable[[], ExportFailed | None]
# A file and a fix of its text.
Change = tuple[str, Fix]
# The most exports of one diagnosis.
_MOST: Final = 40
# How long the module may run with a fix: at least these seconds, and as often the time that it takes itself.
_SECONDS: Final = 60.0
_TIMES: Final = 10


class _TooLong(BaseException):
    """The module runs too long with a fix; no `except Exception` of the module catches it."""


class FixTrial:
    """Tries the fixes of blockers, each with those that worked for the blockers before it.

    Parameters
    ----------
    module, args, kwargs
        The module, and its example inputs.
    blockers
        What was found. `blockers` has them with the fixes that work, and those that could not be tried.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        blockers: Sequence[Blocker],
    ) -> None:
        self.blockers = list(blockers)
        self._module, self._args, self._kwargs = module, args, kwargs
        self._working: list[Change] = []
        self._tried: set[int] = set()
        self._left = _MOST
        files = {one.file for one in self.blockers if _has_code(one)}
        self._functions = _functions(files) if files else []
        began = time.monotonic()
        self._expected = self._results() if files else None
        self._seconds = max(_SECONDS, _TIMES * (time.monotonic() - began))

    def run(self, error: ExportFailed, export: Export) -> None:
        """Go from the line of an error to that of the next, as long as a fix gets past it."""
        if not any(_has_code(one) for at, one in enumerate(self.blockers) if at not in self._tried):
            return
        stopped: ExportFailed | None = error
        if self._working:
            stopped = self._stopped(self._working, export)
        while stopped is not None:
            at = next((at for at, one in enumerate(self.blockers) if _is_at(stopped, one)), None)
            if at is None or at in self._tried:
                return
            self._tried.add(at)
            goes_on, stopped = self._try(at, export)
            if not goes_on:
                return

    def _try(self, at: int, export: Export) -> tuple[bool, ExportFailed | None]:
        """Try the fixes of a blocker: whether one works, and where the export stops with it."""
        one = self.blockers[at]
        fixes: list[Fix] = []
        works, stopped = False, None
        for fix in one.fixes:
            if not fix.first:
                fixes.append(fix)
                continue
            if any(other.title == fix.title and other.first for other in fixes):
                continue
            found = self._attempt(one, fix, export)
            if found is None:
                fixes.append(fix)
            elif found[0]:
                fixes.append(replace(fix, is_tried=True))
                if not works:
                    works, stopped = found
                    self._working.append((one.file, fix))
        self.blockers[at] = replace(one, fixes=tuple(fixes))
        return works, stopped

    def _attempt(self, one: Blocker, fix: Fix, export: Export) -> tuple[bool, ExportFailed | None] | None:
        """Whether a fix works, and where the export stops with it; None if that cannot be tried."""
        changes = [*self._working, (one.file, fix)]
        if self._left <= 0:
            return None
        self._left -= 1
        with _changed(changes, self._functions) as is_changed:
            if not is_changed:
                return None
            stopped = export()
            if stopped is not None and not _is_elsewhere(
                stopped, (one.file, one.line), (one.file, fix.first)
            ):
                return False, stopped
            if self._expected is None:
                return None
            try:
                with _at_most(self._seconds):
                    found = self._results()
            except _TooLong:
                return False, stopped
            return found is not None and is_equal(self._expected, found), stopped

    def _stopped(self, changes: Sequence[Change], export: Export) -> ExportFailed | None:
        with _changed(changes, self._functions):
            return export()

    def _results(self) -> list[Any] | None:
        """What a copy of the module returns for the example inputs, then these inputs and its buffers.

        None if it does not run.
        """
        import torch

        from exir_viz.torch_internals.pytrees import pytree

        try:
            module, args, kwargs = copy.deepcopy((self._module, self._args, dict(self._kwargs)))
            with torch.no_grad(), torch.random.fork_rng(devices=()), discarded_output():
                torch.manual_seed(0)
                leaves, structure = pytree.tree_flatten(module(*args, **kwargs))
                given = (one for one in pytree.tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor))
                return [structure, *leaves, *given, *module.buffers()]
        except Exception:  # noqa: BLE001  the user's code runs: whatever it raises, there is nothing to compare
            return None


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise _TooLong at the first call of a function of Python after some seconds."""
    end, before = time.monotonic() + seconds, sys.getprofile()

    def check(_frame: FrameType, event: str, _arg: object) -> None:
        if event == "call" and time.monotonic() > end:
            raise _TooLong

    sys.setprofile(check)
    try:
        yield
    finally:
        sys.setprofile(before)


def only_best(blockers: Sequence[Blocker]) -> list[Blocker]:
    """Of several ways to write a fix the first; advice without code only where no code is left."""
    return [replace(one, fixes=tuple(_best(one.fixes))) for one in blockers]


def _best(fixes: Sequence[Fix]) -> Iterator[Fix]:
    has_code = any(fix.first for fix in fixes)
    seen: set[str] = set()
    for fix in fixes:
        if fix.title in GENERAL and not fix.first:
            if not has_code:
                yield fix
        elif not fix.first or fix.title not in seen:
            seen.add(fix.title)
            yield fix


def _has_code(one: Blocker) -> bool:
    return any(fix.first for fix in one.fixes)


def _is_at(error: ExportFailed, one: Blocker) -> bool:
    return bool(one.line) and (error.file, error.line) == (one.file, one.line)


def _is_elsewhere(error: ExportFailed, *places: tuple[str, int]) -> bool:
    """Whether an error is known to be about other lines than these."""
    if not error.line:
        return "Constraints violated" in error.reason
    return (error.file, error.line) not in places


@contextmanager
def _changed(changes: Sequence[Change], functions: Sequence[FunctionType]) -> Iterator[bool]:
    """While the block runs, functions have the code of the changes; whether that is possible."""
    swaps: dict[int, CodeType] | None = {}
    for file in dict.fromkeys(file for file, _ in changes):
        codes = [one.__code__ for one in functions if one.__code__.co_filename == file]
        found = _new_codes(file, [fix for other, fix in changes if other == file], codes)
        swaps = None if swaps is None or found is None else swaps | found
    before = [(one, one.__code__) for one in functions if id(one.__code__) in (swaps or {})]
    try:
        for one, code in before:
            one.__code__ = (swaps or {})[id(code)]
        yield bool(swaps)
    finally:
        for one, code in before:
            one.__code__ = code


def _functions(files: Container[str]) -> list[FunctionType]:
    """All functions of some files, methods and nested functions too."""
    every = (one for one in gc.get_objects() if type(one) is FunctionType)
    return [one for one in every if one.__code__.co_filename in files]


def _new_codes(file: str, fixes: Sequence[Fix], codes: Sequence[CodeType]) -> dict[int, CodeType] | None:
    """The new code of each function with a fix, by the id of the code that it has; None if one has none."""
    text = matching_text(file, {})
    if text is None:
        return None
    try:
        tree = ast.parse(text)
        compiled = _compiled(text, fixes, file)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found: dict[int, CodeType] = {}
    for fix in fixes:
        around = _codes_around(tree, codes, fix.first)
        for code in around:
            new = [one for one in _nested(compiled) if _place(one) == _place(code)]
            if len(new) != 1 or new[0].co_freevars != code.co_freevars:
                return None
            found[id(code)] = new[0]
        if not around:
            return None
    return found


def _compiled(text: str, fixes: Sequence[Fix], file: str) -> CodeType:
    """Compile a text with the code of fixes, in which errors name lines of the text without them."""
    lines = text.split("\n")
    for fix in sorted(fixes, key=lambda fix: fix.first, reverse=True):
        lines[fix.first - 1 : max(fix.last, fix.first - 1)] = fix.code.split("\n")
    tree = ast.parse("\n".join(lines))
    for node in list[Any](ast.walk(tree)):
        if hasattr(node, "lineno"):
            node.lineno = _line_before(node.lineno, fixes)
            node.end_lineno = _line_before(node.end_lineno or node.lineno, fixes)
            node.col_offset = node.end_col_offset = 0
    code: CodeType = compile(tree, file, "exec", dont_inherit=True)
    return code


def _line_before(line: int, fixes: Sequence[Fix]) -> int:
    """The line that a line with fixes was before; in the code of a fix, the line of the fix."""
    for fix in sorted(fixes, key=lambda fix: fix.first):
        count = fix.code.count("\n") + 1
        if fix.first <= line < fix.first + count:
            return fix.first
        if line >= fix.first + count:
            line -= count - max(fix.last - fix.first + 1, 0)
    return line


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _codes_around(tree: ast.Module, codes: Sequence[CodeType], line: int) -> list[CodeType]:
    """The codes of the functions that exist and have a line; a function within one may be made again."""
    around = [
        (min([one.lineno, *(each.lineno for each in one.decorator_list)]), one.name)
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        and one.lineno <= line <= (one.end_lineno or one.lineno)
    ]
    return [code for code in codes if (code.co_firstlineno, code.co_name) in around]


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _nested(one)


def is_equal(expected: list[Any], found: list[Any]) -> bool:
    """Whether two runs have the same results."""
    import torch

    if len(expected) != len(found):
        return False
    for one, other in zip(expected, found, strict=True):
        if not isinstance(one, torch.Tensor):
            if isinstance(other, torch.Tensor) or not _is_same(one, other):
                return False
        elif (
            not isinstance(other, torch.Tensor)
            or one.shape != other.shape
            or one.dtype != other.dtype
            or not torch.allclose(one, other, equal_nan=True)
        ):
            return False
    return True


def _is_same(one: object, other: object) -> bool:
    """Whether values that are no tensors are equal; those that cannot be compared are not, such as arrays."""
    try:
        return bool(one == other)
    except (ValueError, RuntimeError):
        return False
