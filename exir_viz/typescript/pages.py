"""Which records go to which front-end folder. A folder whose records the page reads adds a `Page` here."""

from __future__ import annotations

from typing import get_args

from exir_viz.compare import costs, measurements
from exir_viz.compare import records as comparison
from exir_viz.compare.normalize.module_attribution import STATE
from exir_viz.compare.values import records as values
from exir_viz.jupyter import variables
from exir_viz.measure import records as measure
from exir_viz.reports import report
from exir_viz.server import answers, tab_messages
from exir_viz.snapshot import call_change, columns, lineage, payload, program, records, validate
from exir_viz.snapshot.index import COMPUTES
from exir_viz.stages import records as stages
from exir_viz.stages.explain import op_card
from exir_viz.widget import messages

from .types import Page, Union, constant

SNAPSHOT = Page(
    path="snapshot/schema.ts",
    about="The Snapshot as it is kept and sent.",
    roots=(columns.Skeleton, columns.PageSkeleton, columns.Detail),
    modules=(records, payload, program, columns),
    constants=(
        constant("", "SCHEMA", columns.SCHEMA),
        constant("`PageData.version` that pages read.", "PAGE_VERSION", columns.PAGE_VERSION),
        constant("`GraphColumns.ops` holds positions in this list.", "OPS", columns.OPS),
        constant("In a column: this node has none.", "NONE", columns.NONE),
        constant(
            "Nodes that do something when the program runs.",
            "COMPUTES",
            tuple(op for number, op in enumerate(columns.OPS) if number in COMPUTES),
        ),
        constant("Inputs that hold state.", "STATE_INPUTS", tuple(sorted(STATE))),
        constant(
            "Outputs that are written back, to state or to an input.",
            "MUTATIONS",
            tuple(sorted(program.MUTATIONS)),
        ),
        constant("How deep graphs may be nested.", "MAX_NESTING", validate.MAX_NESTING),
        constant("How deep arguments, values and pytrees may be nested.", "MAX_DEPTH", validate.MAX_DEPTH),
    ),
)

REPORTS = Page(
    path="reports/schema.ts",
    about="What an analysis says of a program.",
    roots=(report.Report,),
    modules=(report,),
    constants=(constant("The worst first.", "OUTCOMES", tuple(outcome.value for outcome in report.Outcome)),),
    parts="RECORDS",
)

STAGES = Page(
    path="stages/schema.ts",
    about="The tree of stages and the lineage between two of them.",
    roots=(stages.StageTree, lineage.Lineage, stages.InputDim, stages.OpRow, op_card.OpCard),
    modules=(lineage, call_change, stages, op_card),
    constants=(
        constant("The strongest first.", "EVIDENCE", tuple(kind.value for kind in lineage.Evidence)),
        constant(
            "The kinds that are not inferred.",
            "EXACT",
            tuple(kind.value for kind in lineage.Evidence if kind in lineage.EXACT),
        ),
    ),
)

COMPARE = Page(
    path="compare/model/schema.ts",
    about="A comparison of two Snapshots, and two texts side by side.",
    roots=(comparison.Comparison, comparison.TextRow),
    modules=(comparison,),
    constants=(
        constant("", "SCHEMA", comparison.SCHEMA),
        constant("`MatchColumns.kinds` holds positions in this list.", "KINDS", comparison.KINDS),
        constant("The sign of each kind, in the same order.", "SIGNS", comparison.SIGNS),
    ),
)

VALUES = Page(
    path="compare/values/schema.ts",
    about="Where the values of two programs diverge.",
    roots=(values.ValuesRecord, values.BisectionRecord),
    modules=(values,),
    constants=(constant("", "SCHEMA", values.SCHEMA),),
)

COSTS = Page(
    path="compare/costs/schema.ts",
    about="What each match of a diff cost before and after.",
    roots=(costs.CostChange,),
    modules=(costs,),
    constants=(constant("", "SCHEMA", costs.SCHEMA),),
)

MEASURED = Page(
    path="compare/measurements/schema.ts",
    about="What was measured of two compared programs.",
    roots=(measurements.Measured,),
    modules=(measurements,),
)

PROFILE = Page(
    path="profile/schema.ts",
    about="What each node cost, and under which conditions.",
    roots=(measure.ProfileRecord,),
    modules=(measure,),
    constants=(
        constant("", "SCHEMA", measure.SCHEMA),
        constant("In a column of numbers: not known.", "UNKNOWN", measure.UNKNOWN),
        constant(
            "`Columns.basis` holds positions in this list.",
            "BASES",
            tuple(basis.value for basis in measure.BASES),
        ),
    ),
)

_QUESTIONS, _SENT, _ORDERS = map(get_args, (messages.AnyQuestion, messages.KernelMessage, messages.Order))

MESSAGES = Page(
    path="hosts/messages.ts",
    about="What a page and its kernel say to each other.",
    roots=(*_QUESTIONS, *_SENT, *_ORDERS),
    modules=(messages,),
    unions=(
        Union("Question", _QUESTIONS),
        Union("KernelMessage", _SENT, fields="KERNEL_MESSAGES"),
        Union("Order", _ORDERS, fields="ORDERS"),
    ),
    parts="PARTS",
)

DOCUMENTS = Page(
    path="documents/schema.ts",
    about="Why the server does not show a file.",
    roots=(answers.Problem,),
    modules=(answers,),
    parts="RECORDS",
)

_REQUESTS, _RESPONSES = map(get_args, (tab_messages.ReaderRequest, tab_messages.ReaderResponse))

READER = Page(
    path="documents/pyodide/schema.ts",
    about="Messages between a page and the web worker that reads files.",
    roots=(*_REQUESTS, *_RESPONSES),
    modules=(tab_messages,),
    unions=(
        Union("ReaderRequest", _REQUESTS, fields="READER_REQUESTS"),
        Union("ReaderResponse", _RESPONSES, fields="READER_RESPONSES"),
    ),
    parts="PARTS",
)

VARIABLES = Page(
    path="hosts/lab/schema.ts",
    about="The programs of a kernel.",
    roots=(variables.VariableList,),
    modules=(variables,),
    parts="RECORDS",
)

PAGES = (
    *(SNAPSHOT, REPORTS, STAGES, COMPARE, VALUES, COSTS, MEASURED, PROFILE),
    *(MESSAGES, DOCUMENTS, READER, VARIABLES),
)
