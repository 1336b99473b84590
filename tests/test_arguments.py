"""Every public verb with every kind of wrong argument: it works, or it says in our words what is wrong."""

from __future__ import annotations

import functools
import math
import os
import pathlib
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import exir_viz
from exir_viz import figures, tables
from exir_viz.errors import ExirVizError, UnknownFormat, UnknownOption


class Own:
    """An object of a class that nobody knows."""


def a_function(x: object) -> object:
    return x


WRONG: dict[str, Any] = {
    "None": None,
    "True": True,
    "zero": 0,
    "negative": -3,
    "int": 1 << 40,
    "float": 2.5,
    "nan": math.nan,
    "complex": 1j,
    "empty text": "",
    "text": "nothing of this name",
    "NUL": "a\0b",
    "bytes": b"bytes",
    "path": pathlib.Path("no/such/file.pt2"),
    "empty list": [],
    "list": [1, "two", None],
    "tuple": (3, 4),
    "dict": {"a": 1},
    "dict by number": {0: None},
    "set": {"a"},
    "class": torch.nn.Linear,
    "own": Own(),
    "lambda": lambda: None,
    "function": a_function,
    "tensor": torch.ones(2, 2),
    "array": np.ones(2),
    "package": math,
    "module": torch.nn.ReLU(),
}


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.linear(x))


@functools.cache
def made() -> SimpleNamespace:
    """One of each thing that a verb takes; nothing is lowered."""
    torch.manual_seed(0)
    module, x = Model(), torch.ones(2, 4)
    program = torch.export.export(module, (x,))
    snapshot = exir_viz.load(program)
    profile = exir_viz.profile(program, repeats=1, warmup=1)
    values = exir_viz.diff(program, program).values()
    return SimpleNamespace(
        module=module,
        x=x,
        program=program,
        snapshot=snapshot,
        profile=profile,
        values=values,
        diff=values.diff,
        session=exir_viz.Session(program),
        loaded=exir_viz.Session(snapshot),
        explorer=exir_viz.explore(profile),
        staged=exir_viz.explore(program),
    )


Call = Callable[[SimpleNamespace, Any], object]
BRIEF = {"repeats": 1, "warmup": 1}

