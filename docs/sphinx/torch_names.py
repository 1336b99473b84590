"""Sphinx extension: names of torch and ExecuTorch in code link to the documentation of those projects.

`torch_names.txt` is the inventory. It is part of the sources, so that a build fetches nothing.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

FILE = Path(__file__).with_suffix(".txt")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-resolved", _link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def addresses(text: str) -> dict[str, str]:
    """The address of each name in the text of an inventory."""
    found = {}
    pattern = ""
    for line in text.splitlines():
        if line.startswith("https://"):
            pattern = line
        elif line and not line.startswith("#"):
            found[line] = pattern.format(name=line)
    return found


def _link_names(_app: Sphinx, doctree: nodes.document, _page: str) -> None:
    known = addresses(FILE.read_text("utf-8"))
    for code in list(doctree.findall(nodes.literal)):
        address = known.get(code.astext().removesuffix("()"))
        if address and not _is_in(code, nodes.reference, nodes.title):
            code.replace_self(nodes.reference("", "", code.deepcopy(), internal=False, refuri=address))


def _is_in(node: nodes.Node, *kinds: type[nodes.Node]) -> bool:
    parent = node.parent
    while parent is not None and not isinstance(parent, kinds):
        parent = parent.parent
    return parent is not None
