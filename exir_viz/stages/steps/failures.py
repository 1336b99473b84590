"""Build Failures and Findings from errors and FX nodes, without importing torch.

A finding names a node of the program that the step started from, because that one can be shown. `origin_of`
finds it for a node that torch or ExecuTorch made on the way.
"""

from __future__ import annotations

import re
import subprocess
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from exir_viz.readers.library_files import library_of
from exir_viz.readers.traces import parse
from exir_viz.snapshot.frames import users_frame
from exir_viz.snapshot.records import Frame
from exir_viz.stages.lineage.inlined_bodies import BodyLines
from exir_viz.stages.live import LivePrograms, method_of
from exir_viz.stages.records import Failure, Finding, OptionsFix
from exir_viz.torch_internals.edge import executing
from exir_viz.torch_internals.logs import program_of, written_by

from .remedies import Remedy

if TYPE_CHECKING:
    from torch import fx

# The end of a sentence: a full stop before white space, or the end of a line.
_SENTENCE = re.compile(r"(?<=[.!])\s|\n")
# The common name of each package.
_LIBRARIES = {"executorch": "ExecuTorch", "torchao": "torchao", "torch": "PyTorch"}
_LONGEST_REASON = 300
_LONGEST_MESSAGE = 20_000


def frame_of(node: fx.Node) -> Frame | None:
    """The line of the user's program that made a node."""
    trace = node.meta.get("stack_trace")
    if not isinstance(trace, str) or not trace.strip():
        return None
    return users_frame([frame for frame in parse(trace) if frame.file])


def op_text(node: fx.Node) -> str:
    """A node's target in FX notation: "aten.linear.default"; an edge op without its schema."""
    target = node.target
    if isinstance(target, str):
        return target
    if type(target).__name__ == "EdgeOpOverload":
        return str(target.__name__)
    return (
        str(target) if callable(getattr(target, "name", None)) else getattr(target, "__name__", str(target))
    )


def finding(node: fx.Node, text: str, remedy: str = "", *, live: LivePrograms | None = None) -> Finding:
    """A sentence about a node, which does not name its op. `live`: name the node there that it came from."""
    name = node.name if live is None else origin_of(node, live)
    op = op_text(node) if node.op == "call_function" else ""
    return Finding(text, node=name, op=op, frame=frame_of(node), remedy=remedy)


def origin_of(node: fx.Node, live: LivePrograms) -> str:
    """The node of the stage that a node is or came from ("forward/true_graph_0/sin"); "" if unknown."""
    return NodeOrigins(live).of(node)


class NodeOrigins:
    """Finds the nodes of a stage that nodes are, or came from."""

    def __init__(self, live: LivePrograms) -> None:
        self._live = live
        graphs = list(live.graphs())
        self._names = {f"{path}/{one.name}" for path, graph in graphs for one in graph.nodes}
        self._paths = {id(graph): path for path, graph in graphs} | dict(live.copies)
        self._body_lines = BodyLines(pair for pair in graphs if pair[0] not in live.programs)

    def of(self, node: fx.Node) -> str:
        """The node of the stage ("forward/true_graph_0/sin"); "" if unknown."""
        found = f"{self._paths.get(id(node.graph))}/{node.name}"
        if found in self._names:
            return found
        recorded = self._recorded(node)
        if (origin := self._body_lines.origin(node, method_of(recorded))) is not None:
            return f"{self._paths[id(origin.graph)]}/{origin.name}"
        return recorded or _namesake(node, self._live)

    def _recorded(self, node: fx.Node) -> str:
        """The nearest node that torch recorded; "" if none. For a node of a body, the call that holds it."""
        level = list(node.meta.get("from_node") or ())
        while level:  # ids of torch's intermediate graphs are not reliable
            for source in level:
                if (found := f"{self._paths.get(source.graph_id)}/{source.name}") in self._names:
                    return found
            level = [source for one in level for source in one.from_node]
        return ""


