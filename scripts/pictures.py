"""Take the pictures of README and docs: `python -m scripts.pictures`, or with NAME … some of them.

Each picture is a page of exir_viz in Chromium, written to docs/pictures as WebP. Most show the small Llama of
the tests' corpus, with two layers, from export to XNNPACK. One is taken in JupyterLab; one shows a terminal.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import functools
import html
import os
import pty
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import torch
from playwright.sync_api import Browser, Page

import exir_viz
from exir_viz import Session
from exir_viz.widget.session_explorer import SessionExplorer
from tests.corpus.programs import ROOT, exported
from tests.measure import seeded
from tests.notebooks.__main__ import chromium_browser
from tests.stages.failing import failing
from tests.ui.jupyter import Server

FOLDER = ROOT / "docs" / "pictures"
WIDTH, HEIGHT = 1120, 640
# Every canvas of the page has come to rest.
SETTLED = """() => { const all = [...document.querySelectorAll('.exirviz-canvas')];
  return all.length > 0 && all.every(one => one.dataset.state === 'settled') }"""
TO_WEBP = """async data => {
  const image = new Image(); image.src = data; await image.decode();
  const { width, height } = image;
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', 0.7) }"""

# Puts the name of an attribute after a heading of the panel.
LABEL = """(heading, text) => {
  const label = Object.assign(document.createElement('code'), { textContent: text });
  label.style.cssText = 'margin-left: 8px; padding: 1px 7px; border-radius: 9px; background: #E69F00; '
    + 'color: #000; font-size: 12px; text-transform: none; letter-spacing: 0';
  heading.append(label) }"""
# What a terminal shows bold, green, red, and so on.
COLORS = {
    "31": "#ff8f87",
    "32": "#7ee787",
    "33": "#e3b341",
    "34": "#79c0ff",
    "35": "#d2a8ff",
    "36": "#76e3ea",
}
TERMINAL = """<body style="margin: 0; padding: 18px 24px; background: #0d1117; color: #e6edf3">
<pre style="margin: 0; font: 13px/1.4 'DejaVu Sans Mono', monospace">{}</pre>"""

Theme = Literal["light", "dark"]
Write = Callable[[Path], object]


@dataclass(frozen=True)
class Picture:
    """A page to write, and what to do on it before its picture is taken.

    Parameters
    ----------
    write
        Writes the page to a path.
    script
        JavaScript with the explorer as `e`, of pages that show one program.
    keys
        Keys to press after it.
    tab
        The tab of the panel to open, by its label.
    press
        Something to press after that, by its text.
    section
        A heading of the panel to scroll to after that.
    labels
        By heading of the panel: the name of the attribute with the same content, written beside it.
    is_text
        Whether the page has no graph.
    in_lab
        Whether to open the file in JupyterLab; then `write` writes a program and not a page.
    """

    write: Write
    script: str = ""
    keys: Sequence[str] = ()
    tab: str = ""
    press: str = ""
    section: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    is_text: bool = False
    in_lab: bool = False
    themes: Sequence[Theme] = ("light",)


@functools.cache
def session() -> Session:
    """Llama at export, at the edge dialect and at XNNPACK, where the session stands."""
    made = Session(exported("llama2"), name="export")
    made.root.edge().rename("edge")
    made["edge"].backend("xnnpack").rename("xnnpack")
    return made


@functools.cache
def profile() -> exir_viz.types.Profile:
    return exir_viz.profile(session().root)


def stages_at(name: str) -> Write:
    """The page of the session, with one stage shown."""

    def write(path: Path) -> object:
        session().current = name
        return session().to_html(path)

    return write


def changes(path: Path) -> object:
    return exir_viz.diff(session()["export"], session()["edge"]).to_html(path)


def values(path: Path) -> object:
    """Numbers of a layer whose weight was changed, against those of the layer before."""
    torch.manual_seed(0)
    before = torch.nn.Sequential(
        torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 8), torch.nn.Softmax(-1)
    )
    after = torch.nn.Sequential(
        torch.nn.Linear(16, 32), torch.nn.GELU("tanh"), torch.nn.Linear(32, 8), torch.nn.Softmax(-1)
    )
    after.load_state_dict(before.state_dict())
    x = (torch.randn(4, 16),)
    a, b = (torch.export.export(one.eval(), x) for one in (before, after))
    return exir_viz.diff(a, b).values(rtol=1e-5, atol=1e-6).to_html(path)


