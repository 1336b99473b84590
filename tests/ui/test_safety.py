"""Program text never becomes code or markup; the page needs nothing that a strict policy forbids."""

from __future__ import annotations

import re

import msgspec
import pytest

from exir_viz.pages import html as pages
from exir_viz.snapshot.records import Frame
from exir_viz.types import Snapshot
from tests.nightly import some

from .programs import snapshot
from .standalone import Standalone

CANARY = "globalThis.__ran=(globalThis.__ran||0)+1"
HOSTILE = {
    "image": f"<img src=x onerror={CANARY}>",
    "script": f"</script><script>{CANARY}</script>",
    "attribute": f'" onmouseover="{CANARY}" x="',
    "comment": f"<!--<script>{CANARY}//",
    "address": f"javascript:{CANARY}",
    "template": f"{{{{constructor.constructor('{CANARY}')()}}}}${{{CANARY}}}",
    "direction": "\u202egnp.live\u202c\u2066\u200f",
    "invisible": "\u200b\u200c\u200d\ufeff\u00ad",
    "long": "W" * 100_000,
    "control": "\x1b[31m\x00\x07\n\r\t\u2028",
}


def hostile(text: str) -> Snapshot:
    """A program with branches in which every user-chosen name is hostile: nodes, modules, files, lines."""
    return _renamed(snapshot("control_flow"), text)


def _renamed(program: Snapshot, text: str) -> Snapshot:
    replace = msgspec.structs.replace
    skeleton, detail = program.skeleton, program.detail
    graphs = tuple(
        replace(graph, names=tuple(f"{text}{i}" for i in range(len(graph.names))))
        if not graph.signature
        else graph
        for graph in skeleton.graphs
    )
    skeleton = replace(
        skeleton,
        origin=replace(skeleton.origin, name=text),
        targets=tuple(replace(target, text=text + target.text) for target in skeleton.targets),
        scopes=tuple(replace(scope, path=text + scope.path, cls=text) for scope in skeleton.scopes),
        graphs=graphs,
    )
    frames = tuple(Frame(text + frame.file, frame.line, text, text) for frame in detail.frames)
    return Snapshot(skeleton, replace(detail, frames=frames))


@pytest.mark.parametrize("name", some(HOSTILE, ("image", "script", "template", "long")))
def test_text_of_a_program_stays_text(new_page, name):
    page = new_page().open(hostile(HOSTILE[name])).open_all()
    nodes = page.ask("e.snapshot.nodeCount")
    for tab in ("node", "code"):
        page.run("e.store.set({ tab: a })", tab)
    for report in ("rules", "shapes", "source", "state"):
        page.run("e.openReport(a)", report)
        page.page.locator(".exirviz-report").wait_for()
    for node in range(nodes):
        page.run("e.store.set({ tab: 'node' }) ?? e.reveal(a)", node)
        hover(page)
    page.run("e.search.ask('*')")
    page.run("e.store.set({ isHelpOpen: true })")
    page.page.wait_for_function("() => true")
    assert page.ask("globalThis.__ran ?? 0") == 0
    assert page.page.locator("img, iframe, object, embed, a[href^='javascript:']").count() == 0
    # The only scripts are the page's own; program text added none.
    assert page.page.locator("script").count() <= 2
    assert page.problems == []


def hover(page: Standalone) -> None:
    item = page.ask("e.state.selected[0] ?? -1")
    if item >= 0 and page.ask("e.rectOf(a) !== undefined", item):
        left, top, width, height = page.rect(item)
        page.page.mouse.move(left + width / 2, top + height / 2)


def test_a_title_does_not_end_the_page_early(standalone):
    page = standalone.open(snapshot("control_flow"), title=f"</title></script>{HOSTILE['image']}")
    assert page.page.title().startswith("</title>")
    assert page.ask("globalThis.__ran ?? 0") == 0


def test_the_page_allows_its_own_script_and_nothing_else(standalone):
    page = standalone.open(snapshot("control_flow"))
    refusals: list[str] = []
    page.page.on("requestfailed", lambda request: refusals.append(str(request.failure)))
    # No eval, no script that someone adds, no image from elsewhere, no request.
    page.page.evaluate(
        """() => { const s = document.createElement('script'); s.textContent = 'globalThis.__added = 1';
        document.body.append(s); const i = new Image(); i.src = 'https://example.invalid/x.png'; }"""
    )
    refused = page.page.evaluate(
        "() => fetch('https://example.invalid/').then(() => 'went out', () => 'refused')"
    )
    evaluated = page.page.evaluate(
        """() => new Promise(done => setTimeout(() => {
             try { done(String((0, eval)('1 + 1'))) } catch (problem) { done(problem.name) } }))"""
    )
    assert (refused, evaluated) == ("refused", "EvalError")
    assert page.ask("globalThis.__added ?? 0") == 0
    assert len(page.requests) - 1 == len(refusals)
    assert set(refusals) == {"csp"}


@pytest.mark.parametrize(
    "forbidden",
    ["worker-src 'none'", "worker-src 'none'; child-src 'none'; require-trusted-types-for 'script'"],
)
def test_where_workers_are_forbidden_the_page_lays_out_itself(standalone, forbidden):
    text = pages.html(snapshot("bert.core"))
    text, changed = re.subn(r"worker-src blob:", forbidden, text)
    assert changed == 1
    started: list[str] = []
    standalone.page.on("worker", lambda worker: started.append(worker.url))
    page = standalone.open_text(text)
    assert page.ask("e.picture.count > 500")  # else it would not have asked for a worker
    before = page.kinds()
    page.open_all()
    assert page.kinds()["open"] > before["open"]
    assert page.kinds()["leaf"] > before["leaf"]
    assert page.ask("e.state.problem ?? ''") == ""
    assert started == []


def test_with_a_worker_the_scene_is_the_same(new_page):
    """The control of the test above: the worker is used where it may be, and draws the same."""
    scenes = []
    text = pages.html(snapshot("bert.core"))
    for policy in ("worker-src blob:", "worker-src 'none'"):
        page = new_page()
        started: list[object] = []
        page.page.on("worker", lambda worker, started=started: started.append(worker))
        page.open_text(text.replace("worker-src blob:", policy)).open_all()
        assert bool(started) == ("blob" in policy)
        scenes.append(page.ask("Array.from(e.state.scene.rect)"))
    assert scenes[0] == scenes[1]
