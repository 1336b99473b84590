"""Base classes of what the verbs return: rows as a Table and as a frame, a text, and the text as HTML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, TypeVar, overload

from exir_viz.options import one_of
from exir_viz.snapshot.printable import html
from exir_viz.table import Table

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


class Result(ABC):
    """What a verb returns: a table, a frame, and a text that is printed in terminals and notebooks."""

    # The module with `summarise`, which writes the text, and perhaps `as_html`, for notebooks. It is imported
    # when a result is shown.
    _text_module: ClassVar[str] = ""

    @abstractmethod
    def table(self) -> Table:
        """The rows, without pandas."""

    @property
    def paintings(self) -> Mapping[str, Mapping[str, str]]:
        """What `exir_viz.explore` paints: by label, categories by node."""
        return {}

    @property
    def why_not_explored(self) -> str:
        """Why there is no program that `exir_viz.explore` could show, and what to do; "" if not known."""
        return ""

    @property
    def frame(self) -> pd.DataFrame:
        """The rows and columns of `table` as a pandas frame."""
        return self.table().frame()

    def __str__(self) -> str:
        return str(import_module(self._text_module).summarise(self))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """For a notebook: the HTML of the class, else its text."""
        as_html = getattr(import_module(self._text_module), "as_html", None) if self._text_module else None
        if as_html is not None:
            return str(as_html(self))
        return html('<pre style="line-height: 1.35">{}</pre>', str(self))


class RecordResult(Result, Sequence[T]):
    """A Result that is a sequence of records, one per row of its table."""

    def __init__(self, records: Iterable[T]) -> None:
        self._records = tuple(records)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...
    def __getitem__(self, at: int | slice) -> T | tuple[T, ...]:
        return self._records[at]

    def __len__(self) -> int:
        return len(self._records)

    def _where(self, field: str, value: str, choices: type[StrEnum]) -> tuple[T, ...]:
        """The records with a value of a field; raises WrongArgument if there is no such value."""
        wanted = one_of("where", field, value, tuple(choices))
        return tuple(one for one in self if getattr(one, field) == wanted)
