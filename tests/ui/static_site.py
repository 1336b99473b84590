"""The static site as a person meets it: a web server of plain files, and a tab of a browser."""

from __future__ import annotations

import functools
import http.server
import threading
from pathlib import Path
from typing import ClassVar

from playwright.sync_api import Locator, Page

from .standalone import PATIENCE, SETTLED


class _Files(http.server.SimpleHTTPRequestHandler):
    """A folder as any static host serves it, or with leave for other sites to read it."""

    protocol_version = "HTTP/1.1"
    extensions_map: ClassVar = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".wasm": "application/wasm",
        ".mjs": "text/javascript",
    }

    def __init__(self, *args, is_shared: bool = False, **options) -> None:
        self.is_shared = is_shared
        super().__init__(*args, **options)

    def end_headers(self) -> None:
        if self.is_shared:
            self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *args: object) -> None:
        """Nothing: pytest's output is not its log."""


class Host:
    """A static web server of a folder, on this machine."""

    def __init__(self, folder: Path, *, is_shared: bool = False) -> None:
        handler = functools.partial(_Files, directory=str(folder), is_shared=is_shared)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Tab:
    """A tab of the site. `problems` are what it logged, `requests` where it asked for something."""

    def __init__(self, page: Page, host: Host) -> None:
        self.page, self.host = page, host
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda m: self.problems.append(m.text) if m.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def visit(self, query: str = "") -> Tab:
        self.page.goto(self.host.address + query)
        self.page.wait_for_function("() => globalThis.exirvizSite !== undefined", timeout=PATIENCE)
        return self

    def wait_ready(self) -> Tab:
        self.page.wait_for_function(
            "() => exirvizSite.state.reader.kind === 'ready' && exirvizSite.state.isKept", timeout=PATIENCE
        )
        return self

    def choose(self, *files: Path) -> Tab:
        self.page.locator("input[type=file][multiple]").set_input_files(files)
        return self

    def drop(self, name: str, content: bytes) -> Tab:
        """As a user drops a file, somewhere on the page."""
        self.page.evaluate(
            """([name, bytes]) => {
              const data = new DataTransfer();
              data.items.add(new File([new Uint8Array(bytes)], name));
              for (const kind of ["dragover", "drop"])
                document.body.dispatchEvent(
                  new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
            }""",
            [name, list(content)],
        )
        return self

    def picture(self) -> Locator:
        shown = self.page.locator(f".exirviz-site-file {SETTLED}:visible").first
        shown.wait_for(timeout=PATIENCE)
        return shown

    def error(self) -> Locator:
        shown = self.page.locator(".exirviz-document-error:visible")
        shown.wait_for(timeout=PATIENCE)
        return shown

    def asked_elsewhere(self) -> list[str]:
        return [url for url in self.requests if not url.startswith((self.host.address, "blob:", "data:"))]
