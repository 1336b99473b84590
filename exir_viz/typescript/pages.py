"""Which records go to which front-end folder. A room whose records the page reads adds a `Page` here."""

from __future__ import annotations

from exir_viz.compare import records as comparison
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
    roots=(stages.StageTree, lineage.Lineage, stages.InputDim, stages.OpRow, card.OpCard),
    modules=(lineage, stages, card),
)

COMPARE = Page(
    path="compare/schema.ts",
    about="A comparison of two Snapshots, and two texts side by side.",
    roots=(comparison.Comparison, comparison.TextRow),
    modules=(comparison,),
    constants=(
        constant("", "SCHEMA", comparison.SCHEMA),
        constant("`MatchColumns.kinds` holds positions in this list.", "KINDS", comparison.KINDS),
        constant("The sign of each kind, in the same order.", "SIGNS", comparison.SIGNS),
    ),
)

PAGES = (SNAPSHOT, STAGES, COMPARE)
