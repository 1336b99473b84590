"""Private parts of torch and ExecuTorch are used in exir_viz/torch_internals alone: every file is checked.

What begins with an underscore is private. What is needed for annotations alone, under `if TYPE_CHECKING`, is
free. The second half proves that the first can fail.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "exir_viz"
ROOTS = ("torch", "executorch", "torchao", "torchgen")

# Private by their name alone: named tuples' fields, and what other packages give no other way.
ALLOWED = frozenset({"_fields", "_replace", "_asdict", "_repr_mimebundle_", "_SubParsersAction", "_config",
                     "_reply_subshell_for"})  # fmt: skip
# Python's own place for a warning, which `warnings.catch_warnings` puts back.
REPLACED = frozenset({"warnings.showwarning"})
OF_AN_ATTRIBUTE = ("getattr", "hasattr", "setattr", "delattr")
STACK = ("inspect.stack", "inspect.currentframe", "inspect.trace")


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def is_private_path(path: str) -> bool:
    return path.split(".", maxsplit=1)[0] in ROOTS and any(map(is_private, path.split(".")))


def private_names(source: str, parameters: frozenset[str] = frozenset()) -> list[str]:
    """What a source uses that is private and not its own; `parameters` are those of our functions."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = [ast.Pass()]
    own = ALLOWED | set(_own(tree))
    imported = set(_imported(tree))
    return [found for node in ast.walk(tree) for found in _of_node(node, own, imported, parameters)]


def _own(tree: ast.Module) -> Iterator[str]:
    """What a file defines itself: functions, classes, and attributes of `self` and `cls`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            yield node.attr
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _is_self(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id in ("self", "cls")) or ast.unparse(node) == "super()"


def _of_node(
    node: ast.AST, own: frozenset[str], imported: set[str], parameters: frozenset[str]
) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if is_private_path(alias.name))
    elif isinstance(node, ast.ImportFrom) and not node.level:
        paths = (f"{node.module}.{alias.name}" for alias in node.names)
        yield from filter(is_private_path, paths)
    elif isinstance(node, ast.Attribute):
        if is_private(node.attr) and node.attr not in own and not _is_self(node.value):
            yield ast.unparse(node)
        if isinstance(node.ctx, ast.Store | ast.Del):
            yield from _replaced(node, imported)
    elif isinstance(node, ast.Call):
        yield from _of_call(node, imported, parameters)


def _of_call(node: ast.Call, imported: set[str], parameters: frozenset[str]) -> Iterator[str]:
    called = ast.unparse(node.func)
    name = node.args[1] if called in OF_AN_ATTRIBUTE and len(node.args) > 1 else None
    if isinstance(name, ast.Constant) and is_private(str(name.value)) and name.value not in ALLOWED:
        yield ast.unparse(node)
    if called in ("setattr", "delattr") and node.args:
        yield from _replaced(ast.Attribute(node.args[0], "…", ast.Store()), imported)
    # A widget's own traits are given to its base class by name.
    keywords = () if called == "super().__init__" else node.keywords
    yield from (f"{called}({one.arg}=…)" for one in keywords
                if one.arg and is_private(one.arg) and one.arg not in parameters)  # fmt: skip
    if called in STACK:
        yield called


def _replaced(node: ast.Attribute, imported: set[str]) -> Iterator[str]:
    """An attribute of something imported that is set: a function or method of another package replaced."""
    holder: ast.expr = node
    while isinstance(holder, ast.Attribute):
        holder = holder.value
    if isinstance(holder, ast.Name) and holder.id in imported and ast.unparse(node) not in REPLACED:
        yield f"{ast.unparse(node)} = …"


def files() -> list[Path]:
    found = sorted(PACKAGE.rglob("*.py"))
    return [path for path in found if path.relative_to(PACKAGE).parts[0] != "torch_internals"]


def own_parameters() -> frozenset[str]:
    """The private parameters of functions of exir_viz, by which one file may call another's."""
    trees = (ast.parse(path.read_text("utf-8")) for path in files())
    return frozenset(
        argument.arg
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for argument in (*node.args.args, *node.args.kwonlyargs)
        if is_private(argument.arg)
    )


def test_private_names_are_used_in_one_package() -> None:
    parameters = own_parameters()
    found = {
        path.relative_to(PACKAGE).as_posix(): names
        for path in files()
        if (names := private_names(path.read_text("utf-8"), parameters))
    }
    assert found == {}, "move these into a file of exir_viz/torch_internals, with a guard"


@pytest.mark.parametrize(
    "source",
    [
        "import torch._dynamo",
        "from torch._ops import OpOverload",
        "from torch.utils import _pytree as pytree",
        "from executorch.exir._serialize._program import PTEFile",
        "def f(op):\n    return op._schema",
        "import torch\ntorch._C._dispatch_dump('aten::add')",
        "def f(op):\n    return getattr(op, '_op', op)",
        "make_fx(f, _allow_non_fake_inputs=True)",
        "import logging\nlogging.Logger.callHandlers = print",
        "import subprocess\nsubprocess.run = print",
        "from torch.fx import Node\nsetattr(Node, 'replace', print)",
        "import sys\nsys._getframe()",
        "import inspect\ninspect.stack()",
    ],
)
def test_a_private_name_is_found(source: str) -> None:
    assert private_names(source)


@pytest.mark.parametrize(
    "source",
    [
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from torch._ops import OpOverload",
        "class A:\n    def f(self, other):\n        self._x = other._x",
        "row._replace(a=1)",
        "import torch\ntorch.fx.Node.__init__",
        "import warnings\nwarnings.showwarning = print",
    ],
)
def test_what_is_our_own_is_free(source: str) -> None:
    assert private_names(source) == []
