"""What a `.pte` may cost its reader: every limit in one place, with its reason.

Offsets of a flatbuffer only point forward and its schema is not recursive, so nothing can be cyclic; what a
hostile file can do is to refer to the same bytes over and over, or to claim more than it holds.
"""

from __future__ import annotations

from exir_viz.errors import FileTooLarge

from .corrupt import Corrupt

# The program without its segments is read into memory. Those of the corpus are under 2 MB; one of 100,000
# instructions is about 30 MB. Older files, without segments, have their weights here: hence the high limit.
MAX_PROGRAM_BYTES = 1 << 30

# Tables and vector elements that are made into Python objects (about 100 bytes each, so under 1 GB). A
# program of 100,000 instructions needs about three million.
MAX_RECORDS = 8_000_000

# A writer puts every table, vector and string down once, so that reading all of them reads each byte once;
# only strings may be shared. A file whose reading costs more than this many times its bytes repeats itself.
MAX_REREAD = 4

# Lists that instructions take as arguments are written out in each of them; a writer makes a list per use.
MAX_LIST_ITEMS = 2_000_000

# A name that a file gives is made part of a node's name up to this many characters.
MAX_NAME = 120

# A tensor of more dimensions than this is refused by ExecuTorch's own runtime (kTensorDimensionLimit).
MAX_DIMENSIONS = 16

# Sizes and offsets in bytes are exact in every language that a Snapshot is read in.
MAX_BYTES = (1 << 53) - 1


class Budget:
    """So much of something in one file, and no more."""

    def __init__(self, amount: int, reason: str) -> None:
        self._left = amount
        self._reason = reason

    def spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            raise Corrupt(self._reason, FileTooLarge)
