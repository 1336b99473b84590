"""What torch.export made of each line of the user's files."""

from .report import source

__all__ = ["source"]
