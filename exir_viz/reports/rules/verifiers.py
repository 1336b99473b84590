"""Verdicts of torch's and ExecuTorch's verifiers on live programs, and the nodes that they are about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from exir_viz.reports.report import Outcome
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.snapshot import Method

from .records import Verdict

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from .run import Checked

# The words with which a message starts to list what is allowed.
_ALLOWED: Final = ("Valid builtin ops", "Valid get_attr types")
# The patterns of node names and operators in the verifiers' messages.
_NAMES: Final = (
    re.compile(r"Node\.meta (\w+) "),
    re.compile(r"for node (\w+)"),
    re.compile(r"node name (\w+)"),
    re.compile(r"of Node '(\w+)'"),
    re.compile(r"Node '(\w+)'"),
    re.compile(r"node %?(\w+)"),
    re.compile(r"on target (\w+(?:\.\w+)*)"),
    re.compile(r"<function (\w+)"),
    re.compile(r"missing (?:input|output)_specs: \{'(\w+)'"),
    re.compile(r"(?:Buffer|User|Mutation) (?:output|node) (\w+)"),
)
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")
_LONGEST: Final = 400


def verdicts_of(programs: Mapping[str, ExportedProgram], snapshot: Snapshot) -> tuple[Verdict, ...]:
    """Run the verifiers that the programs name, or the verifier of the memory plan, for each method."""
    return tuple(
        verdict
        for name, program in programs.items()
        if name in snapshot.methods
        for verdict in _verdicts(program, snapshot.methods[name])
    )


def _verdicts(program: ExportedProgram, method: Method) -> Iterator[Verdict]:
    from exir_viz.torch_internals.edge import verified, verified_plan

    is_planned = method.dialect is Dialect.EXECUTORCH
    verdicts = verified_plan(program) if is_planned else verified(program)
    for verifier, message in verdicts:
        if message is None:
            yield Verdict(verifier, method.name, True)
        else:
            text = _ADDRESS.sub("", message).strip()
            nodes = tuple(node.id for node in _named(text, method))
            yield Verdict(verifier, method.name, False, _first_lines(text), nodes)


def _first_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines)[:_LONGEST]


def _named(text: str, method: Method) -> list[Node]:
    """The nodes that a message names, else those that call an operator it names."""
    for mark in _ALLOWED:
        text = text.partition(mark)[0]
    names = {name for pattern in _NAMES for name in pattern.findall(text)}
    nodes = [node for graph in method.graphs() for node in graph]
    found = [node for node in nodes if not names.isdisjoint((node.name, node.target.text, node.target.name))]
    if found:
        return found
    ops = {op_name(node.target) for node in nodes if node.op == "call_function"}
    mentioned = {op for op in ops if re.search(rf"(?<![\w.]){re.escape(op)}(?![\w.])", _plain(text))}
    return [node for node in nodes if node.op == "call_function" and op_name(node.target) in mentioned]


def _plain(text: str) -> str:
    """Operators as `op_name` names them."""
    return text.replace("torch._ops.", "").replace("torch.ops.", "")


def disagreements(checked: Checked) -> list[str]:
    """Where the rules and the verifiers differ, one sentence each: what is stricter, and why."""
    found: list[str] = []
    errors = [one for one in checked.findings if one.severity is Outcome.ERROR and one.rule != "verifier"]
    for verdict in checked.verdicts:
        broken = dict.fromkeys(one.rule for one in errors if one.method == verdict.method)
        if verdict.is_accepted:
            found += [_stricter(verdict, rule, checked) for rule in broken]
        elif not broken:
            found.append(f"{verdict.verifier} rejects {verdict.method}, and no rule does: {verdict.message}")
    return found


def _stricter(verdict: Verdict, name: str, checked: Checked) -> str:
    rule = next(rule for rule in checked.rules if rule.name == name)
    why = rule.stricter or "This is not explained."
    return f"{name} is stricter than {verdict.verifier} on {verdict.method}: {why}"
