"""Every error that exir_viz raises on purpose: what happened, where, and what to do next.

The message is the whole story, as it is shown in a notebook cell; the fields let a caller sort errors
without reading the words. The cause, where there is one, is chained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exir_viz.measure.profile import Profile
    from exir_viz.stages.stage import Stage


_HERE = Path(__file__).parent
# Characters of a message: a file can put any text into one.
MOST_CHARACTERS = 2_000


def as_clause(reason: object) -> str:
    """The text of an error or a reason, within a sentence: without a full stop of its own."""
    return str(reason).rstrip(".")


def shortened(text: str, most: int) -> str:
    """Text without control characters; the middle of a longer one gives way."""
    from exir_viz.snapshot.printable import printable  # which imports this module

    half = most // 2 - 2
    if len(text) > most:
        text = f"{text[:half]} … {text[-half:]}"
    text = printable(text)  # up to ten times as long
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


@contextmanager
def naming(file: object) -> Iterator[None]:
    """Name the file in an error of the system that names none, as those of reading and writing."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(file)
        raise


class ExirVizError(Exception):
    """Base of all errors of exir_viz.

    Parameters
    ----------
    message
        What is wrong, where, and what to do. A very long one is shortened.

    Examples
    --------
    >>> try:
    ...     exir_viz.load(3)
    ... except exir_viz.errors.ExirVizError as error:
    ...     print(type(error).__name__)
    CaptureError
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message, MOST_CHARACTERS))

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows, which asks for this: the user's own lines, and the message.

        Without it a cell shows every line of torch that led here, above what there is to be read. Nothing is
        lost: the exception, its traceback and its cause are what they were.
        """
        from IPython import get_ipython

        cause, context, is_hidden = self.__cause__, self.__context__, self.__suppress_context__
        self.__cause__ = self.__context__ = None
        try:
            shown = get_ipython().InteractiveTB.structured_traceback(
                type(self), self, _of_the_user(self.__traceback__), tb_offset=1
            )
        finally:
            self.__cause__, self.__context__, self.__suppress_context__ = cause, context, is_hidden
        if cause is not None:
            shown.append(f"The {type(cause).__name__} behind it: raise sys.last_value.__cause__")
        return list(shown)


def _of_the_user(tb: TracebackType | None) -> TracebackType | None:
    """A traceback as far as it leads through others' code, up to the call into exir_viz."""
    if tb is None or _HERE in Path(tb.tb_frame.f_code.co_filename).parents:
        return None
    return TracebackType(_of_the_user(tb.tb_next), tb.tb_frame, tb.tb_lasti, tb.tb_lineno)


class UnknownOption(ExirVizError, TypeError):
    """An option that the function does not have. `nearest` is the likely intended one, or "".

    Parameters
    ----------
    verb
        The function.
    option
        The unknown option.
    options
        The options of the function.
    hint
        What to do, instead of a list of the options.

    Examples
    --------
    >>> exir_viz.profile(program, repeat=3)
    Traceback (most recent call last):
        ...
    exir_viz.errors.UnknownOption: profile() has no option 'repeat'. Did you mean 'repeats'? ...
    """

    def __init__(self, verb: str, option: str, options: Iterable[str], hint: str = "") -> None:
        self.verb = verb
        self.option = option
        self.options = tuple(options)
        self.nearest = next(iter(get_close_matches(option, self.options, n=1, cutoff=0.5)), "")
        others = [name for name in self.options if name != self.nearest]
        parts = [f"{verb}() has no option {option!r}."]
        if hint:
            parts.append(hint)
        elif self.nearest:
            parts.append(f"Did you mean {self.nearest!r}?")
        if others and not hint:
            parts.append(f"{'Other options' if self.nearest else 'Options'}: {', '.join(others)}.")
        super().__init__(" ".join(parts))


class WrongArgument(ExirVizError, TypeError, ValueError):
    """An argument of the wrong type or value. The text names the argument, what is expected, and a remedy.

    It is raised before anything runs, for what a function does not accept: an unknown option, a number out of
    range, a name that the program does not have. A program that cannot run on its inputs is a MeasureError.

    Parameters
    ----------
    verb
        The function; "" where `hint` says all.
    name
        The argument.
    given
        What was passed, in short.
    expected
        What the function accepts.
    hint
        What to do.

    Examples
    --------
    >>> exir_viz.explore(model, x, height=-1)
    Traceback (most recent call last):
        ...
    exir_viz.errors.WrongArgument: explore(): height is -1. Expected: ...
    """

    def __init__(self, verb: str, name: str, given: str, expected: str, hint: str = "") -> None:
        self.verb = verb
        self.name = name
        self.given = given
        self.expected = expected
        self.hint = hint
        text = f"{verb}(): {name} is {given}. Expected: {expected}. " if verb else ""
        super().__init__(f"{text}{hint}".rstrip())


