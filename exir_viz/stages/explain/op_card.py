"""OpCard: facts about an op as plain data, without torch. `explain` makes it and views read it."""

from __future__ import annotations

from enum import StrEnum

from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import Record, TargetType


class DecompositionKind(StrEnum):
    """What decomposes an op, if anything does.

    `implicit`: functionalization always does, because the op writes in place or torch cannot keep it.
    `table`: run_decompositions() does by default. `by_name`: torch has a rule, but uses it only if the op is
    named.
    """

    IMPLICIT = "implicit"
    TABLE = "table"
    BY_NAME = "by_name"
    NONE = "none"


class OpTag(Record, frozen=True):
    """A tag that torch gives to an op, and torch's description of the tag."""

    name: str
    about: str = ""


class DialectRule(Record, frozen=True):
    """Whether an op may appear in a dialect; None if unknown. The reason is the verifier's."""

    dialect: Dialect
    allowed: bool | None
    reason: str = ""


class DtypeRule(Record, frozen=True):
    """The dtype combinations that edge allows for an op: each row has the allowed dtype by argument."""

    arguments: tuple[str, ...]
    combinations: tuple[tuple[tuple[str, ...], ...], ...]


class OpCard(Record, frozen=True):
    """What an operator is: the facts from torch and ExecuTorch, and where a program calls it.

    Attributes
    ----------
    op, type, schema
        The name, what kind of target it is, and its schema.
    sentence, source
        What it does in one sentence, and whose words these are.
    tags, effects, dialects, decomposition, out_variant
        torch's tags; what it writes to and what it is a view of; whether each dialect allows it; what
        decomposes it; and its out variant.
    dtypes
        The dtypes that edge allows; None where edge has no rule.
    executorch
        Whether ExecuTorch's own rules were read.
    uses, nodes, made_of
        How many nodes call it, the ids of the first of them, and the operators that became it.

    Examples
    --------
    >>> exir_viz.explain("aten.relu.default").schema
    'aten::relu(Tensor self) -> Tensor'
    """

    op: str
    type: TargetType
    sentence: str = ""
    source: str = ""
    schema: str = ""
    tags: tuple[OpTag, ...] = ()
    effects: tuple[str, ...] = ()
    dialects: tuple[DialectRule, ...] = ()
    decomposition: DecompositionKind = DecompositionKind.NONE
    out_variant: str = ""
    dtypes: DtypeRule | None = None
    executorch: bool = False
    uses: int = 0
    nodes: tuple[str, ...] = ()
    made_of: tuple[str, ...] = ()

    def __str__(self) -> str:
        from .card_text import card_text

        return card_text(self)

    __repr__ = __str__
