"""A real Jupyter server, and notebooks in it as a person drives them: in JupyterLab and in Notebook 7.

What enters: the cells of a notebook. The page is driven through the application's own commands and waited for
by what it shows, never by time.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import Any, Self

import nbformat
from playwright.sync_api import BrowserContext, Locator, Page
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from .standalone import PATIENCE

CANVAS = ".exirviz-canvas"
# JupyterLab stands, with the tabs of its workspace.
READY = "() => globalThis.jupyterapp?.restored.then(() => true)"
SETTLED = f'{CANVAS}[data-state="settled"]'

IDLE = "() => jupyterapp.shell.currentWidget?.context?.sessionContext?.session?.kernel?.status === 'idle'"
PROMPTS = "() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(each => each.textContent)"
# A cell runs, or has another number than before.
HAS_BEGUN = f"""before => ({PROMPTS})().some((text, i) => text.includes('[*]') || text !== before[i])"""
# How the cells ended: "ran" once all have numbers, "lost" where some have none and nothing has run for five
# seconds, as when the kernel has died.
ENDED = f"""() => {{
  const texts = ({PROMPTS})();
  if (texts.every(text => /\\[\\d+\\]/.test(text))) return 'ran';
  if (texts.some(text => text.includes('[*]'))) globalThis.lastRun = Date.now();
  return Date.now() - (globalThis.lastRun ??= Date.now()) > 5000 ? 'lost' : '' }}"""

# The first folder of each file that a stack names.
LINES = re.compile(r"http://[^/]+/([^/]+)/")

PATHS = {"lab": "lab/tree", "notebook": "notebooks"}

# What a test leaves in its kernel: widgets, and names. Modules stay imported, which is what makes it warm.
FORGET = """import sys
if "ipywidgets" in sys.modules:
    sys.modules["ipywidgets"].Widget.close_all()
