"""Configures the documentation site: `make docs`.

The sources are the Markdown pages of `docs`, which are also read on a code host, and the saved notebooks of
`notebooks`. So Sphinx starts in the folder of the project: `sphinx-build -c docs . dist/docs`. Notebooks are
not executed here; tests do that. Nothing is fetched.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "sphinx")]

import torch_names  # noqa: E402

from exir_viz import __version__  # noqa: E402

project = "exir_viz"
author = "The exir_viz authors"
copyright = author  # noqa: A001  Sphinx calls it so
version = release = __version__

root_doc = "docs/index"
include_patterns = ["docs/**", "notebooks/**", "CHANGELOG.md", "CONTRIBUTING.md"]
exclude_patterns = [
    "**/.ipynb_checkpoints",
    *("node_modules", "labextension", "exir_viz", "tests", "scripts", "dist", "build", ".*"),
    # a notebook for JupyterLite
    "notebooks/browser.ipynb",
]
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "live_figure",
    "docstrings",
    "try_page",
    "torch_names",
]

nb_execution_mode = "off"
# A widget needs a kernel: the picture that is saved with it is shown.
nb_mime_priority_overrides = [
    ("html", "application/vnd.jupyter.widget-view+json", None),
    ("html", "image/png", 0),
]
myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4

intersphinx_mapping = torch_names.MAPPING

napoleon_google_docstring = False
napoleon_use_rtype = False
autosummary_generate = False  # the reference is one page
autodoc_typehints = "none"
autodoc_member_order = "bysource"

nitpick_ignore_regex = [("py:class", r"exir_viz\.stages\.explain\.op_card\..*")]  # annotations of fields
suppress_warnings = [
    "misc.highlighting_failure",  # saved errors of notebooks are no Python
    "myst.header",  # generated tables begin at the third level
]

smartquotes = False  # quotes in docstrings are code
html_theme = "pydata_sphinx_theme"
html_title = "exir_viz"
html_static_path = ["sphinx/static"]
html_css_files = ["site.css"]
html_extra_path = ["sphinx/root"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"docs/index": []}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
