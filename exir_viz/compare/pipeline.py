"""Two Snapshots → a Comparison, in four steps: normalize → align → classify → explain_changes.

1. `normalize`: rewrite both programs so that equal meaning has equal form. 2. `align`: find the counterpart
of every node, and group the nodes that belong together. 3. `classify`: decide what became of each group
(same, changed, moved, rewritten, added, removed). 4. `explain_changes`: give each change a
reason, and merge equal reasons into rules.

Step 2 always sees the smaller program first, so that comparing b with a mirrors comparing a with b.
"""

from __future__ import annotations

import msgspec

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.gc_pause import paused

from .align import align
from .align.known_links import Known
from .classify import classify
from .explanations import explain_changes
from .normalize import normalize
from .normalize.stored_contents import LiveState
from .records import Comparison


@paused
def compare(
    a: Snapshot,
    b: Snapshot,
    known: Known,
    titles: tuple[str, str],
    live: tuple[LiveState | None, LiveState | None] = (None, None),
) -> Comparison:
    """Compare b with a, from the Snapshots only; known links are not questioned.

    live: the programs' own state, for what was too large for a Snapshot.
    """
    programs = normalize(a, b, live)
    alignment = align(programs, known.links, b_first=_is_smaller(b, a))
    classified = classify(programs, alignment)
    return explain_changes(programs, alignment, classified, known, titles)


def _is_smaller(one: Snapshot, other: Snapshot) -> bool:
    """Whether it has fewer nodes; if equal, whether its bytes are less than the other's."""
    sizes = [sum(map(len, snapshot.graphs)) for snapshot in (one, other)]
    return sizes[0] < sizes[1] or (sizes[0] == sizes[1] and _bytes(one) < _bytes(other))


def _bytes(snapshot: Snapshot) -> bytes:
    encode = msgspec.msgpack.encode
    return encode(snapshot.skeleton) + encode(snapshot.detail)