get_ipython().run_line_magic("reset", "-f")"""
# "ok" once the kernel of a notebook, whose tab may be behind others, has run the code; anything else where it
# could not in so many milliseconds.
EXECUTE = """async ([name, code, patience]) => {
  const open = [...globalThis.jupyterapp?.shell.widgets('main') ?? []];
  const { context } = open.find(({ context }) => context?.path === name) ?? {};
  const kernel = context?.sessionContext?.session?.kernel;
  const done = kernel?.requestExecute({ code, silent: true, store_history: false }).done;
  const late = new Promise(end => setTimeout(end, patience));
  return (await Promise.race([done, late]))?.content.status ?? '' }"""

# Closes every tab of JupyterLab, and asks nobody what to save; the launcher comes back by itself. The sidebar
# shows files again.
CLOSE_TABS = """async () => {
  const isOpen = () => [...jupyterapp.shell.widgets('main')].filter(each => !each.id.startsWith('launcher'));
  for (const widget of isOpen()) {
    if (widget.context) widget.context.model.dirty = false;
    widget.close();
  }
  const until = Date.now() + 10_000;
  while (isOpen().length || document.querySelector('.jp-Dialog')) {
    if (Date.now() > until) throw Error('a tab or a dialog does not close');
    await new Promise(done => setTimeout(done, 10));
  }
  await jupyterapp.commands.execute('filebrowser:activate') }"""


def until(page: Page, is_so: Callable[[], bool], what: str) -> None:
    """Wait for something that the page does not report; `what` is said where it does not come."""
    end = time.monotonic() + PATIENCE / 1000
    while not is_so():
        assert time.monotonic() < end, f"waited in vain for: {what}"
        page.wait_for_timeout(50)


class Server:
    """`jupyter server` with both applications, on a free port, in its own folder.

    One kernel is reused by one notebook after another as long as it lives: it has torch imported already.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        for attempt in range(3):
            try:
                self._start()
            except RuntimeError:  # another process took the free port
                if attempt == 2:
                    raise
            else:
                break
        return self

    def _start(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        options = {
            "ServerApp.port_retries": 0,
            "ServerApp.port": self.port,
            "ServerApp.root_dir": str(self.folder),
            "ServerApp.open_browser": False,
            "ServerApp.allow_root": True,
            "ServerApp.jpserver_extensions": "{'exir_viz.server': True}",
            # else each server looks for language servers, with a dozen processes
            "LanguageServerManager.autodetect": False,
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
        # Else each JupyterLab that is loaded has the server look for a new build, with Node and Yarn.
        page = self.folder / "config" / "labconfig" / "page_config.json"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text('{"buildCheck": false}')
        environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(self.folder / "config")}
        with (self.folder / "server.log").open("wb") as log:
            self._process = subprocess.Popen(
                call, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )
        self._wait()

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self.stop_kernels()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            # It may wait for a kernel that was being started; its kernels end with it.
            self._process.kill()
            self._process.wait()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def url(self, application: str, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{PATHS[application]}/{name}"

    def get(self, path: str) -> Any:
        return self._ask("GET", path)

    def put(self, path: str, body: object) -> None:
        self._ask("PUT", path, body)

    def stop_kernels(self) -> None:
        for session in self.get("api/sessions"):
            self._ask("DELETE", f"api/sessions/{session['id']}")

    def give_kernel(self, name: str) -> None:
        """The kernel of the notebook before becomes that of this one; where there is none, one is started."""
        sessions = self.get("api/sessions")
        notebooks = [session for session in sessions if session["type"] == "notebook"]
        if len(notebooks) == 1:
            for session in sessions:
                if session not in notebooks:
                    self._ask("DELETE", f"api/sessions/{session['id']}")
            self._ask("PATCH", f"api/sessions/{notebooks[0]['id']}", {"path": name, "name": name})
            return
        self.stop_kernels()
        kernel = {"name": "python3"}
        self._ask("POST", "api/sessions", {"path": name, "name": name, "type": "notebook", "kernel": kernel})

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}", data, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE / 1000) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < until:
            assert self._process is not None
            if self._process.poll() is not None:
                break
            try:
                self.get("api/status")
            except OSError:
                time.sleep(0.1)  # the server does not report when it is ready
            else:
                return
        raise RuntimeError((self.folder / "server.log").read_text()[-2000:])


class Lab:
    """A page of JupyterLab that one test after another uses: to load it takes seconds."""

    def __init__(self, server: Server, context: BrowserContext) -> None:
        self._server = server
        self._context = context
        self._page: Page | None = None

    def page(self) -> Page:
        """The page, with no tab open; a new one where the last was closed."""
        if self._page is None or self._page.is_closed():
            self._page = self._context.new_page()
            self._page.goto(f"http://127.0.0.1:{self._server.port}/lab?reset")
            self._page.wait_for_function(READY, timeout=PATIENCE)
        return self._page

    def leave(self, page: Page) -> None:
        """Close the tabs of a test; where they do not close, the page."""
        try:
            page.wait_for_function(READY)  # a page that was loaded again restores its tabs first
            page.evaluate(CLOSE_TABS)
        except PlaywrightError:
            page.close()


class Notebook:
    """One notebook, open in one application: on the page of `lab`, or on a page that shows nothing else."""

    def __init__(self, server: Server, page: Page, application: str, lab: Lab | None = None) -> None:
        self.server = server
        self.page = page
        self.application = application
        self.problems: list[str] = []
        self.name = ""
        self._lab = lab
        page.on("pageerror", self._raised)

    def _raised(self, error: PlaywrightError) -> None:
        self.problems.append(f"{error} {error.stack}")

    def problems_but_jupyters(self) -> list[str]:
        """Errors of the page, save those in which no line but of Jupyter's own files is named.

        Notebook 7.6 has one of its own in each page, of a plugin whose settings have no "schema".
        """
        return [
            problem
            for problem in self.problems
            if set(LINES.findall(problem)) - {"static"} or "at " not in problem
        ]

    def open(self, name: str, cells: Sequence[str], may_fail: Container[int] = ()) -> Notebook:
        """Write a notebook of these cells and open it; where one of `may_fail` fails, the next run too."""
        notebook = nbformat.v4.new_notebook(
            cells=[
                nbformat.v4.new_code_cell(
                    source, metadata={"tags": ["raises-exception"]} if number in may_fail else {}
                )
                for number, source in enumerate(cells)
            ]
        )
        notebook.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        nbformat.write(notebook, self.server.folder / name)
        self.server.give_kernel(name)
        if self._lab is None:
            return self.reopen(name)
        self.name = name
        self.page.evaluate("path => void jupyterapp.commands.execute('docmanager:open', { path })", name)
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=PATIENCE)
        return self

    def until_kernel_has(self, condition: str) -> Notebook:
        """Wait until an expression is true in the kernel: until Python has received what the page did."""
        until(self.page, lambda: self._execute(f"assert {condition}"), f"true in the kernel: {condition}")
        return self

    def _execute(self, code: str) -> bool:
        """Whether the kernel ran this without an error, unseen by the notebook."""
        status: str = self.page.evaluate(EXECUTE, [self.name, code, PATIENCE / 4])
        return status == "ok"

    def close(self) -> None:
        """Leave a kernel that has nothing but imported modules; stop it where it does not answer."""
        try:
            is_clean = self._execute(FORGET)
        except PlaywrightError:
            is_clean = False
        self.page.remove_listener("pageerror", self._raised)
        if self._lab is None:
            self.page.goto("about:blank")
        else:
            self._lab.leave(self.page)
        if not is_clean:
            self.server.stop_kernels()

    def reopen(self, name: str) -> Notebook:
        """Load the application again with this notebook."""
        self.name = name
        # `reset` asks JupyterLab to forget the tabs of the test before.
        self.page.goto(self.server.url(self.application, name) + "?reset")
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=PATIENCE)
        return self

    def until_ready(self) -> Notebook:
        """Wait for the kernel: a cell that is run before it is there is not run at all."""
        self.page.wait_for_function("() => globalThis.jupyterapp !== undefined", timeout=PATIENCE)
        self.page.wait_for_function(IDLE, timeout=PATIENCE)
        return self

    def start(self) -> Notebook:
        """Start every cell without waiting."""
        self.until_ready()
        self.command("notebook:run-all-cells")
        return self

    def until_all_ran(self, patience: float = PATIENCE) -> Notebook:
        # Asked ten times a second: to ask in each frame takes a tenth of a processor while the kernel works.
        self.page.evaluate("() => { delete globalThis.lastRun }")
        ended = self.page.wait_for_function(ENDED, timeout=patience, polling=100).json_value()
        assert ended == "ran", f"cells that did not run: {self.page.evaluate(PROMPTS)}\n{self._outputs()}"
        return self

    def _outputs(self) -> str:
        """The ends of what the cells show, and of the dialog if there is one."""
        shown = self.page.locator(".jp-CodeCell .jp-OutputArea, .jp-Dialog").all_inner_texts()
        return "\n".join(text[-500:] for text in shown)

    def run_all(self, patience: float = PATIENCE) -> Notebook:
        """Run every cell once, and wait until the last has a number."""
        before = self.page.evaluate(PROMPTS)
        for attempt in range(3):
            self.start()
            try:
                self.page.wait_for_function(HAS_BEGUN, arg=before, timeout=PATIENCE / 4)
            except PlaywrightTimeout:
                # A kernel can be idle before the application is connected; cells that run then are lost.
                if attempt == 2:
                    raise
            else:
                break
        return self.until_all_ran(patience)

    def command(self, name: str) -> None:
        # Not awaited: a command's promise may wait for a person.
        self.page.evaluate("name => void globalThis.jupyterapp.commands.execute(name)", name)

    def canvases(self, count: int) -> Locator:
        """The pictures on the page, once there are that many."""
        self.page.wait_for_function(
            "([what, count]) => document.querySelectorAll(what).length === count", arg=[SETTLED, count],
            timeout=PATIENCE,
        )  # fmt: skip
        return self.page.locator(CANVAS)

    def run(self, cell: int) -> Notebook:
        """Run one cell again, and wait until it has another number."""
        prompt = self.page.locator(".jp-CodeCell").nth(cell).locator(".jp-InputPrompt")
        before = prompt.inner_text()
        self.page.locator(".jp-CodeCell").nth(cell).locator(".jp-InputArea-editor .cm-content").click()
        self.command("notebook:run-cell")
        self.page.wait_for_function(
            "([cell, before]) => { const prompts = document.querySelectorAll('.jp-CodeCell .jp-InputPrompt');"
            " const now = prompts[cell].innerText; return now !== before && /\\d/.test(now) }",
            arg=[cell, before],
            timeout=PATIENCE,
        )
        return self

    def choose(self, menu: str, *path: str) -> Notebook:
        """Choose from a menu, by click: "Settings", "Theme", "JupyterLab Dark"."""
        bar = self.page.locator(".lm-MenuBar-item").filter(has_text=re.compile(f"^{menu}$"))
        bar.click()
        for name in path[:-1]:
            self._item(name).hover()
        self._item(path[-1]).click()
        return self

    def restart_kernel(self) -> Notebook:
        self.choose("Kernel", "Restart Kernel…")
        self.page.locator(".jp-Dialog button.jp-mod-accept").click()
        return self

    def _item(self, name: str) -> Locator:
        return self.page.locator(".lm-Menu-item").filter(
            has=self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{re.escape(name)}$"))
        )

    def said(self, cell: int) -> str:
        """The text that a cell printed last."""
        return self.page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea").inner_text()
