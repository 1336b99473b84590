"""The report `delegation`: what could run where and what blocks lowering; of a lowered program, what does."""

from .report import delegation

__all__ = ["delegation"]
