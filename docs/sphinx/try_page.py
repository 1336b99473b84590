"""Sphinx extension: puts the page that opens files (`make site`) into the documentation, as `try/index.html`.

That page needs packages from an index, and the documentation is built offline: where `make site` did not run,
a page says so.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx

SITE = Path(__file__).resolve().parents[2] / "dist" / "site"
FOLDER = "try"
MISSING = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>exir_viz</title>
<p>This copy of the documentation was built without the page that opens files.</p>
<p>Run <code>make site docs</code>.
Or open a file in a notebook: <code>exir_viz.explore("model.pt2")</code>.</p>
<p><a href="../docs/index.html">Back to the documentation</a></p>
</html>
"""


def add_page(out: Path, site: Path = SITE) -> None:
    target = out / FOLDER
    shutil.rmtree(target, ignore_errors=True)
    if (site / "index.html").is_file():
        shutil.copytree(site, target)
    else:
        target.mkdir(parents=True)
        (target / "index.html").write_text(MISSING, "utf-8")


def _finish(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        add_page(Path(app.outdir))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
