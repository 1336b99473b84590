"""The Graphviz picture: which boxes and lines it has, that it stays small, and that text stays text."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from exir_viz.errors import ExirVizError, MissingTool
from exir_viz.pages.dot import dot, write
from exir_viz.pages.dot_writer import label, tint
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.opkind import KINDS
from tests.snapshot.sample import HOSTILE, Maker, aten, chain, fresh_chain, hostile, sample

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz's program dot is not installed")


def _labels(picture) -> list[str]:
    """The labels of boxes, in order."""
    return re.findall(
        r'^\s*g\d+\w+ \[label="?(.*?)"? (?:color|tooltip|fillcolor)=', picture.source, re.MULTILINE
    )


def _lines(picture) -> list[tuple[str, str]]:
    return re.findall(r"^\s*(g\w+) -> (g\w+)", picture.source, re.MULTILINE)


def test_boxes_lines_and_clusters_of_a_whole_method() -> None:
    picture = dot(sample())
    labels = _labels(picture)
    assert r"aten.linear\nf32[batch, 4]\nweight f32[4, 4]" in labels
    assert r"getitem\nf32[batch, 4]" in labels
    assert not any(text.startswith("p_fc_weight") for text in labels), "parameters fold into their users"
    clusters = re.findall(r'label="?([^"]*?)"? labeljust', picture.source)
    nested = [r"true_graph_0\n1 op", r"lowered_0\nXnnpackBackend\n1 op · 2 KB"]
    assert clusters == ["the whole model (Net)", *nested, "fc (Linear)", "fc (Linear, call 2)"]
    assert "ltail=cluster_" in picture.source


def test_parameters_can_be_drawn() -> None:
    folded, drawn = dot(sample()), dot(sample(), fold_parameters=False)
    assert len(_labels(drawn)) == len(_labels(folded)) + 2
    assert len(_lines(drawn)) == len(_lines(folded)) + 3


def test_colours_are_those_of_the_kinds() -> None:
    color = KINDS["matrix"].color
    assert f'color="{color}" fillcolor="{tint(color)}"' in dot(sample()).source


def test_one_module_shows_what_feeds_it_and_what_uses_it() -> None:
    picture = dot(sample(), scope="fc")
    assert picture.source.count("dashed,rounded") == 2
    assert len(_labels(picture)) == 3
    second = dot(sample(), scope="L__self__fc@1")
    assert r"aten.linear\nf32[batch, 4]" in " ".join(_labels(second))


def test_the_neighbourhood_of_a_node() -> None:
    names = [
        re.findall(r'tooltip="?([\w.]+)', dot(sample(), node="linear", steps=steps).source)
        for steps in (0, 1, 2)
    ]
    assert names == [["linear"], ["x", "linear", "linear_1"], ["x", "add", "linear", "linear_1"]]
    assert "penwidth=2.5" in dot(sample(), node="linear").source
    assert len(_labels(dot(sample(), node="p_fc_weight", steps=1))) == 3


def test_a_node_of_a_nested_graph() -> None:
    assert len(_labels(dot(sample(), node="true_graph_0/sin", steps=1))) == 3


@pytest.mark.parametrize("most", [5, 20, 60, 120])
@pytest.mark.parametrize("scoped", [True, False])
def test_a_large_program_stays_within_the_limit(most: int, scoped: bool) -> None:
    picture = dot(chain(4000, scoped), max_nodes=most)
    assert 2 <= len(_labels(picture)) <= most + 1


def test_equal_modules_become_one_box_after_the_first() -> None:
    labels = _labels(dot(chain(400), max_nodes=30))
    assert r"layers.1 – layers.39\nLayer\n×39, each 10 ops" in labels
    assert labels.count(r"aten.relu\nf32[8]") == 10, "the first of them is open"
    assert any("×39" not in text for text in _labels(dot(chain(400), scope="layers.7")))
    assert len(_labels(dot(chain(400), scope="layers.7"))) == 12


def test_what_does_not_fit_is_counted() -> None:
    labels = _labels(dot(chain(500, scoped=False), max_nodes=10))
    (more,) = [text for text in labels if "more nodes" in text]
    assert more == f"… {502 - 10} more nodes"


def test_what_a_picture_is_asked_for_must_be_there() -> None:
    for wrong, says in (
        ({"scope": "x"}, "Unknown module 'x'"),
        ({"node": "nope"}, "Unknown node 'nope'"),
        ({"method": "x"}, "Unknown method 'x'"),
        ({"scope": "fc", "node": "x"}, "not both"),
    ):
        with pytest.raises(ExirVizError, match=says):
            dot(sample(), **wrong)


@pytest.mark.parametrize(
    "text", [HOSTILE, "<b>x</b>", "\\N", "\\", 'a"b', "a\x00b", "{a|b}", "&lt;", "\\\\", "\ud800"]
)
@needs_dot
def test_text_stays_text(text: str, tmp_path: Path) -> None:
    """Whatever a name holds, Graphviz shows it as it is: nothing is left out, nothing becomes markup."""
    make = Maker()
    graph = make.builder.graph("forward")
    at = make.input(graph, "x", make.tensor(2))
    make.add(graph, text, "placeholder", aten("relu"), value=make.tensor(2), scope=make.scope(text, text))
    make.output(graph, at)
    path = write(dot(make.finish(graph)), tmp_path / "x.svg")
    shown = {element.text for element in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")}
    from exir_viz.snapshot.printable import one_line

    assert one_line(text, 44) in shown


def test_a_hostile_program_draws_no_markup() -> None:
    source = dot(hostile()).source
    assert "label=<" not in source
    assert "\x1b" not in source
    assert label(["<b>"]) == "<b>"


@needs_dot
@pytest.mark.parametrize(
    ("form", "magic"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG"), ("dot", b"digraph")]
)
def test_write(form: str, magic: bytes, tmp_path: Path) -> None:
    assert write(dot(sample()), tmp_path / f"x.{form}").read_bytes().startswith(magic)


def test_without_graphviz_it_says_how_to_install_it(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingTool, match="brew install graphviz"):
        write(dot(sample()), tmp_path / "x.svg")
    assert write(dot(sample()), tmp_path / "x.dot").exists()


def _deep(depth: int) -> Snapshot:
    """Modules in modules, one node at the bottom of each."""
    make = Maker()
    graph = make.builder.graph("forward")
    at, scope = make.input(graph, "x", make.tensor(2)), -1
    for number in range(depth):
        scope = make.scope(f"a{number}", "Deep", scope)
        at = make.add(
            graph, f"relu_{number}", "call_function", aten("relu"), value=make.tensor(2), scope=scope
        )
    make.output(graph, at)
    return make.finish(graph)


def test_modules_nested_without_end_are_cut_off() -> None:
    assert dot(_deep(1000), max_nodes=10_000).source.count("subgraph") < 30


def test_cost_is_linear(call_count) -> None:
    few, many = (call_count(lambda made=made: dot(made)) for made in map(fresh_chain, (400, 4000)))
    assert many < 11 * few
