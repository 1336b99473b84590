"""While a step runs, the code of a graph is generated when it is needed; it is what torch generates."""

from __future__ import annotations

import copy
import linecache
import pickle
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from exir_viz.torch_internals.code_when_needed import code_when_needed
from tests.corpus.shortcuts import without_shortcuts


def graph_of(add: float) -> torch.fx.GraphModule:
    def forward(x):
        return x.view(2, 2) + add

    with code_when_needed():
        return torch.fx.symbolic_trace(forward)


@pytest.fixture(autouse=True)
def as_torch_is() -> Iterator[None]:
    with without_shortcuts():
        yield


@pytest.mark.parametrize(
    "use",
    [
        lambda module: module(torch.ones(4)),
        lambda module: module.forward(torch.ones(4)),
        lambda module: type(module).forward,
        lambda module: module.code,
        str,
        pickle.dumps,
    ],
)
def test_code_is_generated_when_it_is_needed(use: Callable[[torch.fx.GraphModule], object]) -> None:
    module = graph_of(1.0)
    kind = type(module)
    assert "_code" not in module.__dict__
    use(module)
    assert "view" in module.__dict__["_code"]
    # and the class has what torch gives it, and nothing else
    plain = torch.fx.symbolic_trace(lambda x: x + 1)
    assert {name: type(value) for name, value in vars(kind).items() if name != "_is_replica"} == {
        name: type(value) for name, value in vars(type(plain)).items()
    }
    assert vars(module).keys() == vars(plain).keys()


def test_every_graph_has_code_of_its_own() -> None:
    one, two, other = graph_of(1.0), graph_of(1.0), graph_of(2.0)
    assert one.code == two.code != other.code
    x = torch.ones(4)
    assert [each(x).sum().item() for each in (one, two, other)] == [8, 8, 12]
    codes = [each.forward.__func__.__code__ for each in (one, two)]
    assert codes[0] is not codes[1]
    names = [code.co_filename for code in codes]
    assert names[0] != names[1]
    assert all("view" in "".join(linecache.getlines(name)) for name in names)


def test_a_graph_that_changes_has_new_code_and_so_have_its_copies() -> None:
    module, x = graph_of(1.0), torch.ones(4)
    assert module(x).sum().item() == 8
    (node,) = (one for one in module.graph.nodes if one.name == "add")
    node.args = (node.args[0], 2.0)
    with code_when_needed():
        module.recompile()
        twin = copy.deepcopy(module)
    again = pickle.loads(pickle.dumps(module))
    assert [one(x).sum().item() for one in (module, twin, again)] == [12, 12, 12]
    with code_when_needed():
        assert "2.0" in module.recompile().src


def test_torch_generates_code_at_once_again_after_the_step() -> None:
    module = graph_of(1.0)
    (node,) = (one for one in module.graph.nodes if one.name == "add")
    node.args = (node.args[0], 2.0)
    module.recompile()
    assert "2.0" in module.__dict__["_code"]
    assert module(torch.ones(4)).sum().item() == 12
    assert torch.fx.GraphModule.recompile.__module__ == "torch.fx.graph_module"


def test_other_threads_generate_code_at_once_and_may_run_what_waits() -> None:
    waiting = graph_of(1.0)
    with ThreadPoolExecutor(4) as threads, code_when_needed():
        at_once = threads.submit(torch.fx.symbolic_trace, lambda x: x + 1).result()
        assert "_code" in at_once.__dict__
        results = [threads.submit(waiting, torch.ones(4)) for _ in range(8)]
        assert {one.result().sum().item() for one in results} == {8}


def test_a_graph_without_code_says_so_each_time() -> None:
    module = graph_of(1.0)
    (node,) = (one for one in module.graph.nodes if one.op == "placeholder")
    node.target = "not a name"
    for _ in range(2):
        with pytest.raises(SyntaxError):
            module(torch.ones(4))


def test_an_error_names_the_line_of_its_graph() -> None:
    graph_of(1.0)
    wrong = graph_of(1.0)
    with pytest.raises(RuntimeError) as raised:
        wrong.forward(torch.ones(3))
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert last.filename == wrong.forward.__func__.__code__.co_filename
    assert "view" in str(last.line)
