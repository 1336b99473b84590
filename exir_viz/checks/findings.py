"""Findings: what `exir_viz.check` returns. A sequence of Finding records, with tables and texts of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from exir_viz.options import instance, named_options, one_of
from exir_viz.result import RecordResult
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.snapshot import Snapshot
from exir_viz.table import Table, table

from .records import Finding, Severity, Verdict
from .rule import Rule
from .rules import rule_name


class Findings(RecordResult[Finding]):
    """The violations of rules in a program, errors first, in the order of its nodes.

    Attributes
    ----------
    snapshot
        The program that was checked.
    dialects
        By method: the dialect whose rules were checked.
    rules
        The rules that were checked.
    verdicts
        What the verifiers of torch and ExecuTorch say. Empty for files, which no verifier can read.
    unchecked
        The rules that cannot be checked, because a `.pte` does not hold what they read.

    Examples
    --------
    >>> findings = exir_viz.check(snapshot)
    >>> findings.snapshot is snapshot
    True
    """

    _text_module = "exir_viz.checks.text"

    def __init__(
        self,
        snapshot: Snapshot,
        dialects: Mapping[str, Dialect],
        rules: Sequence[Rule],
        findings: Iterable[Finding],
        verdicts: Sequence[Verdict] = (),
        unchecked: Sequence[Rule] = (),
    ) -> None:
        super().__init__(findings)
        self.snapshot = snapshot
        self.dialects = dict(dialects)
        self.rules = tuple(rules)
        self.verdicts = tuple(verdicts)
        self.unchecked = tuple(unchecked)

    @property
    def errors(self) -> Findings:
        """The findings that break a rule."""
        return self.where(severity=Severity.ERROR)

    @property
    def warnings(self) -> Findings:
        """The findings that break a sentence of the specification that no verifier enforces."""
        return self.where(severity=Severity.WARNING)

    @property
    def hints(self) -> Findings:
        """What costs time or memory, or may surprise."""
        return self.where(severity=Severity.HINT)

    @property
    def is_valid(self) -> bool:
        """Whether there are no errors."""
        return not any(one.severity is Severity.ERROR for one in self)

    @property
    def disagreements(self) -> list[str]:
        """Where the rules and the verifiers of torch and ExecuTorch differ, a sentence each."""
        from .verifiers import disagreements

        return disagreements(self)

    @property
    def counts(self) -> Mapping[Severity, int]:
        """How many findings there are of each severity."""
        counts = Counter(one.severity for one in self)
        return {severity: counts[severity] for severity in Severity}

    @named_options
    def where(
        self, *, rule: str | None = None, severity: str | None = None, node: Node | str | None = None
    ) -> Findings:
        """The findings of a rule, of a severity, or at a node.

        Parameters
        ----------
        rule
            The name of a rule: "no-mutation".
        severity
            "error", "warning" or "hint".
        node
            A Node, its name ("linear_3") or its id ("forward/linear_3").

        Returns
        -------
        Findings
            Those that match every argument.

        Raises
        ------
        WrongArgument
            If there is no such rule or severity, or `node` is neither a Node nor text.

        Examples
        --------
        >>> findings = exir_viz.check(snapshot)
        >>> len(findings.where(severity="error"))
        0
        """
        found = self._records if severity is None else self._where("severity", severity, Severity)
        if rule is not None:
            rules = (one.name for one in (*self.rules, *self.unchecked))
            known = dict.fromkeys((*rules, *(one.rule for one in self)))
            wanted = rule_name("where", "rule", rule, known)
            found = tuple(one for one in found if one.rule == wanted)
        if node is not None:
            name = node.id if isinstance(node, Node) else instance("where", "node", node, str)
            found = tuple(one for one in found if name in (one.node, one.node.rpartition("/")[2]))
        return self._of(found)

    def without(self, severity: str) -> Findings:
        """The findings of the other severities.

        Parameters
        ----------
        severity
            "error", "warning" or "hint".

        Returns
        -------
        Findings
            All findings without those of this severity.

        Raises
        ------
        WrongArgument
            If there is no such severity.

        Examples
        --------
        >>> findings = exir_viz.check(snapshot)
        >>> len(findings.without("hint").hints)
        0
        """
        level = one_of("without", "severity", severity, tuple(Severity))
        return self._of(tuple(one for one in self if one.severity != level))

    def _of(self, findings: tuple[Finding, ...]) -> Findings:
        return Findings(self.snapshot, self.dialects, self.rules, findings, self.verdicts, self.unchecked)

    def table(self) -> Table:
        """Make a table with a row per finding.

        Its columns: severity, rule, method, node (its id; "" for the whole method), module, source
        ("model.py:12"), message, remedy, section (of the document that states the rule).

        Returns
        -------
        Table
            The rows, in the order of the findings. It needs no pandas.

        Examples
        --------
        >>> exir_viz.check(snapshot).table().columns[:3]
        ('severity', 'rule', 'method')
        """
        columns = (
            *("severity", "rule", "method", "node", "module", "source", "message", "remedy"),
            "section",
        )
        rows = (
            (
                *(one.severity.value, one.rule, one.method, one.node, one.module, one.source),
                *(one.message, one.remedy, one.section),
            )
            for one in self
        )
        return table("findings.frame", rows, columns)

    def to_json(self) -> str:
        """The findings, verdicts and counts, for other programs.

        Returns
        -------
        str
            JSON text: `findings`, `verdicts`, `unchecked` rules with reasons, and `counts` by severity.

        Examples
        --------
        >>> import json
        >>> sorted(json.loads(exir_viz.check(snapshot).to_json()))[:2]
        ['counts', 'dialects']
        """
        from .export import to_json

        return to_json(self)

    def to_sarif(self) -> str:
        """The findings as SARIF 2.1.0, which code hosts and editors show.

        Returns
        -------
        str
            JSON text.

        Examples
        --------
        >>> import json
        >>> json.loads(exir_viz.check(snapshot).to_sarif())["version"]
        '2.1.0'
        """
        from .export import to_sarif

        return to_sarif(self)
