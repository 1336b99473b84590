"""What a rule finds, as plain data."""

from __future__ import annotations

from exir_viz.reports.report import Outcome
from exir_viz.snapshot.records import Record


class RuleBreak(Record, frozen=True):
    """One violation of a rule: where, what is wrong, and what to do.

    severity: an error breaks a rule that programs must keep, a warning a sentence of the specification that
    no verifier enforces. A note says what costs time or memory, or may surprise; it breaks no rule.

    node: the id of the node ("forward/linear_3"), or "" for a finding about a whole method. section:
    the part of the document that states the rule.
    """

    rule: str
    severity: Outcome
    method: str
    node: str
    message: str
    remedy: str
    section: str


class Verdict(Record, frozen=True):
    """What a verifier of torch or ExecuTorch says of a method, and the nodes that its message names."""

    verifier: str
    method: str
    is_accepted: bool
    message: str = ""
    nodes: tuple[str, ...] = ()
