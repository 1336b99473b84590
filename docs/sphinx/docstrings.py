"""Sphinx extension: docstrings as they are written, and links from an error's name to its row.

Docstrings mark code with single backticks, as Markdown does; reStructuredText wants two. `Raises` names an
error by its class alone: it links to the row of `docs/errors.md`.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

ERRORS = "docs/errors"
ANCHOR = re.compile(r'<a id="(\w+)">')
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _mark_code, priority=100)
    app.connect("autodoc-process-docstring", _keep_colons, priority=900)
    app.connect("autodoc-skip-member", _is_foreign)
    app.connect("missing-reference", _link_error)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _mark_code(_app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Before napoleon reads the sections."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[number] = CODE.sub(r"``\1``", line)


def _keep_colons(_app: Sphinx, what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """After napoleon, which takes what stands before a colon for the type of a property."""
    types = [line for line in lines if line.startswith(":type:")]
    if what in ("property", "attribute") and types:
        before = types[0].removeprefix(":type:").strip()
        kept = [line for line in lines if line not in types]
        lines[:] = [f"{before}: {kept[0]}", *kept[1:]]


def _is_foreign(
    _app: Sphinx, _what: str, _name: str, thing: Any, is_skipped: bool, _options: Any
) -> bool | None:
    """Members that a class inherits from ipywidgets and traitlets are theirs to document."""
    home = getattr(getattr(thing, "fget", thing), "__module__", "")
    return None if is_skipped or str(home).startswith("exir_viz") else True


@functools.cache
def _anchors(path: str) -> frozenset[str]:
    return frozenset(ANCHOR.findall(Path(path).read_text("utf-8")))


def _link_error(
    app: Sphinx, env: BuildEnvironment, node: nodes.Element, content: nodes.Node
) -> nodes.reference | None:
    if node.get("reftype") != "exc" or ERRORS not in env.found_docs:
        return None
    name = str(node["reftarget"]).rpartition(".")[2]
    if name.lower() not in _anchors(env.doc2path(ERRORS)):
        return None
    page = app.builder.get_relative_uri(env.docname, ERRORS)
    return nodes.reference("", "", content, internal=True, refuri=f"{page}#{name.lower()}")
