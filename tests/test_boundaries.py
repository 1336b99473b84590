"""Who may import whom: the flow of the design, held by reading every import statement.

A module inside a function counts as much as one at the top; only `if TYPE_CHECKING` is free. The second half
proves that the first can fail.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "exir_viz"

HEAVY = ("torch", "executorch", "torchao", "sympy", "pandas", "plotly", "numpy")

# Room → what it may not import. A room not named here is not yet built: a new one must be added.
FORBIDDEN: dict[str, tuple[str, ...]] = {
    # the one language knows nobody but errors
    "snapshot": ("torch", "executorch", "sympy", "pandas", "plotly", "numpy", "exir_viz.!snapshot"),
    # the ways in know the snapshot only
    "readers": ("pandas", "plotly", "exir_viz.!snapshot,readers,torch_internals"),
    "pages": (
        "torch",
        "executorch",
        "sympy",
        "pandas",
        "plotly",
        "exir_viz.!snapshot,pages,compare,stages,reports",
    ),
    "widget": (
        "torch",
        "executorch",
        "sympy",
        "exir_viz.!snapshot,pages,widget,readers,stages,compare,measure,figures,reports",
    ),
    "tables": ("torch", "executorch", "sympy", "plotly", "exir_viz.!snapshot,compare,measure,tables,figures"),
    "cli": ("torch", "executorch", "sympy", "plotly"),
    "errors": ("torch", "executorch", "exir_viz"),
    # what every room may use: which package is missing, and rows
    "extras": (*HEAVY, "exir_viz.!extras"),
    "table": ("torch", "executorch", "sympy", "plotly", "numpy", "exir_viz.!table"),
    # the base class of what verbs return: rows, frame, text
    "result": (*HEAVY, "exir_viz.!result"),
    # how every room shows progress
    "progress_display": (*HEAVY, "exir_viz.!progress_display"),
    # what every room may say of files that are newer than it
    "upgrade_hint": (*HEAVY, "exir_viz.!upgrade_hint"),
    # what installed packages contribute for their backends: it knows them by their entry points alone
    "backends": (*HEAVY, "exir_viz.!backends"),
    # every public verb checks its arguments with these, in every room
    "options": (*HEAVY, "exir_viz.!errors"),
    # TypeScript from the records of every room that a page reads: run by developers, never by users
    "typescript": ("torch", "executorch", "pandas", "plotly"),
    # the tree of stages and its steps: torch and ExecuTorch are touched when a step runs
    "stages": ("pandas", "plotly", "exir_viz.!snapshot,readers,stages,torch_internals"),
    # private parts of torch and ExecuTorch: it knows none of ours
    "torch_internals": ("pandas", "plotly", "exir_viz.!torch_internals"),
    # plain data from Snapshots alone
    "compare": ("torch", "executorch", "sympy", "pandas", "plotly", "exir_viz.!snapshot,compare"),
    # what an analysis says, in one shape; the verifiers of live programs are behind torch_internals, what
    # backends decide behind stages
    "reports": (*HEAVY, "exir_viz.!snapshot,readers,compare,measure,reports,stages,torch_internals"),
    # it exports a module, and rewrites the user's statements
    "export_doctor": (
        *(name for name in HEAVY if name != "torch"),
        "exir_viz.!snapshot,readers,stages,export_doctor,torch_internals",
    ),
    # it runs two programs that a diff has matched
    "measure": ("plotly", "exir_viz.!snapshot,readers,measure,compare,torch_internals"),
    # it reads files as data, for Jupyter's server and the site
    "server": (
        "torch",
        "executorch",
        "sympy",
        "pandas",
        "plotly",
        "exir_viz.!snapshot,readers,compare,measure,pages,reports,server,stages",
    ),
    # what a notebook shows of programs that are not ours, and which there are
    "jupyter": (*HEAVY, "exir_viz.!snapshot,readers,stages,compare,measure,widget,jupyter"),
    "figures": ("torch", "executorch", "sympy", "exir_viz.!snapshot,compare,measure,tables,figures,reports"),
    # the classes of what verbs return
    "types": (*HEAVY,),
    "__init__": ("torch", "executorch", "pandas", "plotly"),
}
# Every room may import these, which know no room.
COMMON = ("backends", "errors", "extras", "options", "progress_display", "result", "table", "upgrade_hint")
# A door on a noun, for people: `snapshot.to_html(path)`. It is opened when called, and leads out only.
DOORS = {
    "snapshot/snapshot.py": ("exir_viz.pages.html", "exir_viz.widget.explore"),
    # what a page shows is derived where it is written, what rules find too
    "snapshot/wire.py": ("exir_viz.reports.rules.edge_dtypes",),
    # text of a program is made safe in one place, wherever it is shown
    **dict.fromkeys(
        ("errors.py", "progress_display.py", "result.py", "table.py"), ("exir_viz.snapshot.printable",)
    ),
    "stages/session.py": ("exir_viz.pages.html", "exir_viz.widget.explore"),
    "stages/stage.py": ("exir_viz.pages.html",),
    "compare/diff.py": (
        "exir_viz.tables",
        "exir_viz.pages",
        "exir_viz.widget.diff_explorer",
        "exir_viz.widget.page",
        "exir_viz.measure.numbers.values",
        # `diff` takes files and live programs too
        "exir_viz.measure.profilable",
        "exir_viz.readers",
    ),
    "compare/values/values.py": ("exir_viz.tables", "exir_viz.measure.bisect.search"),
    "compare/values/bisection.py": ("exir_viz.measure.bisect.reproducer", "exir_viz.widget.explore"),
    "readers/load.py": ("exir_viz.measure.files", "exir_viz.stages.session"),
    "reports/source/report.py": ("exir_viz.measure.time_shares",),
    "measure/profile.py": ("exir_viz.pages.html", "exir_viz.widget.explore"),
}
# The readers of files are free of torch; only live programs need it.
TORCH_FREE_READERS = (
    "load", "files", "archive", "flatbuffer", "etrecord", "traces", "module_scopes", "dimorder",
    "source_lines", "pytrees", "tensor_elements", "kept_data", "checksums", "payloads",
    "watched_export", "seen_values",
)  # fmt: skip


def imports(source: str, package: str) -> Iterator[str]:
    """The absolute name of every module that a source imports, type-checking blocks aside."""
    tree = ast.parse(source)
    free = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in free:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if not node.module)


def breaks(name: str, rule: str) -> bool:
    """Does importing `name` break the rule? "exir_viz.!a,b" allows of our package only the rooms a and b."""
    if rule.startswith("exir_viz.!"):
        allowed = rule.removeprefix("exir_viz.!").split(",")
        return name.startswith("exir_viz.") and name.split(".")[1] not in (*allowed, *COMMON)
    return name == rule or name.startswith(f"{rule}.")


def broken(room: str, source: str, package: str) -> list[str]:
    return [
        f"{name} (rule: {rule})"
        for name in imports(source, package)
        for rule in FORBIDDEN[room]
        if breaks(name, rule)
    ]


def modules() -> list[tuple[str, Path]]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).parts
        found.append((parts[0].removesuffix(".py"), path))
    return found


@pytest.mark.parametrize(("room", "path"), modules(), ids=lambda x: x if isinstance(x, str) else x.stem)
def test_rooms_keep_to_themselves(room: str, path: Path) -> None:
    if path.name == "__main__.py":
        return
    package = ".".join(["exir_viz", *path.relative_to(PACKAGE).parts[:-1]])
    doors = DOORS.get(path.relative_to(PACKAGE).as_posix(), ())
    found = broken(room, path.read_text(), package)
    assert [one for one in found if not one.startswith(doors)] == []
    parts = path.relative_to(PACKAGE).parts
    if room == "readers" and len(parts) > 1 and parts[1].removesuffix(".py") in TORCH_FREE_READERS:
        heavy = [name for name in imports(path.read_text(), package) if name.split(".")[0] in HEAVY]
        assert heavy == []


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("snapshot", "import torch"),
        ("snapshot", "def f():\n    from torch import fx"),
        ("snapshot", "from exir_viz.readers import live"),
        ("snapshot", "from .. import readers"),
        ("pages", "import exir_viz.readers.live"),
        ("cli", "from torch.export import export"),
    ],
)
def test_a_broken_rule_is_found(room: str, source: str) -> None:
    assert broken(room, source, f"exir_viz.{room}")


def test_readers_free_of_torch_are_there() -> None:
    found = {path.stem for path in (PACKAGE / "readers").iterdir()}
    assert set(TORCH_FREE_READERS) <= found


# Folders of a room in an order: each may use those before it.
ORDERS = {
    "compare": ("normalize", "align", "classify", "explanations"),  # as the steps of a comparison run
    "measure": ("cpu", "runtime", "delegate_parts", "numbers", "bisect"),
}
FOLDERS = [(room, folder) for room, order in ORDERS.items() for folder in order]


def later_folders(room: str, folder: str, source: str, package: str) -> list[str]:
    """The imports that reach from a folder of a room into a later one."""
    order = ORDERS[room]
    later = {f"exir_viz.{room}.{one}" for one in order[order.index(folder) + 1 :]}
    return [name for name in imports(source, package) if ".".join(name.split(".")[:3]) in later]


@pytest.mark.parametrize(("room", "folder"), FOLDERS)
def test_a_folder_uses_no_later_one(room: str, folder: str) -> None:
    paths = sorted((PACKAGE / room / folder).rglob("*.py"))
    assert paths
    for path in paths:
        package = ".".join(["exir_viz", *path.relative_to(PACKAGE).parts[:-1]])
        assert later_folders(room, folder, path.read_text(), package) == [], path


def test_a_later_folder_is_found() -> None:
    source = "from exir_viz.compare.classify.node_fields import differ"
    assert later_folders("compare", "align", source, "exir_viz.compare.align")
    assert not later_folders("compare", "explanations", source, "exir_viz.compare.explanations")
    source = "def f():\n    from exir_viz.measure.bisect.search import bisect"
    assert later_folders("measure", "numbers", source, "exir_viz.measure.numbers")


def test_type_checking_is_free() -> None:
    source = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch"
    assert broken("snapshot", source, "exir_viz.snapshot") == []


def loaded_by(statement: str) -> set[str]:
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_importing_costs_nothing() -> None:
    loaded = loaded_by("import exir_viz")
    assert not loaded & set(HEAVY)
    # What Python itself loads is about a hundred modules; ours and msgspec's add little to them.
    assert len(loaded) < 2.5 * len(loaded_by("import typing, pathlib, enum, dataclasses, zlib, json, re"))


def test_that_check_can_fail() -> None:
    assert set(HEAVY) & loaded_by("import sympy")
