"""The component as script and style of a page whose policy forbids eval, inline script and inline style."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from exir_viz.snapshot.wire import encode

from .mounts import STATIC
from .programs import snapshot
from .standalone import FRAMES, SETTLED, Standalone

STRICT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; img-src 'self' data: blob:"
)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>strict</title>
<link rel="stylesheet" href="explorer.css"><link rel="stylesheet" href="page.css"></head><body>
<main id="exirviz"></main>
<script type="application/octet-stream" id="exirviz-program">{program}</script>
<script src="violations.js"></script><script src="page.js"></script></body></html>"""
VIOLATIONS = """globalThis.violations = [];
addEventListener("securitypolicyviolation",
  e => violations.push(`${e.effectiveDirective} ${e.blockedURI}`))"""


class Strict(SimpleHTTPRequestHandler):
    """Files of a folder, each with the policy."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", STRICT)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    for name in ("page.js", "explorer.css"):
        (tmp_path / name).write_bytes((STATIC / name).read_bytes())
    (tmp_path / "page.css").write_text("html, body, main { height: 100%; margin: 0 }")
    (tmp_path / "violations.js").write_text(VIOLATIONS)
    program = base64.b64encode(encode(snapshot("bert.core"))).decode()
    (tmp_path / "strict.html").write_text(PAGE.format(program=program))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Strict, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/strict.html"
    server.shutdown()
    thread.join()
    server.server_close()


def test_under_a_strict_policy_all_is_drawn_without_a_worker(standalone: Standalone, address: str) -> None:
    page = standalone.page
    page.goto(address)
    page.locator(SETTLED).wait_for(state="attached")
    standalone.open_all()
    assert standalone.ask("e.picture.count > 500")  # else it would not have asked for a worker
    assert standalone.kinds()["leaf"] > 300
    standalone.press("ArrowDown", "?", "Escape")
    page.locator(".exirviz-search input, input").first.fill("op:*layer_norm*")
    page.locator(".exirviz-result").first.wait_for()
    page.evaluate(FRAMES)
    assert standalone.ask("e.state.problem ?? ''") == ""
    # The worker was tried, once, and nothing else asked for what is forbidden; the policy is at work.
    assert page.evaluate("violations") == ["worker-src blob"]
    page.evaluate("""() => { const s = document.createElement('script'); s.textContent = 'globalThis.ran = 1';
        document.body.append(s) }""")
    assert page.evaluate("globalThis.ran ?? 0") == 0
    assert page.evaluate("violations").pop() == "script-src-elem inline"
