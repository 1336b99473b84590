"""Every word and sign has the contrast that WCAG's AA asks for: in both themes, on selected rows too."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from exir_viz.jupyter.card import card_html
from tests.snapshot.sample import chain

from .programs import snapshot
from .test_columns import shown
from .test_stages import HERE, page_text

# Of every visible word: its contrast, what it says, its class and colour; what is disabled is exempt.
WORDS = """() => {
  // One pixel tells what a colour is, however it is written.
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  const rgba = (color, over) => {
    pen.clearRect(0, 0, 1, 1);
    for (const each of [...over, color]) { pen.fillStyle = each; pen.fillRect(0, 0, 1, 1) }
    return Array.from(pen.getImageData(0, 0, 1, 1).data) };
  const light = color => { const [r, g, b] = color.slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const e = node.parentElement, s = e && getComputedStyle(e);
    if (!node.textContent.trim()) continue;
    if (!e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    if (e.closest('.exirviz-hidden, :disabled, option, script, style')) continue;
    const grounds = [];
    for (let up = e; up; up = up.parentElement) grounds.unshift(getComputedStyle(up).backgroundColor);
    const ground = rgba('transparent', ['#fff', ...grounds]);
    let seen = 1;
    for (let up = e; up; up = up.parentElement) seen *= Number(getComputedStyle(up).opacity);
    const full = rgba(s.color, ['#fff', ...grounds]);
    const ink = full.map((part, i) => seen * part + (1 - seen) * ground[i]);
    const [high, low] = [light(ground), light(ink)].sort((a, b) => b - a);
    found.push([Math.round(100 * (high + 0.05) / (low + 0.05)) / 100, node.textContent.trim().slice(0, 40),
      e.className, s.color]);
  }
  return found }"""
LEAST = 4.5
# Links and dim words put onto the ground of a selected row, in the panel: contrast and colour.
ON_SOFT = (
    WORDS.replace("document.body", "row")
    .replace(
        "() => {",
        """() => {
  const row = document.createElement('div');
  row.style.background = 'var(--exirviz-soft)';
  for (const color of ['--exirviz-link', '--exirviz-dim', '--exirviz-text-color'])
    row.append(Object.assign(
      document.createElement('span'), { style: `color: var(${color})`, textContent: color }
    ));
  document.querySelector('.exirviz-side').append(row);""",
        1,
    )
    .replace("return found", "row.remove(); return found.map(each => each.slice(0, 2))")
)


def faint(page) -> list[list[object]]:
    """The words without enough contrast."""
    return [word for word in page.page.evaluate(WORDS) if word[0] < LEAST]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_in_panels_have_contrast(new_page, theme):
    page = new_page(color_scheme=theme).open(snapshot("bert.core"))
    page.run("e.reveal(e.snapshot.find('forward/addmm_3'))")
    seen = 0
    for tab in ("node", "code", "reports"):
        page.run("e.store.set({ tab: a })", tab)
        seen += len(page.page.evaluate(WORDS))
        assert faint(page) == []
    for report in ("rules", "shapes", "source"):
        page.run("e.openReport(a)", report)
        page.page.locator(".exirviz-report").wait_for()
        seen += len(page.page.evaluate(WORDS))
        assert faint(page) == []
    page.press("?")
    assert faint(page) == []
    assert seen > 200


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_of_a_lowered_program_and_what_opens_above_it_have_contrast(new_page, theme):
    page = new_page(color_scheme=theme).open(snapshot("llama2:xnnpack"))
    page.press("g", "t")
    page.run("e.store.set({ tab: 'reports', report: 'delegation' })")
    page.page.locator(".exirviz-report").wait_for()
    assert faint(page) == []
    search = page.page.locator(".exirviz-search input")
    search.fill("op:*mm*")
    page.page.locator(".exirviz-color-these").wait_for()
    assert faint(page) == []
    search.fill("")
    page.press("Control+k")
    page.page.locator(".exirviz-palette").wait_for()
    assert faint(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_of_a_comparison_have_contrast(new_page, theme):
    page = new_page(color_scheme=theme)
    shown(page)
    assert faint(page) == [], "among them what moves and closes a column"
    page.page.keyboard.press("n")
    page.page.locator(".exirviz-change-row.is-it").first.wait_for()
    assert faint(page) == []
    page.page.locator(".exirviz-kind").first.click()
    page.page.locator(".exirviz-kind[aria-pressed=false]").wait_for()
    assert faint(page) == [], "a kind that is left out is still to be pressed"
    page.page.keyboard.press("y")
    page.page.locator(".exirviz-line.is-it").first.wait_for()
    assert faint(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_links_on_rows_that_are_selected_have_contrast(new_page, theme):
    page = new_page(color_scheme=theme).open(snapshot("bert.core"))
    page.run("e.reveal(e.snapshot.find('forward/addmm_3'))")
    # No row has a deeper ground than this; its own links are read on it.
    colors = page.page.evaluate(ON_SOFT)
    assert min(ratio for ratio, _ in colors) >= LEAST, colors


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_of_stages_have_contrast(new_page, theme):
    page = new_page(color_scheme=theme).open_text(page_text())
    assert faint(page) == []
    page.press("Control+k")
    page.page.locator(".exirviz-palette [aria-disabled=true]").first.wait_for()
    assert faint(page) == [], "among them steps that cannot be run"
    page.page.keyboard.press("Escape")
    for key in ("i", "Shift+S"):
        page.press(key)
        page.page.locator(".exirviz-dock-layer").wait_for()
        assert faint(page) == []
        page.page.keyboard.press("Escape")
    page.page.get_by_role("treeitem", name="edge, failed").click()
    page.page.locator(HERE).filter(has_text="edge").wait_for()
    page.settle()
    assert faint(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_picture_of_a_card_is_dark_on_a_dark_page(new_page, theme):
    page = new_page().page
    is_light = "true" if theme == "light" else "false"
    page.set_content(f'<body data-jp-theme-light="{is_light}">{card_html(chain(3))}</body>')
    wanted = "none" if theme == "light" else "invert(0.933) hue-rotate(180deg)"
    expect(page.locator(".exirviz-card img")).to_have_css("filter", wanted)
