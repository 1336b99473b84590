"""No code looks into sentences of ours: records carry facts. What torch and others write may be searched.

A search for words is found by its literal: two words or more with a space between. The table below names who
writes the text; a file that searches and is not there fails the test, and so does a stale entry.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORDS = re.compile(r"[A-Za-z]{2,}(?: |\\s[*+]?)[A-Za-z]{2,}")
SEARCHES = {
    "startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "find",
    "index", "search", "match", "fullmatch", "compile", "sub", "finditer", "findall", "count",
}  # fmt: skip
# A search in TypeScript: a method with a literal, or a regular expression that is used at once or named.
IN_TYPESCRIPT = re.compile(
    r"""\.(?:includes|startsWith|endsWith|indexOf|split|match|search|replace|replaceAll)\(\s*["'`/](?P<text>[^"'`\n]+)"""
    r"""|(?P<regex>/(?:\\.|[^/\n*])+/[dgimsuvy]*)\.(?:test|exec)\("""
    r"""|const [A-Z_]+ = (?P<named>/(?:\\.|[^/\n*])+/)"""
)
# Who writes the text that a file searches.
WRITERS = {
    "exir_viz/reports/rules/verifiers.py": "torch's and ExecuTorch's verifiers",
    "exir_viz/export_doctor/blockers.py": "torch.export, in its errors",
    "exir_viz/export_doctor/trial.py": "torch.export, in its errors",
    "exir_viz/measure/conditions.py": "Linux, in /proc/cpuinfo",
    "exir_viz/measure/cpu/failure.py": "torch, in its errors",
    "exir_viz/measure/runtime/runtime_log.py": "ExecuTorch's runtime, in its log",
    "exir_viz/options.py": "Python's inspect",
    "exir_viz/readers/exporting.py": "torch.export, in its errors",
    "exir_viz/readers/trusted_loading.py": "torch.export.load, in its errors",
    "exir_viz/stages/dynamic_shapes/suggested_fixes.py": "torch.export, in its errors",
    "exir_viz/stages/explain/op_docs.py": "torch, in its docstrings",
    "exir_viz/stages/steps/executorch.py": "ExecuTorch, in its errors",
    "exir_viz/stages/steps/failures.py": "ExecuTorch, in its errors",
    "exir_viz/stages/steps/delegation_reasons.py": "ExecuTorch's partitioners",
    "exir_viz/stages/steps/rule_violations.py": "torch's and ExecuTorch's verifiers",
    "exir_viz/torch_internals/operators.py": "torch, of an operator's registration",
    "exir_viz/torch_internals/export.py": "TorchDynamo, in its reasons",
    "exir_viz/torch_internals/logs.py": "Python's importlib, in the names of its files",
    "labextension/src/hosts/fallback.ts": "JupyterLab, where a widget cannot be shown",
}


def _searched(path: Path) -> Iterator[str]:
    """The literals that a Python file looks for in texts."""
    tree = ast.parse(path.read_text("utf-8"))
    constants = _constants(tree)

    def texts(value: ast.expr) -> Iterator[str]:
        if isinstance(value, ast.Name) and value.id in constants:
            value = constants[value.id]
        for part in value.keys if isinstance(value, ast.Dict) else [value]:
            for inner in ast.walk(part) if part is not None else ():
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    yield inner.value

    for node in ast.walk(tree):
        match node:
            case ast.Compare(left, [ast.In() | ast.NotIn()], [within]):
                if not isinstance(within, (ast.Set, ast.Tuple, ast.List, ast.Dict)):
                    yield from texts(left)
            case ast.Call(ast.Attribute(attr=name), [text, *_]) if name in SEARCHES:
                yield from texts(text)


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """What the module's names stand for, and the variables of loops over them."""
    constants: dict[str, ast.expr] = {}
    for statement in tree.body:
        match statement:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(
                ast.Name(name), value=ast.expr() as value
            ):
                constants[name] = value
    for node in ast.walk(tree):
        match node:
            # `for word, remedy in REMEDIES.items()`: the words are the constant's.
            case ast.For(target, iterated) | ast.comprehension(target, iterated):
                if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Attribute):
                    iterated = iterated.func.value
                target = target.elts[0] if isinstance(target, ast.Tuple) else target
                if (
                    isinstance(target, ast.Name)
                    and isinstance(iterated, ast.Name)
                    and iterated.id in constants
                ):
                    constants.setdefault(target.id, constants[iterated.id])
    return constants


def _searches(text: str) -> Iterator[str]:
    """The literals that a TypeScript file looks for in texts."""
    for found in IN_TYPESCRIPT.finditer(text):
        yield next(group for group in found.groups() if group)


@functools.cache
def _prose() -> dict[str, list[str]]:
    found = {
        str(path.relative_to(ROOT)): [text for text in _searched(path) if WORDS.search(text)]
        for path in sorted((ROOT / "exir_viz").rglob("*.py"))
    }
    for path in sorted((ROOT / "labextension/src").rglob("*.ts*")):
        literals = _searches(path.read_text("utf-8"))
        found[str(path.relative_to(ROOT))] = [text for text in literals if WORDS.search(text)]
    return {path: texts for path, texts in found.items() if texts}


@pytest.mark.nightly
def test_only_texts_of_others_are_searched_for_words() -> None:
    found = {path: texts for path, texts in _prose().items() if path not in WRITERS}
    assert found == {}, "let the record carry the fact, or say in WRITERS who else writes the text"


@pytest.mark.nightly
def test_the_table_of_writers_is_not_stale() -> None:
    assert set(WRITERS) - set(_prose()) == set()


def test_searches_are_found(tmp_path: Path) -> None:
    python = tmp_path / "search.py"
    python.write_text(
        "LEFT = ' gives no reason'\n"
        "def f(text):\n"
        "    return 'no config for' in text or text.endswith(LEFT) or 'two words' in {'two words'}\n"
        "KNOWN = {'not in this subgraph': 'Move the call.'}\n"
        "found = [remedy for word, remedy in KNOWN.items() if word in text]\n",
        "utf-8",
    )
    found = [text for text in _searched(python) if WORDS.search(text)]
    assert sorted(found) == [" gives no reason", "no config for", "not in this subgraph"]
    script = 'if (text.includes("probably became") || /is gone$/.test(text)) names.includes("add");'
    assert list(_searches(script)) == ["probably became", "/is gone$/", "add"]
    assert [text for text in _searches(script) if WORDS.search(text)] == ["probably became", "/is gone$/"]
