"""Every bound on what an archive may ask of its reader, and why it is where it is.

Within them, reading takes time linear in the size of the file (3 seconds for the 80 MB of JSON of a program
of 100,000 nodes), and at the most hostile a minute and 3 GB. What is beyond one of them is refused with
FileTooLarge before the work is done.
"""

from typing import Final

# torch writes one member for each weight: 1,000 in a large language model, 43,000 in our deepest program.
MAX_MEMBERS: Final = 250_000
# The directory of that many members with long names; it is read whole.
MAX_DIRECTORY_BYTES: Final = 64 << 20
# One member read whole. A program has 0.8 to 2 KB of JSON for a node: 80 MB for 100,000 nodes.
MAX_MEMBER_BYTES: Final = 192 << 20
# The total that is read from one archive. Weights are not read, so they do not count.
MAX_READ_BYTES: Final = 384 << 20
# JSON full of repeated stack traces deflates 40 to 1. A bomb reaches 1,000; small members may.
MAX_RATIO: Final = 200
SMALL_BYTES: Final = 16 << 20
# Commas of one JSON: each value takes up to 250 bytes decoded. torch writes one in 30 bytes. A member that is
# packed may be all commas: then the limit is a fixed number, and two for each packed byte.
MAX_SEPARATORS: Final = 8_000_000
SMALL_SEPARATORS: Final = 250_000
SEPARATORS_PER_BYTE: Final = 2

# Records made from a file, about 200 bytes each. A node counts for several: about 10 in our programs.
MAX_RECORDS: Final = 6_000_000
# Characters of expressions, each counted once: 14 expressions are in the 3,912 nodes of a language model.
MAX_EXPRESSION_CHARS: Final = 4_000_000
# Names that FX would try before it finds a free one; an op called n times costs n.
MAX_NAMES_TRIED: Final = 5_000_000
# One string of metadata; the longest we have seen is a stack trace of 9,000 characters.
MAX_STRING_BYTES: Final = 1 << 20

# Sizes, strides and offsets are exact in every language that a Snapshot is read in.
MAX_DIM: Final = (1 << 53) - 1
# torch itself allows 64 dimensions.
MAX_RANK: Final = 64
# Bytes of the storage in which a constant may lie whose elements are kept.
MAX_CONSTANT_BYTES: Final = 1 << 20
# Bytes of a storage that several tensors share: it is read for their checksums.
MAX_SHARED_BYTES: Final = 64 << 20

MAX_METHODS: Final = 1_000
# Graphs within graphs: a cond in a while_loop in a scan is 3.
MAX_GRAPH_DEPTH: Final = 16
# Lists within lists, and dicts, in one argument.
MAX_ARGUMENT_DEPTH: Final = 20
# Modules within modules; the deepest that we have seen is 13.
MAX_SCOPE_DEPTH: Final = 256
# Passes that a node went through, one in another in from_node.
MAX_ORIGIN_DEPTH: Final = 100

# A pickle (of sample inputs; of state, in older archives): its bytes, the instructions of all of a file's
# pickles together, tensors in tensors.
MAX_PICKLE_BYTES: Final = 32 << 20
MAX_PICKLE_STEPS: Final = 2_000_000
MAX_TENSOR_DEPTH: Final = 10
MAX_SAMPLES: Final = 10_000
