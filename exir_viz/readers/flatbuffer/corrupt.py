"""An error in a file whose place is not complete yet; outside of the reader it becomes a FileError.

The reader does not carry a path along: each level adds its step while the error passes. So a correct file
needs no time for texts.
"""

from __future__ import annotations

from exir_viz.errors import FileError, MalformedFile


class Corrupt(Exception):
    """A reason, and the steps to the member it concerns, innermost first."""

    def __init__(self, reason: str, type: type[FileError] = MalformedFile, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.type = type
        self.hint = hint
        self._steps: list[str] = []

    def within(self, step: str) -> Corrupt:
        """The same error, seen from the member that holds it: ".sizes" or "[3]"."""
        self._steps.append(step)
        return self

    @property
    def member(self) -> str:
        """Where, as one writes it: "execution_plan[0].values[3].val.sizes"."""
        return "".join(reversed(self._steps)).removeprefix(".")

    def error(self, file: str) -> FileError:
        """The error for the user."""
        return self.type(file, self.reason, member=self.member, hint=self.hint)
