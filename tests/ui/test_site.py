"""The static site in a real browser: served as plain files, Python reads dropped files."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import exir_viz
from scripts.site import CannotBuild, build, wheels
from tests.corpus.programs import archive, fresh
from tests.readers.test_wild_files import WILD
from tests.server.test_files import CANARY, add_sparse_weight
from tests.server.test_files import hostile as hostile_archive

from .standalone import PATIENCE, SETTLED, new_context
from .static_site import Host, Tab
from .test_safety import HOSTILE, hostile

pytestmark = pytest.mark.nightly

PTE = WILD / "executorch-1.4.1" / "linear.pte"
# Compressed bytes of a first visit.
MOST = 9_000_000


@pytest.fixture(scope="module")
def folder(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; skips where no index has the wheels."""
    made = tmp_path_factory.mktemp("site") / "site"
    try:
        build(made, wheels(tmp_path_factory.mktemp("wheels")), [("vit", False, "ViT")])
    except CannotBuild as problem:
        pytest.skip(str(problem))
    return made


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[Host]:
    one = Host(folder)
    yield one
    one.close()


@pytest.fixture
def new_tab(browser: Browser, host: Host) -> Iterator[Tab]:
    """A first visit, still to be made."""
    context = new_context(browser, viewport={"width": 1280, "height": 800})
    yield Tab(context.new_page(), host)
    context.close()


@pytest.fixture(scope="module")
def open_tab(browser: Browser, host: Host) -> Iterator[Tab]:
    """One tab for all tests that can share Python's state: loading takes seconds."""
    context = new_context(browser, viewport={"width": 1280, "height": 800})
    yield Tab(context.new_page(), host).visit()
    context.close()


@pytest.fixture
def tab(open_tab: Tab) -> Tab:
    """The front page of the tab that stays open."""
    open_tab.page.locator(".exirviz-site-home").click()
    open_tab.page.locator(".exirviz-site-zone").wait_for()
    open_tab.problems.clear()
    return open_tab


def test_a_first_visit_loads_at_most_nine_megabytes(folder: Path) -> None:
    offline = json.loads((folder / "site.json").read_text())["offline"]
    names = [name for name in offline if not name.endswith("/") and not name.startswith("samples/")]
    assert "python/pyodide.asm.wasm" in names
    assert sum(len(gzip.compress((folder / name).read_bytes())) for name in names) < MOST


def test_no_path_of_this_machine_is_on_the_site(folder: Path) -> None:
    (sample,) = (folder / "samples").iterdir()
    frames = exir_viz.load(sample).detail.frames
    assert frames
    assert not any(Path(frame.file).is_absolute() for frame in frames)


def test_a_file_is_dropped_compared_saved_and_left(tab: Tab, tmp_path: Path) -> None:
    tab.drop("control flow.pt2", archive("control_flow").read_bytes())
    tab.picture()
    assert tab.page.title() == "control flow.pt2 · exir_viz"
    with tab.page.expect_download(timeout=PATIENCE) as page:
        tab.page.get_by_role("button", name="Save as page").click()
    assert page.value.suggested_filename == "control flow.pt2.html"
    saved = tmp_path / "saved.html"
    page.value.save_as(saved)
    with tab.page.expect_download(timeout=PATIENCE) as notebook:
        tab.page.get_by_role("button", name="Explore in a notebook").click()
    assert "exir_viz.load(FILE)" in Path(notebook.value.path()).read_text()

    with tab.page.expect_file_chooser() as chooser:
        tab.page.get_by_role("button", name="Compare with…").click()
    chooser.value.set_files(archive("control_flow", "core"))
    tab.page.locator(".exirviz-compare").wait_for(timeout=PATIENCE)
    tab.picture()
    with tab.page.expect_download(timeout=PATIENCE) as page:
        tab.page.get_by_role("button", name="Save as page").click()
    assert page.value.suggested_filename == "control flow.pt2 and control_flow.core.pt2.html"

    tab.page.go_back()
    tab.page.get_by_role("button", name="Choose a file").wait_for()
    assert tab.page.locator(".exirviz-explorer").count() == 0
    assert tab.problems == []
    assert tab.asked_elsewhere() == []
    with tab.page.context.new_page() as page:
        page.goto(saved.as_uri())
        page.wait_for_function("() => globalThis.exirviz !== undefined")
        page.locator(SETTLED).wait_for(timeout=PATIENCE)


