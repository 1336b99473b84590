"""All rules, in the order in which they are documented: the graph, its signature, each dialect, hints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from exir_viz.errors import WrongArgument
from exir_viz.options import one_of, refuse, several

from . import aten, edge, executorch, hints, signature, structure
from .rule import Rule

RULES: Final[tuple[Rule, ...]] = (
    *structure.RULES,
    *signature.RULES,
    *aten.RULES,
    *edge.RULES,
    *executorch.RULES,
    *hints.RULES,
)
BY_NAME: Final = {rule.name: rule for rule in RULES}


def named_rules(verb: str, rules: object) -> tuple[Rule, ...]:
    """The rules of these names, in order; all of them for None. Raises WrongArgument for an unknown name."""
    if rules is None:
        return RULES
    names = (rules,) if isinstance(rules, str) else rules
    if not several(names):
        refuse(verb, "rules", rules, "names of rules, such as ['no-mutation']")
    wanted = {rule_name(verb, "rules", name) for name in names}
    return tuple(rule for rule in RULES if rule.name in wanted)


def rule_name(verb: str, name: str, value: object, known: Iterable[str] = BY_NAME) -> str:
    """The name of a rule. Raises WrongArgument, with the nearest name, for an unknown one."""
    try:
        return one_of(verb, name, value, tuple(known))
    except WrongArgument as error:
        what = "a rule of docs/check.md, such as 'no-mutation'"
        raise WrongArgument(verb, name, error.given, what, error.hint) from None
