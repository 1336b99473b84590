"""Sizes and values of Python: what is fixed, what may vary, and what the program requires."""

from .report import shapes

__all__ = ["shapes"]
