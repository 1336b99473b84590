"""Every bound on what an archive may ask of its reader, and why it is where it is.

A file within them is read in time linear in its size: about 15 seconds and 3 bytes of memory for each byte of
JSON at the most hostile, 3 seconds for the 100 MB of a program of 100,000 nodes. A file beyond one of them is
refused with FileTooLarge before the work is done.
"""

from typing import Final

# A 70-billion-parameter program has some 1,000 weights; torch writes one member for each.
MAX_MEMBERS: Final = 100_000
# The directory of that many members with long names; it is read whole.
MAX_DIRECTORY_BYTES: Final = 32 << 20
# One member read whole: a program of 100,000 nodes is 100 MB of JSON.
MAX_MEMBER_BYTES: Final = 512 << 20
# All that is read of one archive. Weights are not read, so they do not count.
MAX_READ_BYTES: Final = 768 << 20
# JSON full of repeated stack traces deflates 40 to 1. A bomb reaches 1,000; small members may.
MAX_RATIO: Final = 200
SMALL_BYTES: Final = 16 << 20

# Sizes, strides and offsets are exact in every language that a Snapshot is read in.
MAX_DIM: Final = (1 << 53) - 1
# torch itself allows 64 dimensions.
MAX_RANK: Final = 64
# Elements of a constant whose values are kept, and bytes of the storage that it may lie in.
MAX_CONSTANT_ELEMENTS: Final = 64
MAX_CONSTANT_BYTES: Final = 1 << 20

MAX_METHODS: Final = 1_000
MAX_NODES: Final = 2_000_000
# Graphs within graphs: a cond in a while_loop in a scan is 3.
MAX_GRAPH_DEPTH: Final = 16
# Lists within lists, and dicts, in one argument.
MAX_ARGUMENT_DEPTH: Final = 20
# Passes that a node went through, one in another in from_node.
MAX_ORIGIN_DEPTH: Final = 100

# The pickle of the sample inputs: instructions followed, bytes of it read, containers in containers.
MAX_PICKLE_BYTES: Final = 8 << 20
MAX_PICKLE_STEPS: Final = 500_000
MAX_PICKLE_DEPTH: Final = 50
MAX_SAMPLES: Final = 10_000
