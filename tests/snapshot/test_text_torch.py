"""The text forms against torch's own, character by character, on every program there is."""

from __future__ import annotations

import ast
import re

import pytest

import exir_viz
from exir_viz.snapshot.text import lines, render
from tests.corpus.concepts import CONCEPTS
from tests.corpus.programs import LARGE, SMALL, archive, core, exportdb, exported

SMALL_PROGRAMS = [*CONCEPTS, *SMALL, *(f"db:{name}" for name in exportdb())]

_ANNOTATION = re.compile(r"Annotation: (\{.*?\}) (?=File|No stacktrace)")
_RANGES = re.compile(r"^Range constraints: \{(.*)\}$", re.MULTILINE)


def _ordered(text: str) -> str:
    """A Snapshot keeps ranges and annotations by name, torch as it met them: their order may differ."""
    text = _ANNOTATION.sub(lambda found: f"Annotation: {sorted(ast.literal_eval(found[1]).items())} ", text)
    entries = _RANGES.search(text)
    assert entries is not None
    ordered = ", ".join(sorted(re.split(r"(?<=\]), ", entries[1])))
    return _RANGES.sub(lambda _: f"Range constraints: {{{ordered}}}", text)


def _text(program) -> str:
    """str(program), without the space that torch 2.13 writes after "Graph signature:"."""
    return re.sub(r"^Graph signature: $", "Graph signature:", str(program), flags=re.MULTILINE)


def _check(program) -> None:
    snapshot = exir_viz.load(program)
    assert render(snapshot, "fx") == str(program.graph)
    assert _ordered(render(snapshot, modules=False)) == _ordered(_text(program))


@pytest.mark.parametrize("name", SMALL_PROGRAMS)
def test_exported(name: str) -> None:
    _check(exported(name))


@pytest.mark.parametrize("name", SMALL_PROGRAMS)
def test_core(name: str) -> None:
    _check(core(name))


@pytest.mark.nightly
@pytest.mark.parametrize("name", LARGE)
def test_large(name: str) -> None:
    _check(exported(name))


@pytest.mark.parametrize("name", ["dynamic_batch", "unbacked", "buffer_mutation", "control_flow"])
def test_read_from_a_file(name: str) -> None:
    """The archive, read without torch, has the text of the program that torch loads from it."""
    import torch

    path = archive(name)
    program = torch.export.load(path)
    snapshot = exir_viz.load(path)
    assert render(snapshot, "fx") == str(program.graph)
    assert _ordered(render(snapshot, modules=False)) == _ordered(_text(program))


def test_expanded() -> None:
    program = exported("dynamic_batch")
    text = "\n".join(line.text for line in lines(exir_viz.load(program).method, modules=False, expanded=True))
    theirs = program.graph_module.print_readable(print_output=False, expanded_def=True)
    assert theirs.rstrip().replace("\n", "\n    ").replace("\n    \n", "\n    \n") in text


def test_graph_module() -> None:
    """A bare graph module has no signature: its text is `print_readable`'s."""
    module = exported("dynamic_batch").graph_module
    assert render(exir_viz.load(module), modules=False) == module.print_readable(print_output=False).rstrip(
        "\n"
    )


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["dynamic_batch", "module_state", "nested_cond", "db:list_unpack"])
def test_edge(name: str) -> None:
    from executorch.exir import to_edge

    _check(to_edge(exported(name)).exported_program())
