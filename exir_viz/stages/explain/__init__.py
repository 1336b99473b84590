"""Describe an op as an OpCard: what torch and ExecuTorch say about it, and where a program calls it.

What enters is an op, or its text, and optionally a program or a Snapshot; what leaves is plain data. No fact
about an op is written here: schema, tags, rules and sentences are read from the installed packages.
"""

from __future__ import annotations

import importlib
import sys

from exir_viz.extras import needs_extra
from exir_viz.options import flag, named_options
from exir_viz.snapshot import Snapshot

from .op_card import OpCard

# Whether ExecuTorch is installed. Importing it takes seconds, so a card does it only on request.
EXECUTORCH = "executorch.exir"


@named_options
def explain(op: object, program: object = None, *, executorch: bool | None = None) -> OpCard:
    """Explain an operator: schema, tags, dialects, decomposition, dtypes, one sentence, and where it is used.

    Parameters
    ----------
    op
        An operator, a node, or text such as "aten.add.Tensor" or "cond".
    program
        Count the uses in this program: a Snapshot, a session or stage, or anything that `load` accepts.
    executorch
        Read ExecuTorch's rules too. By default they are read if ExecuTorch is already imported; True imports
        it, False leaves them out.

    Returns
    -------
    OpCard
        The facts about the operator. Print it.

    Raises
    ------
    ExirVizError
        If there is no such operator. The message suggests similar names.

    Examples
    --------
    >>> card = exir_viz.explain("aten.linear.default", program)
    >>> card.uses
    2
    >>> card.decomposition.value
    'table'
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
