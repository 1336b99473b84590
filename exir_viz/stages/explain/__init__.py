"""Describe an op as an OpCard: what torch and ExecuTorch say about it, and where a program calls it.

What enters is an op, or its text, and optionally a program or a Snapshot; what leaves is plain data. No fact
about an op is written here: schema, tags, rules and sentences are read from the installed packages.
"""

from __future__ import annotations

import importlib
import sys

from exir_viz.extras import needs_extra
from exir_viz.options import flag
from exir_viz.snapshot import Snapshot

from .op_card import OpCard

# Whether ExecuTorch is installed. Importing it takes seconds, so a card does it only on request.
EXECUTORCH = "executorch.exir"


def explain(op: object, program: object = None, *, executorch: bool | None = None) -> OpCard:
    """What `op` is: its schema, tags, the dialects it may appear in, what it becomes, and its uses.

    op: an operator (`torch.ops.aten.add.Tensor`, an edge op, `operator.getitem`), an FX node, a node or a
        Target of a Snapshot, or text ("aten.add.Tensor", "aten.add", "cond", "torch.sym_max").
    program: where its uses are counted: a Snapshot, a Session or Stage, or anything that `capture` takes.
    executorch: read ExecuTorch's rules too. They are read anyway where it is loaded already; True loads it
        (5 to 15 seconds), False leaves them out.

    Raises ExirVizError where there is no such op.
    """
    if executorch is not None:
        flag("explain", "executorch", executorch)
    needs_extra("explain()", "torch", "yaml")  # torch describes its tags in YAML
    if executorch:
        needs_extra("explain(executorch=True)", "executorch")
    from .op_docs import sentence
    from .op_lookup import find_op, schema_of
    from .op_rules import decomposition, dialects, dtype_rule, effects, out_variant, tags
    from .op_uses import made_of, uses

    snapshot = _snapshot(program)
    if executorch:
        importlib.import_module(EXECUTORCH)  # registers its verifiers and operators
    read = executorch is not False and EXECUTORCH in sys.modules
    found = find_op(op, snapshot)
    count, nodes = uses(snapshot, found.text) if snapshot else (0, ())
    origin = made_of(snapshot, found.text) if snapshot else {}
    docs_sentence, source = sentence(found, next((name for name in origin if origin[name] == count), ""))
    return OpCard(
        op=found.text,
        type=found.target.type,
        sentence=docs_sentence,
        source=source,
        schema=schema_of(found),
        tags=tags(found),
        effects=effects(found),
        dialects=dialects(found, read),
        decomposition=decomposition(found),
        out_variant=out_variant(found),
        dtypes=dtype_rule(found),
        executorch=read,
        uses=count,
        nodes=nodes,
        made_of=tuple(f"{name} ({times:,})" for name, times in origin.items()),
    )


def _snapshot(program: object) -> Snapshot | None:
    stage = getattr(program, "current", program)
    program = getattr(stage, "snapshot", stage)
    if program is None or isinstance(program, Snapshot):
        return program
    from exir_viz.readers.live import capture

    return capture(program)