def findings(path: Path) -> object:
    """Batch norm in training mode breaks a rule of Core ATen."""
    return Session(exported("training_mode")).decompose().snapshot.to_html(path)


def story(path: Path) -> object:
    """A story of the session, whose second scene is at XNNPACK."""
    session().current = "export"
    told = exir_viz.types.Story(SessionExplorer(session()), title="From export to XNNPACK")
    shown = told.explorer
    told.add("The model as it was exported.")
    shown.go("xnnpack")
    shown.select("aten_mean_dim")
    told.add("Tinted ops run on XNNPACK. This one stays on the CPU, and cuts a delegate in two.")
    return told.to_html(path)


def shapes(path: Path) -> object:
    """Sizes that vary, one that follows from another, and one that the code fixed."""
    return exir_viz.load(exported("related_dims")).to_html(path)


def llama(path: Path) -> object:
    return exir_viz.load(exported("llama2")).to_html(path)


@torch.no_grad()
def quantized(path: Path) -> object:
    """A convolution, a norm and a softmax in 8 bits, on XNNPACK: some ops stay in float."""
    torch.manual_seed(0)
    made = Session(exported("resnet11"), name="export")
    made.root.quantize().rename("quantized").edge().rename("edge").backend("xnnpack").rename("xnnpack")
    return made.to_html(path)


def failed(path: Path) -> object:
    """Batch norm in training mode does not reach edge."""
    made = Session(exported("training_mode"), name="export")
    failing(made.root.edge).rename("edge")
    return made.to_html(path)


def program(path: Path) -> object:
    """A `.pt2`, as torch.export saves it."""
    return torch.export.save(exported("llama2"), path)


def faulty(path: Path) -> object:
    """A small CNN whose first XNNPACK delegate has a wrong weight, against eager torch."""
    case = seeded.PAYLOAD[0]
    before, after = seeded.lowered(case.net)
    with seeded.payload_of(after, case):
        return exir_viz.diff(before, after).values(executor="executorch").to_html(path)


def terminal(path: Path) -> None:
    """What two commands print on a terminal, of three norms and layers before and after lowering to edge."""
    blocks = [torch.nn.Sequential(torch.nn.LayerNorm(8), torch.nn.Linear(8, 8)) for _ in range(3)]
    made = Session(torch.nn.Sequential(*blocks).eval(), torch.ones(2, 8))
    made.root.snapshot.save(path.parent / "before.exirviz")
    made.root.edge().snapshot.save(path.parent / "after.exirviz")
    shown = [
        f"<b>$ {command}</b>\n{colored(printed(command, path.parent))}"
        for command in ("exir-viz info before.exirviz", "exir-viz diff before.exirviz after.exirviz")
    ]
    path.write_text(TERMINAL.format("\n".join(shown)), "utf-8")


def printed(command: str, folder: Path) -> str:
    """What the command `exir-viz` prints where its output is a terminal."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "exir_viz", *command.split()[1:]]
    with subprocess.Popen(
        words, cwd=folder, stdout=theirs, stderr=subprocess.DEVNULL, env={**os.environ, "COLUMNS": "110"}
    ):
        os.close(theirs)
        data = b""
        with contextlib.suppress(OSError):  # a terminal without a program ends with an error
            while part := os.read(ours, 4096):
                data += part
    os.close(ours)
    return data.decode().replace("\r\n", "\n")


def colored(text: str) -> str:
    """A terminal's text as HTML."""

    def opened(found: re.Match[str]) -> str:
        codes = found[1].split(";")
        color = next((COLORS[code] for code in codes if code in COLORS), "inherit")
        return "</span>" if codes[0] in ("", "0") else f'<span style="color: {color}">'

    return re.sub(r"\x1b\[([\d;]*)m", opened, html.escape(text))


def reveal(node: str) -> str:
    """Select a node of `forward` and move it into view."""
    return f"e.reveal(e.snapshot.find('forward/{node}'))"


