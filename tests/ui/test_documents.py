"""Files opened by double-click in a real JupyterLab and a real Notebook 7."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
import torch
from playwright.sync_api import BrowserContext, Locator, Page, expect

import exir_viz
from tests.corpus.programs import archive, fresh
from tests.nightly import nightly
from tests.readers.test_pte_hostile import bundle
from tests.readers.test_wild_files import WILD
from tests.server.test_files import CANARY, add_sparse_weight
from tests.server.test_files import hostile as hostile_archive
from tests.ui.jupyter import PATIENCE, READY, SETTLED, Lab, Server, until

from .test_safety import HOSTILE, hostile

SHOWN = f".exirviz-document {SETTLED}"
PTE = WILD / "executorch-1.4.1" / "linear.pte"


class Files:
    """The file browser of one application."""

    def __init__(self, server: Server, page: Page, application: str) -> None:
        self.server, self.page, self.application = server, page, application
        self.requests: list[str] = []
        page.context.on("request", self._note)
        page.locator(".jp-DirListing-item").first.wait_for()

    def _note(self, request: object) -> None:
        self.requests.append(f"{request.method} {request.url}")  # type: ignore[attr-defined]

    def entry(self, name: str) -> Locator:
        item = self.page.locator(".jp-DirListing-item", has=self.page.get_by_text(name, exact=True))
        if not item.count():
            self.page.evaluate("() => jupyterapp.commands.execute('filebrowser:refresh')")
        item.wait_for()
        return item

    def double_click(self, name: str) -> Page:
        """Open a file; where it is shown: Notebook opens another page."""
        if self.application == "lab":
            self.entry(name).dblclick()
            return self.page
        with self.page.context.expect_page() as opened:
            self.entry(name).dblclick()
        return opened.value

    def go_on_in(self, page: Page) -> None:
        """Load JupyterLab in a page of this test; the page before is left for other tests.

        In the workspace of that one it would be loaded twice, the second time in a new workspace.
        """
        page.goto(f"http://127.0.0.1:{self.server.port}/lab/workspaces/own?reset")
        page.wait_for_function(READY, timeout=PATIENCE)
        self.page = page

    def close(self) -> None:
        self.page.context.remove_listener("request", self._note)


@pytest.fixture(scope="module", autouse=True)
def programs(jupyter: Server) -> None:
    """Files to open. No test removes one: if a file disappears while the server lists the folder, it answers
    that there is no such folder, and JupyterLab shows a dialog over everything."""
    folder = jupyter.folder
    shutil.copy(archive("control_flow"), folder / "flow.pt2")
    shutil.copy(archive("module_called_twice"), folder / "twice.pt2")
    shutil.copy(archive("module_called_twice", "core"), folder / "core.pt2")
    shutil.copy(PTE, folder / "small.pte")
    (folder / "small.bpte").write_bytes(bundle(PTE.read_bytes()))
    wide = torch.export.export(torch.nn.Linear(64, 64), (torch.ones(2, 64),))
    torch.export.save(wide, folder / "wide.pt2")
    (folder / "broken.pt2").write_bytes(archive("control_flow").read_bytes()[:2000])


@pytest.fixture(scope="module")
def tree(jupyter: Server, jupyter_context: BrowserContext) -> Page:
    """The page of Notebook that lists files, and opens each in another page."""
    page = jupyter_context.new_page()
    page.goto(f"http://127.0.0.1:{jupyter.port}/tree")
    page.wait_for_function(READY, timeout=PATIENCE)
    return page


@pytest.fixture(params=["lab", *nightly(["notebook"])])
def files(
    request: pytest.FixtureRequest, jupyter: Server, jupyter_context: BrowserContext, lab: Lab
) -> Iterator[Files]:
    page = lab.page() if request.param == "lab" else request.getfixturevalue("tree")
    kept = set(jupyter_context.pages)
    one = Files(jupyter, page, request.param)
    yield one
    one.close()
    for opened in set(jupyter_context.pages) - kept:
        opened.close()
    if request.param == "lab":
        lab.leave(page)


in_lab = pytest.mark.parametrize("files", ["lab"], indirect=True)


def set_theme(page: Page, name: str) -> None:
    page.wait_for_function("() => globalThis.jupyterapp !== undefined", timeout=PATIENCE)
    page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", name)


@pytest.mark.parametrize("name", ["flow.pt2", "small.pte", *nightly(["small.bpte"])])
def test_a_double_click_shows_the_picture_in_both_themes(files: Files, name: str) -> None:
    sessions = running(files)
    page = files.double_click(name)
    canvas = page.locator(SHOWN)
    canvas.wait_for(timeout=PATIENCE)
    assert int(canvas.get_attribute("data-boxes") or 0) > 1
    dark = page.locator(".exirviz-document .exirviz-explorer.is-dark")
    for theme, count in (("JupyterLab Dark", 1), ("JupyterLab Light", 0)):
        set_theme(page, theme)
        expect(dark).to_have_count(count)
        # The canvas is painted in the next frame.
        page.wait_for_function(f"isDark => (({BRIGHTNESS})() < 100) === isDark", arg=count == 1)
    # The server read the file; the browser was not sent it.
    contents = [url for url in files.requests if f"/api/contents/{name}" in url]
    assert contents
    assert not [url for url in contents if "content=1" in url]
    assert running(files) <= sessions, "no kernel was started"


def running(files: Files) -> set[str]:
    """The sessions of the server; other tests may have left theirs."""
    return {session["id"] for session in files.server.get("api/sessions")}


# Of the pixels of the picture, 0 to 255.
BRIGHTNESS = """() => {
  const canvas = document.querySelector('.exirviz-document .exirviz-canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let sum = 0, count = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) { sum += data[i]; count++ }
  if (!count) throw Error('nothing is painted');
  return sum / count }"""


@pytest.mark.nightly
@in_lab
def test_settings_choose_the_theme_and_what_is_open_at_first(files: Files) -> None:
    address = "lab/api/settings/exir-viz:settings"
    canvas = files.double_click("twice.pt2").locator(SHOWN)
    canvas.wait_for(timeout=PATIENCE)
    boxes = int(canvas.get_attribute("data-boxes") or 0)
    try:
        files.server.put(address, {"raw": json.dumps({"theme": "dark", "depth": 0, "units": "KiB"})})
        files.go_on_in(files.page.context.new_page())
        canvas = files.double_click("twice.pt2").locator(SHOWN)
        canvas.wait_for(timeout=PATIENCE)
        expect(files.page.locator(".exirviz-document .exirviz-explorer.is-dark")).to_have_count(1)
        assert int(canvas.get_attribute("data-boxes") or 0) < boxes
        files.double_click("wide.pt2")
        expect(files.page.locator(".exirviz-document:visible")).to_contain_text(" KiB", timeout=PATIENCE)
    finally:
        files.server.put(address, {"raw": "{}"})


@in_lab
def test_a_program_is_opened_from_the_menu(files: Files) -> None:
    dialog = files.page.locator(".jp-Dialog")
    files.page.locator(".lm-MenuBar-item", has_text="File").click()
    files.page.locator(".lm-Menu-item", has_text="Open Program…").click()
    dialog.get_by_text("twice.pt2", exact=True).click()
    dialog.locator("button.jp-mod-accept").click()
    files.page.locator(SHOWN).wait_for(timeout=PATIENCE)


@pytest.mark.nightly
@in_lab
def test_all_but_the_explorer_is_in_the_users_language(files: Files) -> None:
    """The page gets its texts from where JupyterLab looks for a language pack."""
    header = {"domain": "exir_viz", "language": "de", "plural_forms": "nplurals=2; plural=(n != 1);"}
    empty = "Open a notebook or a console: its programs are listed here."
    texts = {
        "exir_viz": {
            "": header,
            "Open Program…": ["Programm öffnen…"],
            "Open program": ["Programm öffnen"],
            "Programs of the active kernel": ["Programme des aktiven Kernels"],
            empty: ["Öffne ein Notebook: seine Programme stehen hier."],
            "Cannot open %1": ["%1 lässt sich nicht öffnen"],
            "Reason": ["Grund"],
            "Try again": ["Noch einmal"],
            "Nothing in the file was executed.": ["Nichts in der Datei wurde ausgeführt."],
        }
    }
    page = files.page.context.new_page()
    page.route("**/lab/api/translations/**", lambda route: route.fulfill(json={"data": texts}))
    files.go_on_in(page)
    files.page.evaluate("() => void jupyterapp.commands.execute('launcher:create')")
    card = files.page.locator(".jp-LauncherCard", has_text="Programm öffnen…").first
    expect(card.locator("svg")).to_be_visible()
    card.click()
    dialog = files.page.locator(".jp-Dialog")
    dialog.get_by_text("twice.pt2", exact=True).wait_for()
    expect(dialog.locator(".jp-Dialog-header")).to_contain_text("Programm öffnen")
    dialog.locator("button.jp-mod-reject").click()
    files.page.get_by_role("tab", name="Programme des aktiven Kernels").click()
    expect(files.page.locator(".exirviz-programs")).to_contain_text("Öffne ein Notebook")
    files.page.evaluate("() => void jupyterapp.commands.execute('filebrowser:activate')")
    error = files.double_click("broken.pt2").locator(".exirviz-document-error")
    expect(error.locator("h2")).to_have_text("broken.pt2 lässt sich nicht öffnen", timeout=PATIENCE)
    expect(error.locator("dt").first).to_have_text("Grund")
    expect(error.get_by_role("button")).to_have_text("Noch einmal")
    expect(error.locator("small")).to_have_text("Nichts in der Datei wurde ausgeführt.")


@in_lab
def test_a_profile_opens_with_its_costs_and_an_etrecord_with_its_programs(files: Files) -> None:
    folder = files.server.folder
    shutil.copy(PTE.parent / "dynamic.etrecord", folder / "etrecord.bin")
    profile = exir_viz.profile(fresh("module_called_twice"), repeats=1, warmup=1)
    profile.save(folder / "run.exirprofile")
    page = files.double_click("run.exirprofile")
    page.locator(SHOWN).wait_for(timeout=PATIENCE)
    expect(page.locator(".exirviz-document [role=tab][aria-selected=true]")).to_have_text("Cost")
    page = files.double_click("etrecord.bin")
    expect(page.locator(SHOWN)).to_have_count(2)


@in_lab
def test_a_session_opens_with_all_stages_and_compares_two(files: Files) -> None:
    session = exir_viz.Session(fresh("module_called_twice"))
    session.decompose("functional").decompose()
    session.save(files.server.folder / "session.exirviz")
    page = files.double_click("session.exirviz")
    page.locator(SHOWN).wait_for(timeout=PATIENCE)
    stages = page.locator(".exirviz-document .exirviz-stage")
    expect(stages).to_have_count(3)
    stages.first.click()
    expect(stages.first).to_have_attribute("aria-selected", "true")
    page.locator(".exirviz-document").get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".exirviz-document .exirviz-compare .exirviz-pane")).to_have_count(2)
    expect(page.locator(".exirviz-document .exirviz-compare")).to_contain_text("functional")


@in_lab
def test_an_open_document_comes_back_with_the_page(files: Files) -> None:
    page = files.double_click("flow.pt2")
    page.locator(SHOWN).wait_for(timeout=PATIENCE)
    page.goto(f"http://127.0.0.1:{files.server.port}/lab/tree/flow.pt2")
    page.locator(f"{SHOWN}:visible").wait_for(timeout=PATIENCE)  # a tab of the test before may come back too
    page.close()  # other tabs may come back later


def test_a_broken_file_has_a_page_with_reason_and_remedy(files: Files) -> None:
    page = files.double_click("broken.pt2")
    error = page.locator(".exirviz-document-error")
    error.wait_for(timeout=PATIENCE)
    expect(error).to_contain_text("Cannot open broken.pt2")
    expect(error).to_contain_text("copy or download it again")
    shutil.copy(archive("control_flow"), files.server.folder / "broken.pt2")
    error.get_by_role("button", name="Try again").click()
    page.locator(SHOWN).wait_for(timeout=PATIENCE)
    (files.server.folder / "broken.pt2").write_bytes(archive("control_flow").read_bytes()[:2000])


@in_lab
@pytest.mark.parametrize("kind", ["script", *nightly(["image", "template"])])
def test_a_hostile_file_runs_no_script(files: Files, kind: str) -> None:
    name = f"{kind}.exirviz"
    hostile(HOSTILE[kind]).save(files.server.folder / name)
    page = files.double_click(name)
    page.locator(SHOWN).wait_for(timeout=PATIENCE)
    damaged = "<img src=x onerror=globalThis.__ran=1>.pt2"
    (files.server.folder / damaged).write_bytes(b"PK\3\4<script>globalThis.__ran=1</script>")
    page = files.double_click(damaged)
    page.locator(".exirviz-document-error:visible").wait_for(timeout=PATIENCE)
    assert page.evaluate("() => globalThis.__ran ?? 0") == 0
    assert page.locator(".exirviz-document img").count() == 0


@pytest.mark.nightly
@in_lab
def test_files_with_code_in_them_are_opened_or_refused_and_nothing_is_executed(files: Files) -> None:
    page, refused, name = files.page, 0, "hostile.pt2"
    for seed in range(8):
        (files.server.folder / name).write_bytes(hostile_archive(random.Random(seed)))
        files.double_click(name)
        document = page.locator(".exirviz-document:visible")
        document.locator(f".exirviz-document-error, {SETTLED}").first.wait_for(timeout=PATIENCE)
        refused += document.get_by_text(f"Cannot open {name}").count()
        page.evaluate("() => jupyterapp.shell.currentWidget.close()")
        expect(document).to_have_count(0)
    assert refused >= 4
    assert not list(files.server.folder.rglob(CANARY))
    assert not Path(CANARY).exists()


def test_a_changed_file_is_offered_again(files: Files) -> None:
    path = files.server.folder / "changing.pt2"
    shutil.copy(archive("control_flow"), path)
    page = files.double_click(path.name)
    page.locator(SHOWN).wait_for(timeout=PATIENCE)
    title = page.locator(".exirviz-document-program .exirviz-explorer")
    before = title.inner_text()
    shutil.copy(archive("module_called_twice"), path)
    reload = page.locator(".exirviz-document-offer button")

    def is_offered() -> bool:
        """It is looked for as the user comes back to the window."""
        page.evaluate("() => window.dispatchEvent(new Event('focus'))")
        return reload.count() > 0

    until(page, is_offered, "the offer to read the file again")
    assert title.inner_text() == before
    reload.click()
    expect(reload).to_have_count(0)
    expect(title).not_to_have_text(before)
    page.locator(SHOWN).wait_for(timeout=PATIENCE)


def test_two_files_are_compared_and_left(files: Files) -> None:
    page = files.double_click("twice.pt2")
    page.locator(SHOWN).wait_for(timeout=PATIENCE)
    page.get_by_text("Compare with…", exact=True).click()
    dialog = page.locator(".jp-Dialog")
    dialog.locator(".jp-DirListing-item", has=page.get_by_text("core.pt2", exact=True)).click()
    dialog.locator("button.jp-mod-accept").click()
    panes = page.locator(".exirviz-document .exirviz-compare .exirviz-pane")
    expect(panes).to_have_count(2)
    expect(page.locator(".exirviz-compare")).to_contain_text("core.pt2")
    page.locator(".exirviz-compare").get_by_text("‹ Back").click()
    expect(panes).to_have_count(0)
    page.locator(SHOWN).wait_for(timeout=PATIENCE)


@pytest.mark.nightly
@in_lab
def test_two_selected_files_are_compared(files: Files) -> None:
    files.entry("core.pt2").click()
    files.entry("twice.pt2").click(modifiers=["Control"])
    files.entry("twice.pt2").click(button="right")
    files.page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Compare Programs$")).click()
    expect(files.page.locator(".exirviz-compare .exirviz-pane")).to_have_count(2)


def test_a_notebook_loads_the_file(files: Files) -> None:
    before = set(files.server.folder.glob("Untitled*.ipynb"))
    page = files.double_click("flow.pt2")
    page.locator(SHOWN).wait_for(timeout=PATIENCE)
    button = page.get_by_text("Explore in a notebook", exact=True)
    if files.application == "lab":
        button.click()
        shown = page
    else:
        with page.context.expect_page() as opened:
            button.click()
        shown = opened.value
    shown.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=PATIENCE)
    (path,) = set(files.server.folder.glob("Untitled*.ipynb")) - before
    _, load, live = nbformat.read(path, as_version=4).cells
    assert "exir_viz.explore(exir_viz.load(FILE))" in load.source
    assert "EXECUTE CODE" in live.source
    files.server.stop_kernels()


@in_lab
def test_a_path_of_jupyter_collaboration_works(files: Files) -> None:
    files.page.evaluate("""() => {
      const { contents } = jupyterapp.serviceManager;
      const drive = contents._defaultDrive;
      contents.addDrive(new Proxy(drive, {
        get: (target, key) => key === 'name' ? 'RTC' : typeof target[key] === 'function'
          ? target[key].bind(target) : target[key] })) }""")
    folder = files.server.folder / "inner"
    folder.mkdir(exist_ok=True)
    shutil.copy(PTE, folder / "small.pte")
    files.page.evaluate(
        "() => void jupyterapp.commands.execute('docmanager:open', { path: 'RTC:inner/small.pte' })"
    )
    files.page.locator(SHOWN).wait_for(timeout=PATIENCE)
    files.page.close()  # other tests have no such drive


@pytest.mark.nightly
def test_a_file_with_two_gigabytes_of_weights_opens(files: Files) -> None:
    large = files.server.folder / "large.pt2"
    shutil.copy(archive("module_called_twice"), large)
    add_sparse_weight(large, 2 << 30)
    page = files.double_click(large.name)
    page.locator(SHOWN).wait_for(timeout=PATIENCE)
    # A checkpoint is a copy of the whole file.
    assert not [each for each in files.requests if each.startswith("POST") and "/checkpoints" in each]


@in_lab
def test_who_opens_no_program_loads_little(files: Files) -> None:
    """Our extension, uncompressed, when no program is open."""
    files.page.goto(f"http://127.0.0.1:{files.server.port}/lab?reset")  # unload what other tests have loaded
    files.page.wait_for_function(READY, timeout=PATIENCE)
    assert own_bytes(files.page) <= 20_000
    files.double_click("flow.pt2").locator(SHOWN).wait_for(timeout=PATIENCE)
    assert own_bytes(files.page) > 200_000


def own_bytes(page: Page) -> int:
    loaded: int = page.evaluate("""() => performance.getEntriesByType('resource')
      .filter(({ name }) => name.includes('/extensions/exir-viz/'))
      .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)""")
    assert loaded > 0
    return loaded
