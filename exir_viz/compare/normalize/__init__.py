"""Step 1: rewrite both programs so that equal meaning has equal form, however they were saved."""

from __future__ import annotations

from typing import NamedTuple

from exir_viz.snapshot import Snapshot

from .emitted_programs import unclear_results
from .methods import in_the_same_words
from .schemas import with_schemas
from .side import Side, Tables
from .stored_contents import LiveState, StoredContents, equal_state


class Normalized(NamedTuple):
    """Both programs as columns of comparable numbers, and what their nodes store."""

    a: Side
    b: Side
    contents: tuple[StoredContents, StoredContents]


def normalize(a: Snapshot, b: Snapshot, live: tuple[LiveState | None, LiveState | None]) -> Normalized:
    """Give both the same schemas, symbol names and tables. `live` reads what a Snapshot does not store."""
    a, b = in_the_same_words(a, b)
    a, b = with_schemas(a, b), with_schemas(b, a)
    tables = Tables()
    unclear, equal = unclear_results(a, b), equal_state(a, b, live)
    by_source_fn = not (a.detail.torch_fns and b.detail.torch_fns)
    before, after = (
        Side(
            one,
            tables,
            is_met_emitted=other.is_pte,
            unclear=results,
            equal_state=state,
            by_source_fn=by_source_fn,
        )
        for one, other, results, state in zip((a, b), (b, a), unclear, equal, strict=True)
    )
    return Normalized(before, after, (StoredContents(before, live[0]), StoredContents(after, live[1])))
