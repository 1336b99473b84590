"""The checkout is all that is needed: nothing in it names a file beside it or a place on one machine."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (".ci", ".github", "docs", "exir_viz", "labextension", "notebooks", "scripts", "tests")
BUILT = {"node_modules", "lib", "static", "__pycache__", ".cache"}
BUILT_PATHS = {Path("exir_viz/labextension"), Path("labextension/package-lock.json")}
TEXT = {
    ".cfg",
    ".css",
    ".html",
    ".ipynb",
    ".js",
    ".json",
    ".md",
    ".mjs",
    ".py",
    ".sh",
    ".toml",
    ".ts",
    ".tsx",
}
TEXT |= {".yaml", ".yml", ""}
# These write names into files that no reader may follow, and do not read them themselves.
HOSTILE = {
    "tests/stages/test_saved.py",
    "tests/readers/test_pte_hostile.py",
    "tests/readers/test_hostile_programs.py",
}

CLIMB = re.compile(r"(?<![\w.])(?:\.\./)+[\w.@-]*(?:/[\w.@-]+)*")
MACHINE = re.compile(r"(?<![\w.$}])/(?:work|root|farm|mnt|Users)/[\w.-]+")


def files() -> Iterator[Path]:
    """Every text file that is ours, made by hand."""
    yield from (file for file in ROOT.iterdir() if file.is_file() and file.suffix in TEXT)
    for folder in FOLDERS:
        yield from _below(ROOT / folder)


def _below(folder: Path) -> Iterator[Path]:
    for file in folder.iterdir() if folder.is_dir() else ():
        if file.name in BUILT or file.relative_to(ROOT) in BUILT_PATHS:
            continue
        if file.is_dir():
            yield from _below(file)
        elif file.suffix in TEXT:
            yield file


def climbs(text: str, folder: Path) -> list[str]:
    """The relative paths in the text of a file of this folder that lead to no folder of the checkout."""
    starts = (folder, ROOT / "labextension")  # npm runs its scripts in the latter
    return [path for path in CLIMB.findall(text) if not any(_inside((at / path).resolve()) for at in starts)]


def _inside(path: Path) -> bool:
    if not path.is_relative_to(ROOT):
        return False
    top = path.relative_to(ROOT).parts[:1]
    # Tests keep files in the first; the second is beside `docs` in the documentation site.
    return top in ((".cache",), ("try",)) or (ROOT / Path(*top)).exists()


def ancestors(tree: ast.AST, depth: int) -> list[int]:
    """The lines that go further up from `__file__` than to the root, or ask for the root's parent."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "parent" and _name(node.value) == "ROOT":
            lines.append(node.lineno)
        if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
            continue
        of = node.value
        if isinstance(of, ast.Attribute) and of.attr == "parents" and "__file__" in ast.unparse(of.value):
            count = node.slice.value
            if isinstance(count, int) and count >= depth:
                lines.append(node.lineno)
    return lines


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.nightly
def test_no_file_names_a_path_outside_the_checkout() -> None:
    found = []
    for file in files():
        if file == Path(__file__).resolve() or file.relative_to(ROOT).as_posix() in HOSTILE:
            continue
        text = file.read_text(encoding="utf-8")
        where = file.relative_to(ROOT)
        found += [f"{where}: {path}" for path in climbs(text, file.parent)]
        found += [f"{where}: {path}" for path in MACHINE.findall(text)]
        if file.suffix == ".py":
            found += [f"{where}:{line}" for line in ancestors(ast.parse(text), len(where.parts))]
    assert found == []


def test_all_of_our_folders_are_looked_at() -> None:
    seen = {file.relative_to(ROOT).parts[0] for file in files()}
    assert seen >= {
        "Makefile",
        "README.md",
        "docs",
        "exir_viz",
        "labextension",
        "notebooks",
        "scripts",
        "tests",
    }
    assert sum(1 for _ in files()) > 1000


@pytest.mark.parametrize("text", ["../shared/corpus", "see [it](../../elsewhere.md)"])
def test_a_path_that_leads_out_is_found(text: str) -> None:
    assert climbs(text, ROOT / "docs") != []
    assert climbs("[ours](../README.md)", ROOT / "docs") == []


def test_a_climb_over_the_root_is_found() -> None:
    assert ancestors(ast.parse("Path(__file__).resolve().parents[2]"), 2) == [1]
    assert ancestors(ast.parse("Path(__file__).resolve().parents[1]"), 2) == []
    assert ancestors(ast.parse("x = ROOT.parent / 'shared'"), 2) == [1]