class FileError(ExirVizError):
    """A file that cannot be opened: which file, which part of it, why, and what would help."""

    def __init__(self, file: str, reason: str, *, member: str = "", hint: str = "") -> None:
        file, member, reason = shortened(file, 200), shortened(member, 200), shortened(reason, 1_000)
        self.file = file
        self.member = member
        self.reason = reason
        self.hint = hint
        where = f"{file!r}, in {member!r}" if member else f"{file!r}"
        super().__init__(f"Cannot open {where}: {as_clause(reason)}." + (f" {hint}" if hint else ""))


class UnknownFormat(FileError):
    """The file has a format that exir_viz does not read."""


class TruncatedFile(FileError):
    """The file ends before its contents do."""


class MalformedFile(FileError):
    """The file's contents contradict themselves or their schema."""


class MissingImport(MalformedFile):
    """The file needs a class or an op that nothing has registered here; `module` likely does, where known."""

    def __init__(self, file: str, reason: str, *, module: str = "", hint: str = "") -> None:
        super().__init__(file, reason, hint=hint)
        self.module = module


class FileTooLarge(FileError):
    """The file, or what it claims to unpack to, is over a limit."""


class UnsupportedVersion(FileError):
    """The file is of a version that this exir_viz does not read."""


class NotWritten(ExirVizError):
    """A file that could not be written: path, reason, remedy. An existing file is unchanged."""

    def __init__(self, file: str, reason: str, hint: str) -> None:
        self.file = file
        self.reason = reason
        self.hint = hint
        super().__init__(f"Cannot write {file!r}: {as_clause(reason)}. {hint}")


class NotAllowed(ExirVizError):
    """Something that could execute code was asked for without trust."""


class ExportFailed(ExirVizError):
    """torch.export could not export a module: the reason, the user's line, torch's suggestion, and a hint."""

    def __init__(
        self,
        module: str,
        reason: str,
        *,
        file: str = "",
        line: int = 0,
        code: str = "",
        suggestion: str = "",
        hint: str = "",
    ) -> None:
        self.module = module
        self.reason = reason
        self.file = file
        self.line = line
        self.code = code
        self.suggestion = suggestion
        self.hint = hint
        parts = [f"Cannot export {module}: {reason}"]
        if file:
            parts.append(f'  at "{file}", line {line}' + (f"\n    {code}" if code else ""))
        if suggestion:
            parts.append(f"torch suggests:\n{suggestion}")
        if hint:
            parts.append(hint)
        super().__init__("\n".join(parts))


class StepFailed(ExirVizError):
    """torch or ExecuTorch failed in a step: why, at which lines, and what may help.

    `stage` is the failed stage, which stays in the session: `stage.failure` has findings and fixes as data.

    Examples
    --------
    >>> class Blocked(torch.nn.Module):
    ...     def forward(self, x):
    ...         return torch.fft.fft(x).abs()
    >>> from exir_viz.errors import StepFailed
    >>> try:
    ...     exir_viz.Session(Blocked(), torch.ones(4)).edge()
    ... except StepFailed as error:
    ...     print(error.stage.failure.type)
    SpecViolationError
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        super().__init__(repr(stage))


class CaptureError(ExirVizError):
    """A live object that cannot be captured: what it is, and what can be captured instead."""


class UnsupportedTorch(ExirVizError):
    """The installed torch or ExecuTorch lacks a private part without which this cannot be done at all."""


class MissingTool(ExirVizError):
    """A program that is not a Python package is needed and absent; says how to install it."""


class MissingExtra(ExirVizError):
    """A verb needs packages that are not installed: which, the extra that brings them, and pip's command."""

    def __init__(self, verb: str, packages: Sequence[str], extra: str) -> None:
        self.verb = verb
        self.packages = tuple(packages)
        self.extra = extra
        self.command = f'pip install "exir-viz[{extra}]"'
        are = "is" if len(self.packages) == 1 else "are"
        named = " and ".join(self.packages)
        super().__init__(f"{verb} needs {named}, which {are} not installed. Run: {self.command}")


class MeasureError(ExirVizError):
    """A program that could not be run to be measured: which node, which line made it, expected and given.

    Inputs that do not fit the program are one reason; options that a function refuses are a WrongArgument.

    `profile` keeps what was measured before; None where nothing ran. `reason` is the message without
    the words that lead to it.
    """

    def __init__(
        self,
        message: str,
        *,
        node: str = "",
        op: str = "",
        file: str = "",
        line: int = 0,
        expected: str = "",
        given: str = "",
    ) -> None:
        self.node = node
        self.op = op
        self.file = file
        self.line = line
        self.expected = expected
        self.given = given
        self.reason = message
        self.profile: Profile | None = None
        super().__init__(message)
