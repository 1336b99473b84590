"""What exir_viz replaces in torch, ExecuTorch and Python is listed, and is restored."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz.torch_internals.features import resolve
from exir_viz.torch_internals.replacing import REPLACED, is_replaced, replaced

PATHS = [one.path for one in REPLACED]
ROOT = Path(__file__).resolve().parents[1]
WATCHED = ("torch", "torchao", "executorch", "logging", "subprocess", "warnings")


def function_at(path: str) -> Any:
    owner, _, name = path.rpartition(".")
    if "vulkan" in path:
        pytest.importorskip("executorch.backends.vulkan.partitioner.vulkan_partitioner")
    return vars(resolve(owner))[name]


def answering(_original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *_args, **_kwargs: "replaced"


@pytest.mark.parametrize("path", PATHS)
def test_only_the_calling_thread_is_affected(path: str) -> None:
    original = function_at(path)
    others: list[object] = []

    def look() -> None:
        others.append(is_replaced(path))
        others.append(call())

    def call() -> object:
        """What the stand-in answers; the original fails for want of arguments."""
        try:
            return function_at(path)()
        except (TypeError, AttributeError, IndexError) as error:
            return type(error)

    with replaced(path, answering):
        assert function_at(path)() == "replaced"
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        with replaced(path, lambda outer: lambda: outer() + " twice"):
            assert function_at(path)() == "replaced twice"
        assert function_at(path)() == "replaced"
    assert others[0] is False
    assert others[1] != "replaced"
    assert function_at(path) is original


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
@pytest.mark.parametrize("path", PATHS)
def test_it_is_restored_after(path: str, error: type[BaseException]) -> None:
    original = function_at(path)

    def fail() -> None:
        assert function_at(path) is not original
        raise error

    with pytest.raises(error), replaced(path, answering):
        fail()
    assert function_at(path) is original
    assert not is_replaced(path)


def test_threads_that_overlap_restore_it_when_the_last_one_ends() -> None:
    path = PATHS[0]
    original = function_at(path)
    begun, end = threading.Event(), threading.Event()

    def work() -> None:
        with replaced(path, answering):
            begun.set()
            end.wait(60)

    thread = threading.Thread(target=work)
    with replaced(path, answering):
        thread.start()
        assert begun.wait(60)
    assert function_at(path) is not original
    end.set()
    thread.join()
    assert function_at(path) is original


def test_nothing_else_can_be_replaced() -> None:
    with pytest.raises(AssertionError, match="is not listed"), replaced("json.loads", answering):
        pass


def test_the_documentation_lists_what_is_replaced() -> None:
    text = (ROOT / "docs/dev/compatibility.md").read_text("utf-8")
    part = text.partition("## What exir_viz replaces while it works")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines() if "| `" in line]
    assert rows == [[f"`{one.path}`", one.purpose, one.no_other_way] for one in REPLACED]


# -- nothing that is not listed --------------------------------------------------------------------------


def functions() -> dict[str, int]:
    """Every function of torch, ExecuTorch and some of Python's modules, with the identity of its object."""
    found: dict[str, int] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in WATCHED and type(module) is ModuleType:
            for path, value in members(name, module):
                found[path] = id(value)
    return found


def members(name: str, module: ModuleType) -> Iterator[tuple[str, object]]:
    for key, value in list(vars(module).items()):
        if type(value) is FunctionType:
            yield f"{name}.{key}", value
        elif issubclass(type(value), type) and (value.__module__, value.__name__) == (name, key):
            for own, method in list(vars(value).items()):
                if type(method) is FunctionType:
                    yield f"{name}.{key}.{own}", method


SEEN: list[dict[str, int]] = []


class Looks(torch.nn.Module):
    """Notes every function of torch while it is exported."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        SEEN.append(functions())
        return torch.relu(x + 1)


def changed(before: dict[str, int], after: dict[str, int]) -> set[str]:
    return {path for path in before.keys() & after.keys() if before[path] != after[path]}


def test_an_export_replaces_only_what_is_listed() -> None:
    SEEN.clear()
    for _ in range(2):
        torch.export.export(Looks(), (torch.ones(2),))
    exir_viz.Session(Looks(), torch.ones(2))
    first, plain, ours = SEEN
    by_torch = changed(first, plain)  # it makes these functions anew for each export
    assert PATHS[0] in changed(plain, ours)
    assert changed(plain, ours) - by_torch <= set(PATHS)


def test_a_step_replaces_only_what_is_listed() -> None:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    class Partitioner(XnnpackPartitioner):
        def partition(self, program: Any) -> Any:
            seen.append(functions())
            return super().partition(program)

    importlib.import_module("executorch.backends.vulkan.partitioner.vulkan_partitioner")
    seen: list[dict[str, int]] = []
    program = torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    to_edge_transform_and_lower(program, partitioner=[Partitioner()])
    before = functions()
    session = exir_viz.Session(program)
    session.backend(Partitioner())
    session.root.transform(lambda _: seen.append(functions()), name="looks")
    plain, lowering, passing = seen
    assert changed(plain, lowering), "the reasons of the partitioner are heard"
    assert changed(plain, lowering) <= set(PATHS)
    assert changed(before, passing) <= set(PATHS)
    assert changed(before, functions()) == set()


@pytest.mark.parametrize("is_within", [False, True], ids=["alone", "within another"])
def test_a_replacement_that_cannot_be_made_changes_nothing(is_within: bool) -> None:
    path = PATHS[0]
    original = function_at(path)

    def fails(_original: Callable[..., Any]) -> Callable[..., Any]:
        raise ZeroDivisionError

    def replace() -> None:
        with pytest.raises(ZeroDivisionError), replaced(path, fails):
            pass

    if is_within:
        with replaced(path, answering):
            replace()
            assert function_at(path)() == "replaced"
    else:
        replace()
    assert function_at(path) is original
