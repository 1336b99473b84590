"""What the package tells users to do, and which tests do it.

A suggestion is a sentence of a message that begins with a verb: "Fetch the file with `git lfs pull`." A test
that runs one calls `suggests` with its beginning, and then does what it says. The sources are read for both:
every suggestion needs such a test.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.programs import ROOT

PACKAGE = ROOT / "exir_viz"
_VERBS = """
add annotate ask begin build call change check choose click close compare compute convert copy create
decompose download enable export fetch first fix free get give import install keep leave load lower make
measure move name open pass pick profile provide put quantize raise rebuild reduce register reload remove
rename replace restart return rewrite run save select set specify start stop trust try turn update
upgrade use wait write
"""
VERBS = frozenset(_VERBS.split())
# Texts that are no messages: of forms, of the command's help, of what a private name of torch is for.
_LABELS = frozenset({"about", "description", "help", "metavar", "purpose", "title", "uses", "versions"})
_LABELLED = frozenset(
    {"add_argument", "add_parser", "ArgumentParser", "Option", "StepSpec", "Offer", "_button", "_command"}
)
# Generated code.
_NO_MESSAGES = ("typescript",)
# "For a file, use load(path)", "Or pass a Snapshot".
_CONDITION = re.compile(r"(?:(?:For|To|If|In|When|Where) [^,]*, |Or )(?=[a-z])")
_SENTENCE = re.compile(r"(?<=[.:;!?])\s+|\n")
_HOLE = "{…}"


def suggests(text: str, call: Callable[..., object], *args: Any, **kwargs: Any) -> Exception:
    """The call fails, and its error contains the text."""
    with pytest.raises(Exception, match=re.escape(text)) as caught:
        call(*args, **kwargs)
    return caught.value


def suggestions(folder: Path = PACKAGE) -> dict[str, str]:
    """By sentence, with {…} for what is filled in: a place where it is written."""
    found: dict[str, str] = {}
    for file in sorted(folder.rglob("*.py")):
        if file.relative_to(folder).parts[0] in _NO_MESSAGES:
            continue
        for text, line in _texts(ast.parse(file.read_text("utf-8"))):
            for part in _SENTENCE.split(text):
                sentence = part.removeprefix(_HOLE).strip()
                if _is_suggestion(sentence):
                    found.setdefault(sentence, f"{file.relative_to(folder.parent)}:{line}")
    return found


def is_run(sentence: str, texts: Collection[str]) -> bool:
    """Whether one of the texts is the beginning of a sentence, or fills its holes."""
    before = sentence.partition(_HOLE)[0].strip()
    return any(sentence.startswith(text.strip()) or text.startswith(before) for text in texts)


def suggested_texts() -> set[str]:
    """The texts that tests pass to `suggests`."""
    sources = (file.read_text("utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    return {
        call.args[0].value
        for source in sources
        if "suggests(" in source
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "suggests"
        if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    }


def _is_suggestion(sentence: str) -> bool:
    first, _, rest = _CONDITION.sub("", sentence, count=1).partition(" ")
    return bool(rest) and re.sub(r"\W+$", "", first).lower() in VERBS


def _texts(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """All texts of a module but documentation and labels, with their lines."""
    if isinstance(tree, ast.Expr) and isinstance(tree.value, ast.Constant):
        return  # a docstring
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield tree.value, tree.lineno
    elif isinstance(tree, ast.JoinedStr):
        parts = (str(one.value) if isinstance(one, ast.Constant) else _HOLE for one in tree.values)
        yield "".join(parts), tree.lineno
    elif isinstance(tree, ast.Call):
        name = ast.unparse(tree.func).rpartition(".")[2]
        if name not in _LABELLED:
            for child in (tree.func, *tree.args, *(one for one in tree.keywords if one.arg not in _LABELS)):
                yield from _texts(child)
    else:
        for child in ast.iter_child_nodes(tree):
            yield from _texts(child)
