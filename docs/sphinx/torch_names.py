"""Sphinx extension: names of torch and ExecuTorch in code link to the documentation of those projects.

The addresses come from the inventories beside this file, which intersphinx reads. They are part of the
sources, so that a build fetches nothing.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.intersphinx import InventoryAdapter

HERE = Path(__file__).parent
MAPPING = {
    "torch": ("https://docs.pytorch.org/docs/stable", (str(HERE / "torch.inv"),)),
    "executorch": ("https://docs.pytorch.org/executorch/stable", (str(HERE / "executorch.inv"),)),
}


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-resolved", _link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _link_names(app: Sphinx, doctree: nodes.document, _page: str) -> None:
    inventory = InventoryAdapter(app.env).main_inventory
    known = {name: item.uri for kind in inventory.values() for name, item in kind.items()}
    for code in list(doctree.findall(nodes.literal)):
        address = known.get(code.astext().removesuffix("()"))
        if address and not _is_in(code, nodes.reference, nodes.title):
            code.replace_self(nodes.reference("", "", code.deepcopy(), internal=False, refuri=address))


def _is_in(node: nodes.Node, *kinds: type[nodes.Node]) -> bool:
    parent = node.parent
    while parent is not None and not isinstance(parent, kinds):
        parent = parent.parent
    return parent is not None
