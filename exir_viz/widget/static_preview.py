"""The static preview of an explorer where no scripts run: on GitHub, in nbconvert's output."""

from __future__ import annotations

import base64
import subprocess

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.printable import html

_CAPTION = "Static picture from when this cell ran. Run the cell again for the explorer."
# Maximum boxes of the picture: more would be unreadable, and large in a saved notebook.
_MOST_NODES = 60


def static_preview(snapshot: Snapshot) -> dict[str, str]:
    """MIME type → content. Text is escaped and the picture is an image: program text never becomes markup."""
    text = html("<pre>{}</pre>", str(snapshot))
    picture = draw(snapshot, _MOST_NODES)
    if picture:
        source = base64.b64encode(picture).decode()
        image = html('<img alt="The graph" src="data:image/svg+xml;base64,{}">', source)
        text = html("<figure>{}<figcaption>{}</figcaption></figure>{}", image, _CAPTION, text)
    # JupyterLab's extension looks for this class, and shows the preview without a widget.
    return {"text/html": html('<div class="exirviz-fallback">{}</div>', text)}


def draw(snapshot: Snapshot, most_nodes: int) -> bytes | None:
    """The Graphviz picture as SVG; None if its program is missing or fails: then only the text is shown."""
    import graphviz

    from exir_viz.pages.dot import dot

    try:
        drawn: bytes = dot(snapshot, max_nodes=most_nodes).pipe(format="svg")
    except (graphviz.ExecutableNotFound, subprocess.CalledProcessError, OSError):  # OSError: in Pyodide
        return None
    return drawn
