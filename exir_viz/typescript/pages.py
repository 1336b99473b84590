"""Which records go to which front-end folder. A room whose records the page reads adds a `Page` here."""

from __future__ import annotations

from exir_viz.snapshot import columns, lineage, program, records
from exir_viz.stages import records as stages
from exir_viz.stages.explain import card

from .types import Page, constant

SNAPSHOT = Page(
    path="snapshot/schema.ts",
    about="The Snapshot as it is kept and sent.",
    roots=(columns.Skeleton, columns.Detail),
    modules=(records, program, columns),
    constants=(
        constant("", "SCHEMA", columns.SCHEMA),
        constant("`GraphColumns.ops` holds positions in this list.", "OPS", columns.OPS),
        constant("In a column: this node has none.", "NONE", columns.NONE),
    ),
)

STAGES = Page(
    path="stages/schema.ts",
    about="The tree of stages and the lineage between two of them.",
    roots=(stages.StageTree, lineage.Lineage, stages.InputDim, card.OpCard),
    modules=(lineage, stages, card),
)

PAGES = (SNAPSHOT, STAGES)
