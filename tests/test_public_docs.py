"""The docstrings of the public API: each has its sections, and its examples run.

Public are the names of `exir_viz.__all__` and `exir_viz.types`, the public methods of these classes, charts,
tables, and what docs/reference.md documents.
"""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import exir_viz
from tests.measure.faults import Net as FaultyNet
from tests.measure.faults import changed_weight, fault

# Packages whose names are public too; each lists them in `__all__`.
PACKAGES = (exir_viz.figures, exir_viz.reports, exir_viz.tables)
# The errors that every function can raise; docs/errors.md lists the others.
ERRORS = ("ExirVizError", "UnknownOption", "WrongArgument")


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(self.fc1(x).relu())


def documented() -> dict[str, Any]:
    """Every public function, class and method by name; what two classes inherit stands with the first."""
    found: dict[object, tuple[str, Any]] = {}
    for name, thing in everything():
        found.setdefault(getattr(thing, "__func__", thing), (name, thing))
    return dict(found.values())


def everything() -> Iterator[tuple[str, Any]]:
    things = [(name, getattr(exir_viz, name)) for name in exir_viz.__all__]
    things += [(name, getattr(exir_viz.types, name)) for name in exir_viz.types.__all__]
    things += [(name, getattr(exir_viz.errors, name)) for name in ERRORS]
    for name, thing in things:
        if inspect.isfunction(thing) or inspect.isclass(thing):
            yield name, thing
        if inspect.isclass(thing):
            yield from methods(name, thing)
    for package in PACKAGES:
        prefix = package.__name__.partition(".")[2]
        members = [(f"{prefix}.{name}", getattr(package, name)) for name in package.__all__]
        yield from ((name, thing) for name, thing in members if callable(thing))
        for name, thing in members:
            if inspect.isclass(thing):
                yield from methods(name, thing)
    yield "backends.Backend", exir_viz.backends.Backend
    yield "measure.from_etdump", exir_viz.measure.from_etdump
    yield "measure.profile_file", exir_viz.measure.profile_file
    yield "measure.sweep", exir_viz.measure.sweep


def methods(name: str, cls: type) -> Iterator[tuple[str, Any]]:
    for one in cls.__mro__:
        if one.__module__.startswith("exir_viz."):
            members = ((key, getattr(cls, key)) for key in vars(one) if not key.startswith("_"))
            yield from (
                (f"{name}.{key}", each)
                for key, each in members
                if inspect.isfunction(each) or inspect.ismethod(each)
            )


def properties(cls: type) -> Iterator[str]:
    """The public properties that have no docstring."""
    for one in cls.__mro__:
        if one.__module__.startswith("exir_viz."):
            for key, value in vars(one).items():
                is_property = isinstance(value, property) or type(value).__name__ == "cached_property"
                if is_property and not key.startswith("_") and not inspect.getdoc(value):
                    yield f"{cls.__name__}.{key}"


def missing(thing: Any) -> list[str]:
    """The sections that a docstring lacks, and the parameters that it does not name."""
    doc = inspect.getdoc(thing) or ""
    sections = set(re.findall(r"^(\w+)\n-+$", doc, re.MULTILINE))
    needed = {"Examples"}
    names: list[str] = []
    if inspect.isfunction(thing) or inspect.ismethod(thing):
        signature = inspect.signature(thing)
        names = [name for name in signature.parameters if name not in ("self", "cls")]
        if signature.return_annotation not in ("None", None):
            needed.add("Returns")
        if raises(thing):
            needed.add("Raises")
    elif "__init__" in vars(thing) and not is_record(thing):
        names = list(inspect.signature(thing).parameters)
    if names:
        needed.add("Parameters")
    unnamed = [name for name in names if not re.search(rf"^[\w, ]*\b{name}\b", section(doc), re.MULTILINE)]
    lacking = sorted(needed - sections)
    if "Examples" not in lacking and ">>> " not in doc.partition("Examples\n---")[2]:
        lacking.append("an example that runs")
    return [*lacking, *(f"the parameter {name}" for name in unnamed)]


def raises(function: Callable[..., Any]) -> bool:
    """Does it raise, or refuse an argument, in its own lines?"""
    return bool(
        re.search(
            r"^\s+raise \w|\brefuse\(|\binstance\(", inspect.getsource(inspect.unwrap(function)), re.MULTILINE
        )
    )


def is_record(cls: type) -> bool:
    """Records and what only the package makes: their fields are attributes."""
    return hasattr(cls, "__struct_fields__") or cls.__name__ in ("Report", "Stage")


def section(doc: str) -> str:
    """The lines of the section Parameters."""
    return re.split(r"\n\n\w+\n-+\n", doc.partition("Parameters\n----------\n")[2])[0]


PUBLIC = documented()


@pytest.mark.parametrize(("name", "thing"), PUBLIC.items(), ids=list(PUBLIC))
def test_a_public_docstring_has_its_sections(name: str, thing: Any) -> None:
    assert missing(thing) == []


@pytest.mark.parametrize("cls", [one for one in PUBLIC.values() if inspect.isclass(one)])
def test_a_public_property_has_a_docstring(cls: type) -> None:
    assert list(properties(cls)) == []