def _namesake(node: fx.Node, live: LivePrograms) -> str:
    """The node of equal name and operator: steps work on a copy, whose nodes keep the original names.

    An operator that writes to its inputs may be wrapped once by a functional one (auto_functionalized).
    """
    for method, program in live.programs.items():
        nodes = list(program.graph.nodes)
        if any(one.name == node.name and one.target == node.target for one in nodes):
            return f"{method}/{node.name}"
        through = [one for one in nodes if one.op == "call_function" and one.args[:1] == (node.target,)]
        if len(through) == 1:
            return f"{method}/{through[0].name}"
    return ""


def failure(
    error: BaseException,
    reason: str = "",
    findings: tuple[Finding, ...] = (),
    fixes: tuple[OptionsFix, ...] = (),
) -> Failure:
    """An error as a Failure: its class and first sentence (or a better `reason`), and the full text.

    If the error has a cause, these are the cause's: torch and ExecuTorch wrap errors.
    """
    cause = root(error)
    message = _chain_text(error)[:_LONGEST_MESSAGE]
    reason = reason or first_sentence(error_text(cause)) or _where(cause)
    return Failure(type(cause).__name__, reason, message, without_repeats(findings, reason), fixes)


def without_repeats(findings: Iterable[Finding], reason: str) -> tuple[Finding, ...]:
    """A finding that would repeat the reason says only where the error happened."""
    return tuple(replace(one, text="") if one.text == reason else one for one in findings)


def root(error: BaseException) -> BaseException:
    """The first error of a chain, which a library names as the cause of its own."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def error_text(error: BaseException) -> str:
    """The text of an error; for a program that failed, its output, because the error only quotes the call."""
    if isinstance(error, subprocess.CalledProcessError) and (lines := written_by(error)):
        return f"{program_of(error)} failed: {' '.join(lines)}"
    return str(error).strip().removeprefix("Failed with error: ")  # the prefix of ExecuTorch's emitter


def _chain_text(error: BaseException) -> str:
    """The texts of all errors of a chain, the cause first, as in a traceback."""
    text = error_text(error)
    if error.__cause__ is None:
        return text
    return f"{_chain_text(error.__cause__)}\n\n{text}".strip()


def _where(error: BaseException) -> str:
    """For an error without text, the line that raised it, such as `assert len(x) == 1`."""
    lines = traceback.extract_tb(error.__traceback__)
    if not lines:
        return type(error).__name__
    last = lines[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}: {last.line}"


def first_sentence(message: str) -> str:
    """The first sentence of an error, on one line."""
    text = _SENTENCE.split(message.strip(), maxsplit=1)[0].strip()
    if text.count('"') == 1:  # ExecuTorch ends a sentence with an unmatched quotation mark
        text = text.removesuffix('"')
    return text if len(text) <= _LONGEST_REASON else f"{text[: _LONGEST_REASON - 1]}…"


def explained(error: BaseException, live: LivePrograms, remedy: str = "") -> Failure | None:
    """The error at the node where it happened; None if no node is known."""
    node = executing(error)
    if node is None:
        return None
    text = first_sentence(error_text(root(error))) or _where(root(error))
    return failure(error, findings=(finding(node, text, remedy or _remedy(error), live=live),))


def unlocated(error: BaseException) -> Failure:
    """An error that names no node, with a remedy if one is known."""
    library = raised_by(error)
    if not library:
        return failure(error)
    remedy = Remedy.RAISED_SOMEWHERE.format(library=library)
    return failure(error, findings=(Finding("", remedy=remedy),))


def _remedy(error: BaseException) -> str:
    """The remedy for errors that any step can cause; "" if the user's own code raised it."""
    if type(error).__name__.startswith("GuardOnDataDependent"):
        return Remedy.DATA_DEPENDENT
    library = raised_by(error)
    return library and Remedy.RAISED_AT_NODE.format(library=library)


def raised_by(error: BaseException) -> str:
    """The library whose code raised an error; "" for other code, such as the user's."""
    lines = traceback.extract_tb(root(error).__traceback__)
    package = library_of(lines[-1].filename) if lines else ""
    return _LIBRARIES.get(package, "")