PICTURES = {
    "explorer": Picture(stages_at("export"), reveal("linear_1"), themes=("light", "dark")),
    "stages": Picture(stages_at("xnnpack"), reveal("aten_mean_dim")),
    "delegation": Picture(stages_at("xnnpack"), reveal("aten_mean_dim"), tab="Reports", press="Delegation"),
    "diff": Picture(changes, keys=("n",)),
    "values": Picture(values, keys=("k",), tab="Values"),
    "profile": Picture(lambda path: profile().to_html(path), reveal("linear_1"), tab="Cost"),
    "timeline": Picture(lambda path: profile().to_html(path), "e.openTo(2)", keys=("t",)),
    "story": Picture(story, keys=("PageDown",)),
    "findings": Picture(findings, "e.openAll()", tab="Reports", press="Rules"),
    "search": Picture(
        stages_at("export"), "e.openTo(3).then(() => e.search.ask('op:linear in:layers.0'))", keys=("n",)
    ),
    "shapes": Picture(shapes, "e.openAll()", tab="Reports", press="Shapes"),
    "coverage": Picture(stages_at("export"), reveal("linear_1"), tab="Code", press="Source"),
    "quantization": Picture(quantized, "e.openTo(1)", tab="Reports", press="Quantization"),
    "payload": Picture(stages_at("xnnpack"), reveal("executorch_call_delegate")),
    "lineage": Picture(stages_at("xnnpack"), reveal("aten_mean_dim"), section="Lineage"),
    "snapshot": Picture(
        llama,
        reveal("linear_1"),
        labels={
            "linear_1": "node",
            "Value": "node.value",
            "Arguments": "node.args, node.inputs",
            "In the graph": "node.users, node.scopes",
            "Source": "node.frames",
        },
    ),
    "runtime": Picture(faulty, keys=("k",), tab="Values"),
    "terminal": Picture(terminal, is_text=True),
    "failed": Picture(failed, "e.openAll()", press="✕ edge"),
    "lab": Picture(program, press="No", in_lab=True),
}


def take(picture: Picture, name: str, browser: Browser) -> None:
    """Open the page in each theme, and write what is seen."""
    with tempfile.TemporaryDirectory() as folder, address(picture, Path(folder)) as url:
        for theme in picture.themes:
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme, reduced_motion="reduce"
            )
            page.goto(url)
            if not picture.is_text:
                settle(page)
            if picture.script:
                page.evaluate(f"async () => {{ const e = globalThis.exirviz; await ({picture.script}) }}")
                settle(page)
            if picture.keys:
                page.locator(".exirviz-canvas").first.focus()
            for key in picture.keys:
                page.keyboard.press(key)
                settle(page)
            if picture.tab:
                page.get_by_role("tab", name=picture.tab).first.click()
                settle(page)
            if picture.press:
                labelled = page.locator("button").get_by_text(picture.press, exact=True)
                labelled.or_(page.get_by_role("button", name=picture.press, exact=True)).first.click()
                settle(page)
            if picture.section:
                page.get_by_text(picture.section, exact=True).first.evaluate("e => e.scrollIntoView()")
                settle(page)
            for heading, label in picture.labels.items():
                page.get_by_text(heading, exact=True).first.evaluate(LABEL, label)
            page.mouse.move(1, 1)
            if not picture.is_text:
                settle(page)
            shot = "data:image/png;base64," + base64.b64encode(page.screenshot()).decode()
            small = page.evaluate(TO_WEBP, shot).split(",")[1]
            page.close()
            target = FOLDER / (f"{name}-dark.webp" if theme == "dark" else f"{name}.webp")
            target.write_bytes(base64.b64decode(small))
            print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1000:.0f} kB", flush=True)


@contextlib.contextmanager
def address(picture: Picture, folder: Path) -> Iterator[str]:
    """Where the browser finds the page while its picture is taken."""
    if not picture.in_lab:
        picture.write(folder / "page.html")
        yield (folder / "page.html").as_uri()
        return
    (folder / "models").mkdir()
    picture.write(folder / "models" / "model.pt2")
    with Server(folder) as server:
        yield server.url("lab", "models/model.pt2")


def settle(page: Page) -> None:
    """Wait until every canvas is painted and the panels have followed."""
    page.wait_for_function(SETTLED)
    page.wait_for_timeout(400)
    page.wait_for_function(SETTLED)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)}; all if none")
    names = parser.parse_args().names or list(PICTURES)
    for name in names:
        if name not in PICTURES:
            parser.error(f"unknown picture {name!r}. Known: {', '.join(PICTURES)}")
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    with chromium_browser() as browser:
        for name in names:
            take(PICTURES[name], name, browser)


if __name__ == "__main__":
    main()
