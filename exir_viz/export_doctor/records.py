"""What keeps a module from being exported, as plain data."""

from __future__ import annotations

from enum import StrEnum

from exir_viz.snapshot.records import Record


class BlockerKind(StrEnum):
    """What a blocker is about."""

    BRANCH = "branch on data"
    SIZE = "size that depends on data"
    NUMBER = "number that depends on data"
    ASSERTION = "assertion on data"
    LOOP = "loop over data"
    DYNAMIC_SHAPES = "dynamic shapes"
    FAKE_KERNEL = "operator without a fake kernel"
    WRONG_FAKE_KERNEL = "operator with a wrong fake kernel"
    INPUT = "type of an input"
    OUTPUT = "type of an output"
    PYTHON = "Python that cannot be traced"
    RUN = "module that does not run"


class Fix(Record, frozen=True):
    """A suggested change.

    title: what to do. code: what to paste; "" where only you can know. first, last: the lines of the file
    that the code replaces; 0 where it replaces none. If `last` is less than `first`, it goes before `first`.
    is_tried: with this code, and that of the blockers before, torch.export got past the line, and the module
    returned what it returned before for the example inputs, and left them and its buffers as it did before.
    Of an output that cannot be exported: the module exports, and returns the rest as before.
    """

    title: str
    code: str = ""
    first: int = 0
    last: int = 0
    is_tried: bool = False


class Blocker(Record, frozen=True):
    """One thing that keeps a module from being exported.

    Attributes
    ----------
    kind
        What it is about.
    explanation
        What torch cannot do here, in a sentence or two.
    reason
        What torch says; of a module that does not run, the error that it raises without torch.export.
    modes
        The ways of exporting that it blocks: "non-strict", "strict", "draft".
    module
        The path of the submodule in which it was found; "" for the module itself.
    file, line, code
        The user's line.
    fixes
        Suggested changes, the best first.
    """

    kind: BlockerKind
    explanation: str
    reason: str
    modes: tuple[str, ...] = ()
    module: str = ""
    file: str = ""
    line: int = 0
    code: str = ""
    fixes: tuple[Fix, ...] = ()
