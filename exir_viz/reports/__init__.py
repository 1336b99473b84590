"""Reports: what each analysis says of a program, in one shape; yours too (see `register`)."""

from .registry import names, register, run
from .report import Category, Column, Fact, Outcome, Report, Row, Section, Unit

__all__ = [
    "Category",
    "Column",
    "Fact",
    "Outcome",
    "Report",
    "Row",
    "Section",
    "Unit",
    "names",
    "register",
    "run",
]