def test_the_reference_documents_what_is_checked_here() -> None:
    """Each class and function of the reference is public, and each public one is there."""
    text = (Path(__file__).parents[1] / "docs" / "reference.md").read_text("utf-8")
    named = set(re.findall(r"^\.\. auto(?:class|function|exception):: (\w+)$", text, re.MULTILINE))
    listed = {package.__name__.partition(".")[2] for package in PACKAGES}
    assert {f"exir_viz.{one}" for one in listed} <= set(re.findall(r"automodule:: ([\w.]+)", text))
    public = {name for name in PUBLIC if "." not in name or name.startswith(("backends.", "measure."))}
    assert named == {name.rpartition(".")[2] for name in public}


def test_what_a_docstring_lacks_is_found() -> None:
    def bare(x: int, y: int) -> int:
        """Add.

        Parameters
        ----------
        x
            A number.
        """
        if x > y:
            raise ValueError
        return x

    assert missing(bare) == ["Examples", "Raises", "Returns", "the parameter y"]


@pytest.fixture(scope="module")
def shared() -> dict[str, Any]:
    """What every example can use without making it."""
    torch.manual_seed(0)
    model, x = Net().eval(), torch.randn(2, 4)
    program = torch.export.export(model, (x,))
    snapshot = exir_viz.load(program)
    profile = exir_viz.profile(program, x, repeats=2)
    return {
        "exir_viz": exir_viz,
        "torch": torch,
        "model": model,
        "x": x,
        "program": program,
        "snapshot": snapshot,
        "profile": profile,
    }


@pytest.mark.parametrize(("name", "thing"), PUBLIC.items(), ids=list(PUBLIC))
def test_the_examples_run(name: str, thing: Any, shared: dict[str, Any], tmp_path: Path) -> None:
    doc = inspect.getdoc(thing) or ""
    names = {**shared, "folder": tmp_path}
    if "session" in doc.partition("Examples\n---")[2]:
        names["session"] = exir_viz.Session(shared["model"], shared["x"])
    # XNNPACK is given another weight: its delegate diverges.
    is_bisected = name.startswith(("Bisection", "Values.bisect"))
    with fault(changed_weight(out=16)) if is_bisected else nullcontext():
        if is_bisected:
            names["values"] = diverging()
        said = said_of(doc, names, name)
    assert not said, "".join(said)


def diverging() -> Any:
    """The values of a program and of its delegate, which diverges."""
    torch.manual_seed(0)
    session = exir_viz.Session(FaultyNet().eval(), torch.linspace(-1, 1, 192).reshape(1, 3, 8, 8))
    return exir_viz.diff(session.root, session.backend("xnnpack")).values(executor="executorch")


def said_of(doc: str, names: dict[str, Any], name: str) -> list[str]:
    """What differs when the examples of a docstring run."""
    examples = doctest.DocTestParser().get_doctest(doc, names, name, None, None)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    said: list[str] = []
    doctest.DocTestRunner(optionflags=flags, verbose=False).run(examples, out=said.append)
    return said


# What each public class of results is made by.
RESULTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "Diagnosis": lambda names: exir_viz.doctor(names["model"], names["x"]),
    "Diff": lambda names: exir_viz.diff(names["snapshot"], names["session"].decompose()),
    "Explorer": lambda names: exir_viz.explore(names["snapshot"]),
    "OpCard": lambda names: exir_viz.explain("aten.linear", names["snapshot"]),
    "Profile": lambda names: names["profile"],
    "Session": lambda names: names["session"],
    "Snapshot": lambda names: names["snapshot"],
    "Stage": lambda names: names["session"].root,
    "Story": lambda names: exir_viz.types.Story(exir_viz.explore(names["snapshot"])),
    "Sweep": lambda names: exir_viz.measure.sweep(names["program"], repeats=1),
    "Values": lambda names: exir_viz.diff(names["session"].root, names["session"].decompose()).values(),
}


def test_every_result_is_rendered_in_every_way_of_a_notebook(shared: dict[str, Any]) -> None:
    """IPython prints an error of a renderer and goes on, so that only a direct call fails."""
    session = exir_viz.Session(shared["model"], shared["x"])
    results = {name: make({**shared, "session": session}) for name, make in RESULTS.items()}
    with fault(changed_weight(out=16)):
        results["Bisection"] = diverging().bisect()
    assert set(results) == {"Session", *exir_viz.types.__all__}
    for name, result in results.items():
        assert isinstance(result, exir_viz.Session if name == "Session" else getattr(exir_viz.types, name))
        for one in (result, *_parts(result)):
            assert str(one), name
            assert repr(one), name
            for render in ("_repr_html_", "_repr_mimebundle_"):
                if hasattr(one, render):
                    getattr(one, render)()


def _parts(result: Any) -> Iterator[Any]:
    """What else a result gives that a cell may end with: its table, its first item."""
    if hasattr(result, "table"):
        yield result.table()
    if isinstance(result, Sequence) and result:
        yield result[0]
