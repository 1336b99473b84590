"""The extension of Jupyter's server that opens program files without a kernel.

What enters: the path of a file in the contents manager. What leaves: the bytes that the explorer shows, or a
problem with its remedy. A worker process reads the file as data; neither it nor the server imports torch.
Jupyter loads this package itself; `import exir_viz` does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "exir_viz.server"}]


def _load_jupyter_server_extension(server: ServerApp) -> None:
    from .handlers import add_handlers

    add_handlers(server)
