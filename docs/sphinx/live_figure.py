"""Sphinx extension: `exir-viz`, a figure that is the live viewer.

    ```{exir-viz} gallery/cond_operands.exirviz
    :select: cond
    :height: 420

    Two branches, each a graph of its own.
    ```

The argument is a `.exirviz` file, by its path from the page. All figures share one copy of the viewer's
script and style. Where scripts are off, or the page is a local file, a static picture that Graphviz drew is
shown.

Options: `select`, the name of a node; `height`, in CSS pixels; `alt`, the text for who does not see it.
"""

from __future__ import annotations

import hashlib
import shutil
from html import escape
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import exir_viz
from exir_viz.errors import MissingTool
from exir_viz.pages import dot

LOG = logging.getLogger(__name__)
ASSETS = Path(exir_viz.__file__).parent / "widget" / "static"
FOLDER = "_static/exir_viz"
MOST_BOXES = 24


class Figure(nodes.General, nodes.Element):
    """The live viewer of a file."""


class ExirVizFigure(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "select": directives.unchanged,
        "height": directives.nonnegative_int,
        "alt": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        relative, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        if not Path(path).is_file():
            raise self.error(f"There is no file {relative}.")
        figure = Figure(
            "",
            path=path,
            select=self.options.get("select", ""),
            height=self.options.get("height", 420),
            alt=self.options.get("alt", ""),
        )
        if self.content:
            caption = nodes.caption()
            caption += self.parse_inline(" ".join(self.content), lineno=self.lineno)[0]
            return [nodes.container("", figure, caption, classes=["exir-viz-figure"])]
        return [figure]


def visit_figure(translator: Any, node: Figure) -> None:
    builder = translator.builder
    program = Path(node["path"])
    snapshot = exir_viz.load(program)
    name = f"{program.stem}-{hashlib.sha256(program.read_bytes()).hexdigest()[:8]}"
    target = Path(builder.outdir) / FOLDER
    shutil.copyfile(program, target / f"{name}.exirviz")
    picture = dot.dot(snapshot, max_nodes=MOST_BOXES)
    try:
        dot.write(picture, target / f"{name}.svg")
    except MissingTool as missing:
        LOG.warning("%s", missing, location=node)
    up = "../" * builder.current_docname.count("/")
    title = node["alt"] or f"The graph of {snapshot.origin.name or program.stem}"
    asked = urlencode({"program": f"{name}.exirviz", "select": node["select"], "title": program.stem})
    address = f"{up}{FOLDER}/viewer.html?{asked}"
    translator.body.append(
        f'<div class="exir-viz" data-viewer="{escape(address)}" data-title="{escape(title)}" '
        f'style="--height: {node["height"]}px">'
        f'<img src="{up}{FOLDER}/{name}.svg" alt="{escape(title)}" loading="lazy"></div>\n'
    )
    raise nodes.SkipNode


def _skip(_translator: Any, _node: Figure) -> None:
    """Text builders have no pictures."""
    raise nodes.SkipNode


def _copy_viewer(app: Sphinx) -> None:
    if app.builder.format != "html":
        return
    target = Path(app.outdir) / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    for file in (ASSETS / "page.js", ASSETS / "explorer.css", Path(__file__).parent / "viewer.html"):
        if not file.is_file():
            LOG.warning("%s is missing. Run: make build", file.name)
            continue
        shutil.copyfile(file, target / file.name)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(Figure, html=(visit_figure, None), text=(_skip, None), latex=(_skip, None))
    app.add_directive("exir-viz", ExirVizFigure)
    app.add_js_file("live_figure.js", loading_method="defer")
    app.connect("builder-inited", _copy_viewer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
