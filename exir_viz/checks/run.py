"""Check a program: get its Snapshot and dialect, apply the rules, and run the verifiers if it is live."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from exir_viz.errors import CaptureError
from exir_viz.options import WrongArgument, described, one_of
from exir_viz.readers.files import recorded
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.frames import is_users, users_frame
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.snapshot import Method

from .findings import Findings
from .records import Finding, Severity, Verdict
from .rule import Break, Rule, Subject
from .rules import RULES, named_rules

_EXPECTED: Final = (
    "a Snapshot, a stage, the path of a file, or a program that exir_viz.capture takes without inputs"
)
_ORDER: Final = tuple(Severity)


def check(
    x: object, dialect: Dialect | str | None = None, *, rules: Sequence[str] | str | None = None
) -> Findings:
    """Check a program; see `exir_viz.check`."""
    wanted = None if dialect is None else Dialect(one_of("check", "dialect", dialect, tuple(Dialect)))
    chosen = named_rules("check", rules)
    snapshot, programs = _subject(x)
    verdicts: tuple[Verdict, ...] = ()
    if programs:
        from .verifiers import verdicts_of

        verdicts = verdicts_of(programs, snapshot)
    return check_snapshot(snapshot, wanted, chosen, verdicts)


def check_snapshot(
    snapshot: Snapshot,
    dialect: Dialect | None = None,
    rules: Sequence[Rule] = RULES,
    verdicts: Sequence[Verdict] = (),
) -> Findings:
    """Apply rules to every method of a Snapshot, in the given dialect or in the method's own."""
    dialects = {name: dialect or method.dialect for name, method in snapshot.methods.items()}
    unchecked = [rule for rule in rules if snapshot.is_pte and rule.lost_in_pte]
    rules = [rule for rule in rules if rule not in unchecked]
    found: list[tuple[int, int, int, Finding]] = []
    for number, (name, method) in enumerate(snapshot.methods.items()):
        subject = Subject(method, dialects[name])
        for rule in rules:
            if subject.dialect not in rule.dialects:
                continue
            broken = rule.check(subject)
            found += [(*_place(number, one.node), _finding(rule, method, one)) for one in broken]
    found += _unexplained(snapshot, verdicts, [one for *_, one in found])
    found.sort(key=lambda one: (_ORDER.index(one[3].severity), *one[:3]))
    return Findings(snapshot, dialects, rules, (one for *_, one in found), verdicts, unchecked)


def _place(method: int, node: Node | None) -> tuple[int, int, int]:
    return (method, -1, -1) if node is None else (method, node.graph.number, node.position)


def _finding(rule: Rule, method: Method, broken: Break) -> Finding:
    return Finding(
        rule.name,
        rule.severity,
        method.name,
        "" if broken.node is None else broken.node.id,
        broken.message,
        broken.remedy,
        str(rule.section),
        *_home(broken.node),
    )


def _home(node: Node | None) -> tuple[str, str]:
    """The module of a node and the user's line that made it."""
    if node is None:
        return "", ""
    frame, scope = users_frame(node.frames), node.scope
    source = f"{frame.file}:{frame.line}" if frame is not None and is_users(frame.file) else ""
    return "" if scope is None else scope.path, source


def _unexplained(
    snapshot: Snapshot, verdicts: Iterable[Verdict], found: Sequence[Finding]
) -> Iterator[tuple[int, int, int, Finding]]:
    """A finding for each verdict against a method in which no rule finds an error."""
    wrong = {one.method for one in found if one.severity is Severity.ERROR}
    names = list(snapshot.methods)
    for verdict in verdicts:
        if verdict.is_accepted or verdict.method in wrong:
            continue
        nodes = [node_of(snapshot, verdict.method, name) for name in verdict.nodes]
        for node in nodes or [None]:
            yield (
                *_place(names.index(verdict.method), node),
                Finding(
                    "verifier",
                    Severity.ERROR,
                    verdict.method,
                    "" if node is None else node.id,
                    verdict.message,
                    "Correct what the verifier names.",
                    f"Verifier {verdict.verifier}",
                    *_home(node),
                ),
            )


def node_of(snapshot: Snapshot, method: str, name: str) -> Node | None:
    """The node of a method with an id; None for "", a finding about the whole method."""
    for graph in snapshot.methods[method].graphs():
        if name.startswith(f"{graph.path}/") and name.removeprefix(f"{graph.path}/") in graph:
            return graph[name.removeprefix(f"{graph.path}/")]
    return None


def _subject(x: object) -> tuple[Snapshot, Mapping[str, Any]]:
    """The Snapshot of `x`, and its live programs by method if it has any."""
    kept = recorded(x)
    if kept is not None:
        return kept, getattr(getattr(x, "live", None), "programs", {})
    from exir_viz.extras import needs_extra

    needs_extra("check() of a live program", "torch")
    from exir_viz.readers.live import capture

    try:
        return capture(x), _programs(cast("Any", x))
    except CaptureError as error:
        hint = "Check one of its stages: check(session.current)." if type(x).__name__ == "Session" else ""
        raise WrongArgument("check", "x", described(x), _EXPECTED, hint) from error


def _programs(x: Any) -> Mapping[str, Any]:
    """The programs by method of an ExportedProgram or a manager; a GraphModule has none."""
    if hasattr(x, "graph_signature"):
        return {"forward": x}
    if hasattr(x, "methods") and hasattr(x, "exported_program"):
        return {name: x.exported_program(name) for name in x.methods}
    return {}