CALLS: dict[str, Call] = {
    "load live": lambda m, w: exir_viz.load(w),
    "load inputs": lambda m, w: exir_viz.load(m.program, w),
    "load kwargs": lambda m, w: exir_viz.load(m.module, m.x, kwargs=w),
    "load dynamic_shapes": lambda m, w: exir_viz.load(m.module, m.x, dynamic_shapes=w),
    "load strict": lambda m, w: exir_viz.load(m.program, strict=w),
    "load dialect": lambda m, w: exir_viz.load(m.program, dialect=w),
    "load whole": lambda m, w: exir_viz.load(m.program, whole=w),
    "load": lambda m, w: exir_viz.load(w),
    "load with trust": lambda m, w: exir_viz.load(w, trust=True),
    "load trust": lambda m, w: exir_viz.load("no/such/file.pt2", trust=w),
    "explore": lambda m, w: exir_viz.explore(w),
    "explore height": lambda m, w: exir_viz.explore(m.snapshot, height=w),
    "explore title": lambda m, w: exir_viz.explore(m.snapshot, title=w),
    "check": lambda m, w: exir_viz.check(w),
    "check dialect": lambda m, w: exir_viz.check(m.snapshot, w),
    "check rules": lambda m, w: exir_viz.check(m.snapshot, rules=w),
    "check rows": lambda m, w: list(exir_viz.check(m.snapshot).rows(w)),
    "diff a": lambda m, w: exir_viz.diff(w, m.snapshot),
    "diff b": lambda m, w: exir_viz.diff(m.snapshot, w),
    "diff names": lambda m, w: exir_viz.diff(m.snapshot, m.snapshot, names=w),
    "diff links": lambda m, w: exir_viz.diff(m.snapshot, m.snapshot, links=w),
    "diff.of": lambda m, w: m.diff.of(w),
    "diff.to_html": lambda m, w: m.diff.to_html(w),
    "diff.to_html values": lambda m, w: m.diff.to_html("no/such/folder/page.html", values=w),
    "diff.costs": lambda m, w: m.diff.costs(w, m.profile),
    "diff.text": lambda m, w: m.diff.text(w),
    "diff.explore": lambda m, w: m.diff.explore(height=w),
    "values": lambda m, w: exir_viz.diff(m.program, w).values(),
    "values inputs": lambda m, w: exir_viz.diff(m.program, m.program).values(w),
    "values rtol": lambda m, w: exir_viz.diff(m.program, m.program).values(rtol=w),
    "values symbols": lambda m, w: exir_viz.diff(m.program, m.program).values(symbols=w),
    "values.of": lambda m, w: m.values.of(w),
    "values.to_html": lambda m, w: m.values.to_html(w),
    "values.series": lambda m, w: m.values.series(w),
    "explain": lambda m, w: exir_viz.explain(w),
    "explain program": lambda m, w: exir_viz.explain("aten.relu.default", w),
    "explain executorch": lambda m, w: w is True or exir_viz.explain("aten.relu.default", executorch=w),
    "profile": lambda m, w: exir_viz.profile(w, **BRIEF),
    "profile inputs": lambda m, w: exir_viz.profile(m.program, w, **BRIEF),
    "profile kwargs": lambda m, w: exir_viz.profile(m.program, kwargs=w, **BRIEF),
    "profile executor": lambda m, w: exir_viz.profile(m.program, executor=w, **BRIEF),
    "profile symbols": lambda m, w: exir_viz.profile(m.program, symbols=w, **BRIEF),
    "profile method": lambda m, w: exir_viz.profile(m.program, method=w, **BRIEF),
    "profile progress": lambda m, w: callable(w) or exir_viz.profile(m.program, progress=w, **BRIEF),
    "profile.save": lambda m, w: m.profile.save(w),
    "profile.at": lambda m, w: m.profile.at(w),
    "profile.hottest": lambda m, w: m.profile.hottest(w),
    "profile.rollup": lambda m, w: m.profile.rollup(w),
    "profile.series": lambda m, w: m.profile.series(w),
    "profile.to_html": lambda m, w: m.profile.to_html(w),
    "profile.to_csv": lambda m, w: m.profile.to_csv(w),
    "sweep threads": lambda m, w: exir_viz.measure.sweep({}, threads=w),
    "sweep symbols": lambda m, w: exir_viz.measure.sweep({}, symbols=w),
    "sweep on": lambda m, w: exir_viz.measure.sweep({}, on=w),
    "Session": lambda m, w: exir_viz.Session(w),
    "Session.load": lambda m, w: exir_viz.Session.load(w),
    "session[...]": lambda m, w: m.session[w],
    "session.current": lambda m, w: setattr(m.session, "current", w),
    "session.rename": lambda m, w: m.loaded.rename(m.loaded.root, w),
    "session.drop": lambda m, w: m.session.drop(w),
    "session.save": lambda m, w: m.session.save(w),
    "session.to_html": lambda m, w: m.session.to_html(w),
    "session.to_html compare": lambda m, w: m.session.to_html("no/such/folder/page.html", compare=w),
    "session.to_html profiles": lambda m, w: m.session.to_html("no/such/folder/page.html", profiles=w),
    "session.do": lambda m, w: m.loaded.do(w, "edge"),
    "session.do kind": lambda m, w: m.loaded.do(m.loaded.root, w),
    "session.do options": lambda m, w: m.loaded.do(m.loaded.root, "edge", w),
    "decompose": lambda m, w: m.loaded.decompose(w),
    "decompose but": lambda m, w: m.loaded.decompose(but=w),
    "edge preserve": lambda m, w: m.loaded.edge(preserve=w),
    "edge check_ir": lambda m, w: m.loaded.edge(check_ir=w),
    "transform": lambda m, w: m.loaded.transform(w),
    "backend": lambda m, w: m.loaded.backend(w),
    "executorch config": lambda m, w: m.loaded.executorch(config=w),
    "executorch algorithm": lambda m, w: m.loaded.executorch(algorithm=w),
    "quantize": lambda m, w: m.loaded.quantize(w),
    "quantize quantizer": lambda m, w: m.loaded.quantize(quantizer=w),
    "reexport strict": lambda m, w: m.loaded.reexport(strict=w),
    "reexport dims": lambda m, w: m.session.reexport(dims=w),
    "reexport dynamic_shapes": lambda m, w: m.session.reexport(w),
    "stage.ancestors": lambda m, w: m.session.root.ancestors(w),
    "stage.preview": lambda m, w: m.loaded.root.preview(w),
    "stage.trace": lambda m, w: m.session.root.trace(w),
    "snapshot.save": lambda m, w: m.snapshot.save(w),
    "snapshot.text": lambda m, w: m.snapshot.text(w),
    "snapshot.text method": lambda m, w: m.snapshot.text("fx", w),
    "snapshot.to_html": lambda m, w: m.snapshot.to_html(w),
    "snapshot.to_html title": lambda m, w: m.snapshot.to_html("no/such/folder/page.html", title=w),
    "explorer.select": lambda m, w: m.explorer.select(w),
    "explorer.fold": lambda m, w: m.explorer.fold(w),
    "explorer.paint": lambda m, w: m.explorer.paint(w),
    "explorer.search": lambda m, w: m.explorer.search(w),
    "explorer.show": lambda m, w: m.explorer.show(w),
    "explorer.chart": lambda m, w: m.explorer.chart(w),
    "explorer.chart top": lambda m, w: m.explorer.chart("ops", top=w),
    "explorer.link": lambda m, w: m.explorer.link(w),
    "explorer.go": lambda m, w: m.staged.go(w),
    "explorer.compare": lambda m, w: m.staged.compare(w, w),
    "tables.nodes": lambda m, w: tables.nodes(w),
    "tables.matches": lambda m, w: tables.matches(w),
    "tables.costs": lambda m, w: tables.costs(m.diff, w),
    "tables.numbers": lambda m, w: tables.numbers(w),
    "tables.stages": lambda m, w: tables.stages(w),
    "tables.decompositions": lambda m, w: tables.decompositions(w),
    "figures.bars": lambda m, w: figures.bars(w),
    "figures.bars top": lambda m, w: figures.bars(m.profile, top=w),
    "figures.arenas": lambda m, w: figures.arenas(w),
    "figures.stages": lambda m, w: figures.stages(w),
    "figures.stages names": lambda m, w: figures.stages([m.profile], w),
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that is right is written to."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_works_or_is_refused_in_our_words(name: str) -> None:
    foreign = dict(_foreign(CALLS[name]))
    assert foreign == {}


def _foreign(call: Call) -> Iterator[tuple[str, str]]:
    things = made()
    for kind, wrong in WRONG.items():
        try:
            call(things, wrong)
        except ExirVizError as error:
            if not str(error).strip():
                yield kind, f"{type(error).__name__} without a word"
        except OSError:  # there is no such file, as Python says it
            continue
        except Exception as error:  # noqa: BLE001  the point of the test
            yield kind, f"{type(error).__name__}: {error}"


def refusal(call: Callable[[], object]) -> ExirVizError:
    with pytest.raises(ExirVizError) as refused:
        call()
    return refused.value


def test_an_unknown_option_names_the_nearest_and_all_others() -> None:
    error = refusal(lambda: exir_viz.profile(made().program, repeat=3))  # type: ignore[call-arg]
    assert isinstance(error, UnknownOption)
    assert isinstance(error, TypeError)
    assert (error.verb, error.option, error.nearest) == ("profile", "repeat", "repeats")
    assert str(error) == (
        "profile() has no option 'repeat'. Did you mean 'repeats'? Other options: inputs, executor, kwargs, "
        "symbols, method, threads, warmup, progress."
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.session.executorch(alloc_graph_inputs=False), "Did you mean 'alloc_graph_input'"),
        (lambda m: m.loaded.do(m.loaded.root, "edge", {"presrve": []}), "Did you mean 'preserve'"),
        (lambda m: m.snapshot.to_html("page.html", source=False), "Did you mean 'sources'"),
        (lambda m: exir_viz.explore(m.program, colour="red"), "no option 'colour'. Options: kwargs, "),
        (
            lambda m: exir_viz.profile(m.program, m.x, "cpu"),
            "Expected: at most x, inputs. Pass options by name",
        ),
        (lambda m: exir_viz.diff(m.snapshot), r"diff(): b is missing. Expected: diff(a, b)."),
        (lambda m: exir_viz.diff(m.session, m.session), "diff(session.root, session.current)"),
        (lambda m: exir_viz.explore(m.x), "It holds numbers, not a program"),
        (lambda m: exir_viz.explore(m.x.numpy()), "It holds numbers, not a program"),
        (lambda m: exir_viz.explore(Model), "Make an instance of it: explore(Model(…), x)"),
        (lambda m: exir_viz.load(m.module), "Pass example inputs: load(module, x)"),
        (lambda m: exir_viz.load("model.pt2", strict=True), "strict is given. Expected: no strict"),
        (lambda m: exir_viz.load("model.pt2", whole=True), "whole is given. Expected: no whole"),
        (lambda m: exir_viz.load("model.pt2", watch=True), "watch is given. Expected: no watch"),
        (lambda m: tables.nodes("model.pt2"), "Expected: a Snapshot. exir_viz.load(x) makes one"),
        (lambda m: m.session.executorch(config=3), "Expected: an executorch.exir.ExecutorchBackendConfig"),
        (lambda m: exir_viz.load(m.program, m.x), "is not exported"),
        (lambda m: m.explorer.chart("memory", top=3), "no top for the chart 'memory'"),
    ],
)
def test_a_refusal_says_what_to_do(call: Callable[[SimpleNamespace], object], said: str) -> None:
    assert said in str(refusal(lambda: call(made())))


def test_a_compiled_module_is_explored_as_it_is_captured() -> None:
    things = made()
    assert exir_viz.explore(torch.compile(things.module), things.x).session.root.snapshot.method.graph


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize(
    "opened",
    [exir_viz.load, functools.partial(exir_viz.load, trust=True)],
    ids=["load", "with trust"],
)
def test_a_pipe_is_refused_at_once(opened: Callable[[pathlib.Path], object], tmp_path: pathlib.Path) -> None:
    pipe = tmp_path / "pipe.pt2"
    os.mkfifo(pipe)
    errors: list[Exception] = []

    def work() -> None:
        errors.append(refusal(lambda: opened(pipe)))

    waiting = threading.Thread(target=work, daemon=True)
    waiting.start()
    waiting.join(60)
    assert [type(error) for error in errors] == [UnknownFormat]
