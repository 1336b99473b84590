"""Reports: what each analysis says of a program, in one shape; yours too (see `register`)."""

from .registry import names, register, run
from .report import (
    Category,
    Column,
    Fact,
    Formula,
    Mark,
    Outcome,
    Report,
    Row,
    Section,
    Slider,
    SourceFile,
    Unit,
)

__all__ = [
    "Category",
    "Column",
    "Fact",
    "Formula",
    "Mark",
    "Outcome",
    "Report",
    "Row",
    "Section",
    "Slider",
    "SourceFile",
    "Unit",
    "names",
    "register",
    "run",
]
