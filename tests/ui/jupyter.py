"""A real Jupyter server, and notebooks in it as a person drives them: in JupyterLab and in Notebook 7.

What enters: the cells of a notebook. The page is driven through the application's own commands and waited for
by what it shows, never by time.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any, Self

import nbformat
from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

CANVAS = ".exirviz-canvas"
SETTLED = f'{CANVAS}[data-state="settled"]'
# Starting a kernel on a loaded machine; what is waited for is an event, and this is when it is given up.
PATIENCE = 60_000

IDLE = "() => jupyterapp.shell.currentWidget?.context?.sessionContext?.session?.kernel?.status === 'idle'"
ALL_RAN = """() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')]
    .every(prompt => /\\[\\d+\\]/.test(prompt.textContent))"""

PATHS = {"lab": "lab/tree", "notebook": "notebooks"}


class Server:
    """`jupyter server` with both applications, on a free port, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        options = {
            "ServerApp.port": self.port,
            "ServerApp.root_dir": str(self.folder),
            "ServerApp.open_browser": False,
            "ServerApp.allow_root": True,
            "IdentityProvider.token": "",
            "ServerApp.disable_check_xsrf": True,
            "LabApp.expose_app_in_browser": True,
            "JupyterNotebookApp.expose_app_in_browser": True,
        }
        call = [
            sys.executable,
            "-m",
            "jupyter",
            "server",
            *(f"--{key}={value}" for key, value in options.items()),
        ]
        environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(self.folder / "config")}
        with (self.folder / "server.log").open("wb") as log:
            self._process = subprocess.Popen(call, stdout=log, stderr=log, env=environment)
        self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait(30)

    def url(self, application: str, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{PATHS[application]}/{name}"

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}") as answer:
            return json.load(answer)

    def stop_kernels(self) -> None:
        for session in self.get("api/sessions"):
            request = urllib.request.Request(
                f"http://127.0.0.1:{self.port}/api/sessions/{session['id']}", method="DELETE"
            )
            urllib.request.urlopen(request).close()

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < until:
            assert self._process is not None
            if self._process.poll() is not None:
                break
            try:
                self.get("api/status")
            except OSError:
                time.sleep(0.1)  # the server says nothing of when it is ready
            else:
                return
        raise RuntimeError((self.folder / "server.log").read_text()[-2000:])


class Notebook:
    """One notebook, open in one application."""

    def __init__(self, server: Server, page: Page, application: str) -> None:
        self.server = server
        self.page = page
        self.application = application
        self.problems: list[str] = []
        self.name = ""
        page.on("pageerror", lambda error: self.problems.append(f"{error} {error.stack}"))

    def open(self, name: str, cells: list[str]) -> Notebook:
        """Write a notebook of these cells and open it."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        nbformat.write(notebook, self.server.folder / name)
        return self.reopen(name)

    def reopen(self, name: str) -> Notebook:
        self.name = name
        # `reset` asks JupyterLab to forget the tabs of the test before.
        self.page.goto(self.server.url(self.application, name) + "?reset")
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=PATIENCE)
        return self

    def run_all(self) -> Notebook:
        """Run every cell and wait until the last has a number."""
        self.page.wait_for_function("() => globalThis.jupyterapp !== undefined", timeout=PATIENCE)
        # A cell that is run before the kernel is there is not run at all.
        self.page.wait_for_function(IDLE, timeout=PATIENCE)
        for attempt in range(3):
            self.command("notebook:run-all-cells")
            try:
                self.page.wait_for_function(ALL_RAN, timeout=PATIENCE / 3)
            except PlaywrightTimeout:
                # A kernel can be idle before the application talks to it; what was run then was not heard.
                if attempt == 2:
                    raise
            else:
                break
        return self

    def command(self, name: str) -> None:
        # Not awaited: a command's promise may wait for a person.
        self.page.evaluate("name => void globalThis.jupyterapp.commands.execute(name)", name)

    def canvases(self, count: int) -> Locator:
        """The pictures on the page, once that many stand."""
        self.page.wait_for_function(
            "([what, count]) => document.querySelectorAll(what).length === count", arg=[SETTLED, count],
            timeout=PATIENCE,
        )  # fmt: skip
        return self.page.locator(CANVAS)

    def said(self, cell: int) -> str:
        """The text that a cell printed last."""
        return self.page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea").inner_text()
