"""A standalone page in a real browser, and what a test may query.

What enters: a browser's page and a Snapshot. Waits are for the page's own state (`data-state` of the canvas),
never for an amount of time. All console messages and network requests of the page are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, ConsoleMessage, Locator, Page, Request

from exir_viz.pages import html as pages
from exir_viz.types import Snapshot

# Timeout in milliseconds on the slowest machine: for a kernel, or a large picture.
PATIENCE = 120_000
SETTLED = '.exirviz-canvas[data-state="settled"]'
# Two frames: what a change asked for is rendered by then.
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"

FORGET = "if (location.protocol === 'file:') { localStorage.clear(); sessionStorage.clear() }"

# Wait until the viewport of all explorers is unchanged for this many frames: no camera moves.
AT_REST = """() => new Promise(done => {{
  let seen = '', calm = 0;
  const look = () => {{
    const now = JSON.stringify(({explorers}).map(e => [e.viewportStore.state.camera, e.state.isBusy]));
    const stand = [...document.querySelectorAll('.exirviz-canvas')].every(c => c.dataset.state === 'settled');
    calm = now === seen && stand ? calm + 1 : 0;
    seen = now;
    if (calm < {frames}) requestAnimationFrame(look); else done() }};
  look() }})"""

# Chromium's advice where pixels are read several times: tests do that, the page does not.
READBACK = "Multiple readback operations using getImageData"


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """A context with our patience in which nothing glides; a page of `PagePool` may be told to let it."""
    context = browser.new_context(reduced_motion="reduce", **options)
    context.set_default_timeout(PATIENCE)
    return context


def choose(place: Page | Locator, title: str) -> None:
    """Open the menu of an explorer or a comparison, and choose the first row with this text."""
    place.get_by_role("button", name="More", exact=True).click()
    place.get_by_role("menu").get_by_text(title).first.click()


class Standalone:
    """The page that is open, and `folder` for the files it is opened from."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._logged)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", self._asked)
        self._devtools = self.cdp()
        self._devtools.send("Page.enable")
        self._script = ""

    def forget_before_next_program(self) -> None:
        """Show nothing, and begin the next program without what the browser keeps of the last ones.

        The next document clears it, before its own scripts run: it may be in another process, and for a
        moment a process reads what was there before the last one cleared it.
        """
        self.page.goto("about:blank")
        if not self._script:
            added = self._devtools.send("Page.addScriptToEvaluateOnNewDocument", {"source": FORGET})
            self._script = added["identifier"]

    def open(self, snapshot: Snapshot, *, fragment: str = "", title: str = "") -> Standalone:
        """Load the page of a Snapshot and wait until its picture stands."""
        return self.open_text(pages.html(snapshot, title=title), fragment)

    def open_text(self, text: str, fragment: str = "") -> Standalone:
        file = self.folder / "program.html"
        file.write_text(text, encoding="utf-8")
        self.page.goto("about:blank")  # else a new fragment alone would not load the file again
        self.problems.clear()
        self.requests.clear()
        self.page.goto(file.as_uri() + fragment)
        if self._script:
            self._devtools.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": self._script})
            self._script = ""
        self.page.wait_for_function("() => globalThis.exirviz !== undefined")
        return self.settle()

    def settle(self) -> Standalone:
        """Wait until the picture stands and the panels show it."""
        self.page.evaluate(FRAMES)
        self.page.locator(SETTLED).wait_for(state="attached")  # a handle would keep objects alive
        self.page.evaluate(FRAMES)
        return self

    def run(self, code: str, argument: object = None) -> Any:
        """Ask, and wait until the picture stands."""
        answer = self.ask(code, argument)
        self.settle()
        return answer

    def ask(self, code: str, argument: object = None) -> Any:
        """The value of an expression over the explorer `e` and the argument `a`."""
        return self.page.evaluate(
            f"async a => {{ const e = globalThis.exirviz; return await ({code}) }}", argument
        )

    def press(self, *keys: str) -> Standalone:
        """Press keys on the picture, each when it stands."""
        self.page.locator(".exirviz-canvas").focus()
        for key in keys:
            self.page.keyboard.press(key)
            self.settle()
        return self

    # -- what the picture shows, in words -----------------------------------------------------------------

    def open_all(self) -> Standalone:
        self.run("e.openAll().then(() => undefined)")
        return self

    def titles(self) -> list[str]:
        """The titles of the boxes in the scene, in painting order."""
        return self.ask("Array.from(e.state.scene.item, item => e.picture.words.title(item))")

    def kinds(self) -> dict[str, int]:
        """How many boxes are leaves, closed groups and open ones."""
        count = "[0, 1, 2].map(kind => e.state.scene.kind.filter(each => each === kind).length)"
        return dict(zip(("leaf", "closed", "open"), self.ask(count), strict=True))

    def item(self, title: str) -> int:
        """The first item in the scene with this title."""
        found = self.ask(
            "Array.from(e.state.scene.item).find(i => e.picture.words.title(i) === a) ?? -1", title
        )
        assert found >= 0, f"no box {title!r} among {self.titles()}"
        return found

    def rect(self, item: int) -> Sequence[float]:
        """Left, top, width and height of a box, in pixels of the window."""
        code = """(() => {
          const { x, y, zoom } = e.viewportStore.state.camera, r = e.rectOf(a);
          const box = document.querySelector(".exirviz-canvas").getBoundingClientRect();
          const [left, top] = [(r.x - x) * zoom + box.left, (r.y - y) * zoom + box.top];
          return [left, top, r.width * zoom, r.height * zoom] })()"""
        return self.ask(code, item)

    def cdp(self) -> CDPSession:
        return self.page.context.new_cdp_session(self.page)

    # -- what it let out ----------------------------------------------------------------------------------

    def _logged(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and READBACK not in message.text:
            self.problems.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(("blob:", "data:", "about:")):
            self.requests.append(request.url)
