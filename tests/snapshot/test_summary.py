"""What `print(snapshot)` shows: complete for a small program, one screen for any."""

from __future__ import annotations

import pytest

from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.program import Dialect, MethodDetail, MethodRecord, OriginOfSnapshot, Symbol
from exir_viz.snapshot.summary import MAX_LINES, WIDTH, summarise

from .sample import Maker, aten, chain, hostile, sample

SAMPLE = """\
sample · test · torch 2.13.0

method   dialect  nodes  ops  parameters  state
forward  aten        19    8          16   68 B

Ops
  2  aten.add.Tensor
  2  aten.linear.default
  1  aten.cos.default
  1  aten.sin.default
  1  cond
  1  getitem

Inputs
  batch["x"]  f32[batch, 4]  x
  input       f32[batch, 4]

Outputs
  output  f32[batch, 4]  getitem

State written
  steps  f32[]  add_1

Symbols
  batch  0 to ∞  example 8  s0  x.size()[0]

Nested graphs
  true_graph_0  subgraph        1 op
  lowered_0     XnnpackBackend  1 op  2 KB

Notices
  A source file was not there. (×2)"""


def test_everything_of_a_small_program() -> None:
    assert str(sample()) == SAMPLE


def _crowded():
    """Two hundred ops, inputs, symbols, methods and notices."""
    make = Maker("crowded")
    for number in range(200):
        graph = make.builder.graph(f"method_{number}")
        x = make.input(graph, "x", make.tensor(f"s{number}"))
        for op in range(5):
            make.add(graph, f"op_{op}", "call_function", aten(f"op_{number}_{op}"))
        make.output(graph, x)
        symbols = tuple(Symbol(f"s{one}", "int", True) for one in range(200))
        make.builder.method(
            MethodRecord(graph.name, graph.number, Dialect.ATEN, symbols=symbols), MethodDetail()
        )
        make.builder.notice("code", f"Notice {number}: " + "words " * 40)
    return make.builder.finish()


@pytest.mark.parametrize("make", [sample, lambda: chain(500), hostile, _crowded])
def test_fits_one_screen(make) -> None:
    lines = summarise(make()).split("\n")
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= WIDTH
    assert all(line == line.rstrip() for line in lines)


def test_says_how_much_it_leaves_out() -> None:
    text = str(_crowded())
    assert "… 195 more" in text
    assert len(text.split("\n")) == MAX_LINES  # and no more than that


def test_a_terminal_gets_no_control_characters() -> None:
    assert all(char.isprintable() or char == "\n" for char in str(hostile()))


def test_a_program_without_methods_details() -> None:
    builder = SnapshotBuilder(OriginOfSnapshot("fx"))
    graph = builder.graph("forward")
    builder.method(MethodRecord("forward", graph.number, Dialect.FX), MethodDetail())
    assert str(builder.finish()).split("\n")[0] == "fx"
