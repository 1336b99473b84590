"""The path of a diff in docs/architecture.md can be read from top to bottom: files import the next ones."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

from tests.corpus.programs import ROOT

PAGE = ROOT / "docs" / "architecture.md"
ROW = re.compile(r"^\| `([\w/]+\.(?:py|tsx?))` \|", re.MULTILINE)
# The page's script is built into the package: no import leads there.
STARTS = ("exir_viz/__init__.py", "labextension/src/hosts/page.ts")
# How often one goes back to a file that was read before, to follow another of its imports.
RETURNS = 7


def path() -> list[str]:
    return ROW.findall(PAGE.read_text("utf-8").partition("## Follow a diff")[2])


def imports(file: str) -> set[str]:
    """The files of this project that a file imports."""
    text = (ROOT / file).read_text("utf-8")
    return set(_python(file, text) if file.endswith(".py") else _typescript(file, text))


def _python(file: str, text: str) -> list[str]:
    package = file.rpartition("/")[0].split("/")
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.ImportFrom):
            continue
        start = package[: len(package) - node.level + 1] if node.level else []
        module = "/".join([*start, *(node.module or "").split(".")]).strip("/")
        for name in ("", *(f"/{alias.name}" for alias in node.names)):
            found += [f"{module}{name}.py", f"{module}{name}/__init__.py"]
    return found


def _typescript(file: str, text: str) -> list[str]:
    folder = (ROOT / file).parent
    targets = [(folder / each).resolve() for each in re.findall(r'from "(\.[^"]+)"', text)]
    names = [Path(target).relative_to(ROOT).as_posix() for target in targets]
    found = [f"{name}{ending}" for name in names for ending in (".ts", ".tsx", "/index.ts")]
    # An index only names the files of its folder.
    faces = [one for one in found if one.endswith("/index.ts") and (ROOT / one).is_file()]
    return [*found, *(each for one in faces for each in _typescript(one, (ROOT / one).read_text("utf-8")))]


def returns(files: list[str]) -> int:
    """How often a file is not imported by the one before it."""
    pairs = itertools.pairwise(files)
    return sum(after not in imports(before) for before, after in pairs if after not in STARTS)


def test_each_file_of_the_path_is_imported_by_one_above_it() -> None:
    files = path()
    assert len(files) == len(set(files)) > 20
    for at, file in enumerate(files):
        assert (ROOT / file).is_file(), file
        assert file in STARTS or any(file in imports(before) for before in files[:at]), file


def test_the_path_goes_back_as_seldom_as_it_did() -> None:
    assert returns(path()) <= RETURNS


def test_a_file_that_is_not_imported_is_a_return() -> None:
    assert returns(["exir_viz/__init__.py", "exir_viz/compare/records.py"]) == 1
    assert returns(["exir_viz/compare/diff.py", "exir_viz/compare/pipeline.py"]) == 0
