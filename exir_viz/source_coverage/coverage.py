"""Coverage: what `exir_viz.coverage` returns: the user's files, each line with what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from exir_viz.options import WrongArgument, described
from exir_viz.result import Result
from exir_viz.snapshot import Snapshot
from exir_viz.table import Table, table

from .records import Line, LineStatus


@dataclass(frozen=True)
class FileCoverage:
    """The lines of one file.

    is_watched: its lines were watched while the module was exported; otherwise what ran is inferred. is_read:
    the file is there and says what the program says; otherwise only the lines are known that the program
    names.
    """

    file: str
    lines: tuple[Line, ...]
    is_watched: bool = False
    is_read: bool = True

    @cached_property
    def counts(self) -> Mapping[LineStatus, int]:
        """How many lines have each status."""
        return Counter(line.status for line in self.lines)

    @property
    def ops(self) -> int:
        """How many ops its lines made themselves."""
        return sum(line.ops for line in self.lines)


class Coverage(Result):
    """The user's files, each line with what torch.export made of it.

    Parameters
    ----------
    snapshot
        The program.
    files
        The coverage of each file, the module's own first.

    Examples
    --------
    >>> coverage = exir_viz.coverage(model, x)
    >>> coverage.names
    ('...',)
    """

    _text_module = "exir_viz.source_coverage.text"

    def __init__(self, snapshot: Snapshot, files: Iterable[FileCoverage]) -> None:
        self.snapshot = snapshot
        self.files = tuple(files)

    @property
    def names(self) -> tuple[str, ...]:
        """The paths of the files."""
        return tuple(one.file for one in self.files)

    def file(self, file: str = "") -> FileCoverage:
        """Find the coverage of a file.

        Parameters
        ----------
        file
            Its path, or the end of it, such as "modeling_llama.py". The default is the first file.

        Returns
        -------
        FileCoverage
            Its lines.

        Raises
        ------
        WrongArgument
            If there is no such file, or several.

        Examples
        --------
        >>> coverage = exir_viz.coverage(model, x)
        >>> coverage.file().ops
        3
        """
        found = [one for one in self.files if not file or one.file == file or _ends(one.file, file)]
        if not found or (file and len(found) > 1):
            names = ", ".join(self.names) or "none: the program names no lines of yours"
            raise WrongArgument("file", "file", described(file), f"one of {names}")
        return found[0]

    def line(self, number: int, file: str = "") -> Line:
        """Find a line.

        Parameters
        ----------
        number
            Its number.
        file
            Its file, as for `file`.

        Returns
        -------
        Line
            What became of it; its `nodes` can be passed to `explorer.select`.

        Raises
        ------
        WrongArgument
            If there is no such line.

        Examples
        --------
        >>> coverage = exir_viz.coverage(model, x)
        >>> coverage.line(1).status.value
        'none'
        """
        lines = self.file(file).lines
        for one in lines:
            if one.number == number:
                return one
        raise WrongArgument("line", "number", described(number), "the number of a line of the file")

    def text(self, file: str = "") -> str:
        """Return the listing of a file, each line with its mark, its ops and its note.

        Parameters
        ----------
        file
            Its path or the end of it. The default is the first file.

        Returns
        -------
        str
            The listing.

        Examples
        --------
        >>> "self.fc2(self.fc1(x).relu())" in exir_viz.coverage(model, x).text()
        True
        """
        from .text import listing

        return listing(self.file(file))

    def table(self) -> Table:
        """Make a table with a row per line.

        Its columns: file, line, status, ops, total_ops, bytes, time_share, note, text. See `Line`.

        Returns
        -------
        Table
            The table.

        Examples
        --------
        >>> exir_viz.coverage(model, x).table().columns[:3]
        ('file', 'line', 'status')
        """
        columns = ("file", "line", "status", "ops", "total_ops", "bytes", "time_share", "note", "text")
        rows = (
            (
                *(one.file, line.number, line.status.value, line.ops, line.total_ops, line.bytes),
                *(line.time_share, line.note, line.text),
            )
            for one in self.files
            for line in one.lines
        )
        return table(
            "coverage.frame",
            rows,
            columns,
            integers=("line", "ops", "total_ops", "bytes"),
            floats=("time_share",),
        )


def _ends(file: str, wanted: str) -> bool:
    parts, ends = PurePath(file).parts, PurePath(wanted).parts
    return parts[-len(ends) :] == ends