@pytest.mark.parametrize("file", [archive("control_flow"), PTE], ids=["pt2", "pte"])
def test_what_needs_torch_is_a_cell_that_runs(
    tab: Tab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    shutil.copy(file, tmp_path)
    tab.choose(file)
    tab.picture()
    tab.page.get_by_role("tab", name="Cost").click()
    says = tab.page.get_by_role("tabpanel").get_by_text("import exir_viz")
    expect(says).to_contain_text("If you trust it")
    monkeypatch.chdir(tmp_path)
    exec(says.inner_text().partition("notebook: ")[2], {})


def test_every_kind_of_file_is_opened(tab: Tab, tmp_path: Path) -> None:
    exir_viz.profile(fresh("module_called_twice"), repeats=1, warmup=1).save(tmp_path / "run.exirprofile")
    exir_viz.load(archive("control_flow")).save(tmp_path / "flow.exirviz")
    etrecord = shutil.copy(PTE.parent / "dynamic.etrecord", tmp_path / "etrecord.bin")
    for file in (tmp_path / "flow.exirviz", etrecord, tmp_path / "run.exirprofile"):
        tab.drop(file.name, file.read_bytes())
        tab.picture()
        assert tab.page.title() == f"{file.name} · exir_viz"
    expect(tab.page.locator("[role=tab][aria-selected=true]")).to_have_text("Cost")
    expect(tab.page.get_by_role("tabpanel")).to_contain_text("Hottest", ignore_case=True)
    session = exir_viz.Session(fresh("module_called_twice"))
    session.decompose()
    tab.drop("all.exirviz", session.save(tmp_path / "all.exirviz").read_bytes())
    tab.picture()
    expect(tab.page.locator(".exirviz-stage")).to_have_count(2)
    tab.page.get_by_role("button", name="Compare", exact=True).click()
    expect(tab.page.locator(".exirviz-compare .exirviz-pane")).to_have_count(2, timeout=PATIENCE)


def test_two_files_are_compared_and_three_are_too_many(tab: Tab) -> None:
    tab.choose(archive("buffer_mutation"), archive("buffer_mutation", "core"))
    tab.page.locator(".exirviz-compare").wait_for(timeout=PATIENCE)
    tab.picture()
    tab.choose(PTE, PTE, PTE)
    expect(tab.page.locator(".exirviz-site-message")).to_contain_text("two to compare them. These are 3.")


def test_it_works_without_a_network_after_the_first_visit(new_tab: Tab) -> None:
    new_tab.visit().wait_ready()
    expect(new_tab.page.locator(".exirviz-site-promise")).to_contain_text("works without a network")
    new_tab.page.context.set_offline(True)
    new_tab.visit()
    new_tab.choose(PTE)
    new_tab.picture()
    new_tab.page.locator(".exirviz-site-home").click()
    new_tab.page.get_by_role("button", name="ViT").click()
    new_tab.picture()
    assert new_tab.problems == []


def test_damaged_and_hostile_files_get_a_reason_and_the_tab_survives(tab: Tab) -> None:
    whole = archive("control_flow").read_bytes()
    files = {
        "truncated.pt2": whole[:2000],
        "empty.pte": b"",
        "text.exirviz": b"hello",
        "<img src=x onerror=globalThis.__ran=1>.pt2": b"PK\3\4<script>globalThis.__ran=1</script>",
        **{f"hostile{seed}.pt2": hostile_archive(random.Random(seed)) for seed in range(6)},
    }
    refused = 0
    for name, content in files.items():
        tab.drop(name, content)
        shown = tab.page.locator(f".exirviz-document-error:visible, .exirviz-site-file {SETTLED}")
        shown.first.wait_for(timeout=PATIENCE)
        error = tab.page.locator(".exirviz-document-error")
        if error.count():
            refused += 1
            expect(error).to_contain_text(f"Cannot open {name}")
            expect(error).to_contain_text("What to do")
    assert refused >= 6
    assert tab.page.evaluate("() => globalThis.__ran ?? 0") == 0
    assert tab.page.locator(".exirviz-site-file img").count() == 0
    assert CANARY not in tab.page.content()
    tab.choose(PTE)
    tab.picture()
    assert tab.problems == []


@pytest.mark.parametrize("kind", ["image", "script", "template"])
def test_names_of_a_hostile_program_run_no_script(tab: Tab, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "hostile.exirviz"
    hostile(HOSTILE[kind]).save(file)
    tab.choose(file)
    tab.picture()
    assert tab.page.evaluate("() => globalThis.__ran ?? 0") == 0
    assert tab.page.locator(".exirviz-site-file img").count() == 0


def test_weights_are_not_read(tab: Tab, tmp_path: Path) -> None:
    large = tmp_path / "large.pt2"
    large.write_bytes(archive("module_called_twice").read_bytes())
    add_sparse_weight(large, 5 << 30)
    tab.choose(large)
    tab.picture()


def test_a_file_from_an_address_needs_leave_of_its_server(new_tab: Tab, tmp_path: Path) -> None:
    (tmp_path / "flow.pt2").write_bytes(archive("control_flow").read_bytes())
    shared, closed = Host(tmp_path, is_shared=True), Host(tmp_path)
    try:
        new_tab.visit(f"?url={shared.address}flow.pt2")
        new_tab.picture()
        assert new_tab.asked_elsewhere() == [f"{shared.address}flow.pt2"]
        new_tab.visit(f"?url={closed.address}flow.pt2")
        expect(new_tab.error()).to_contain_text("Download the file, and drop it here.")
        new_tab.visit(f"?url={shared.address}none.pt2")
        expect(new_tab.error()).to_contain_text("answered 404")
    finally:
        shared.close()
        closed.close()


def test_the_page_and_its_worker_ask_nobody_else(tab: Tab, tmp_path: Path) -> None:
    """The policy forbids it: even a script of the page, or of its worker, cannot send a file away."""
    other = Host(tmp_path, is_shared=True)
    ask = "fetch(address).then(() => 'sent', () => 'refused')"
    in_worker = f"onmessage = ({{ data: address }}) => {ask}.then(postMessage)"
    try:
        found = tab.page.evaluate(
            f"""async ([address, script]) => {{
              const url = URL.createObjectURL(new Blob([script], {{ type: "text/javascript" }}));
              const worker = new Worker(url);
              const answer = new Promise(done => worker.onmessage = ({{ data }}) => done(data));
              worker.postMessage(address);
              return [await {ask}, await answer];
            }}""",
            [other.address, in_worker],
        )
    finally:
        other.close()
    assert found == ["refused", "refused"]


def test_a_reader_that_ends_is_started_again(tab: Tab) -> None:
    tab.wait_ready()
    tab.page.evaluate("() => exirvizSite.provider.port.onerror(new ErrorEvent('error', { message: 'gone' }))")
    expect(tab.page.get_by_role("alert")).to_contain_text("Python ended in this tab: gone")
    tab.choose(PTE)
    tab.picture()
