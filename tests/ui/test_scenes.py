"""Important scenes, in both themes, against their goldens."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.nightly import some

from .golden import held_to, in_both_themes
from .programs import snapshot
from .standalone import Standalone

Act = Callable[[Standalone], object]


def reveal(node: str) -> Act:
    return lambda page: page.run("e.reveal(e.snapshot.find(a))", node)


def press(*keys: str) -> Act:
    return lambda page: page.press(*keys)


def run(code: str) -> Act:
    return lambda page: page.run(code)


# Of each model that people lower one; `llama2` has scenes of its own.
LOWERED = (
    "llama2dynamic",
    "llama8",
    "llama8dynamic",
    "qwen2",
    "whisper2",
    "vit2",
    "mobilenetv2",
    "resnet11",
)

SCENES: dict[str, tuple[str, tuple[Act, ...]]] = {
    "opening": ("llama32.core", ()),
    "everything": ("llama32.core", (press("e"),)),
    "block": ("llama32.core", (reveal("forward/mm_7"),)),
    "run-unrolled": ("bert.core", (run("e.openTo(2)"),)),
    "deep-nesting": ("resnet50", (reveal("forward/relu_10"),)),
    "ancestors": ("resnet50", (reveal("forward/relu_10"), press("a", "a", "a"))),
    "branches": ("nested_cond", (press("e"),)),
    "mutation": ("buffer_mutation", (press("e", "ArrowDown"),)),
    "unfolded": ("module_called_twice", (press("e", "w"),)),
    "symbols": ("dynamic_batch", (press("e"), run("e.openReport('shapes')"))),
    "overlay-dtype": ("bert.core", (run("e.store.set({ overlay: { name: 'dtype', scale: 'linear' } })"),)),
    "overlay-bytes": (
        "vit",
        (run("e.openTo(1)"), run("e.store.set({ overlay: { name: 'bytes', scale: 'log' } })")),
    ),
    "search": ("bert.core", (run("e.search.ask('op:*addmm*')"), press("n", "n"))),
    "hostile": ("hostile_names", (press("e"),)),
    "by-module": ("llama2:xnnpack", (run("e.openTo(2)"),)),
    "by-delegate": ("llama2:xnnpack", (press("g"), run("e.openTo(2)"))),
    "memory-planned": ("llama2:executorch", (run("e.openTo(2)"),)),
    "help": ("control_flow", (press("?"),)),
    # The first frame of what people lower: before it is delegated, by delegate, and by module as the runtime
    # has it. `first.test.ts` checks every stage and both views.
    **{f"edge-of-{name}": (f"{name}:edge", ()) for name in LOWERED},
    **{f"delegates-of-{name}": (f"{name}:xnnpack", (press("g"),)) for name in LOWERED},
    **{f"executorch-of-{name}": (f"{name}:executorch", ()) for name in LOWERED},
}

SAID = """JSON.stringify({ zoom: Number(e.viewportStore.state.camera.zoom.toFixed(2)) >= 0.34, boxes:
  Array.from(e.state.scene.item.slice(0, 150), (item, slot) => {
    const s = e.state.scene, w = e.picture.words;
    return [' '.repeat(s.depth[slot]) + '·▸▾'[s.kind[slot]] + ' ' + w.title(item), w.subtitle(item),
      ...(e.picture.isGroup(item) ? w.badges(item) : w.chips(item).map(chip => chip.text)),
      s.members[slot] > 1 ? '×' + s.members[slot] : '', e.state.selected.includes(item) ? '*' : '']
      .filter(Boolean).join(' | ') }) })"""


# What people lower, as a whole: `first.test.ts` checks their first frames for each change.
LARGE = {name for name, (program, _) in SCENES.items() if program.partition(":")[0] in LOWERED}


@pytest.mark.parametrize("name", some(SCENES, SCENES.keys() - LARGE))
def test_scene(new_page, name):
    program, acts = SCENES[name]
    page = new_page().open(snapshot(program))
    for act in acts:
        act(page)
    page.page.mouse.move(1, 1)
    bench = new_page().page
    for theme in in_both_themes(page):
        said = json.loads(page.ask(SAID))
        text = "\n".join([f"readable: {said['zoom']}", *said["boxes"], ""])
        assert page.problems == []
        held_to(name, theme, text, page.page, bench)


def test_the_bar_says_which_part_a_backend_runs(new_page):
    page = new_page().open(snapshot("llama2:xnnpack"))
    assert re.fullmatch(
        r"forward backend · \d+ ops · \d+% on XNNPACK", page.page.inner_text(".exirviz-method")
    )


def test_the_attention_of_one_of_eight_layers_is_found_by_its_name(new_page):
    page = new_page().open(snapshot("llama8:xnnpack"))
    page.press("/")
    page.page.keyboard.type("layers.5.self_attn")
    page.page.wait_for_function("() => exirviz.state.results.nodes.length > 0")
    around = "e.picture.around(e.state.selected[0]).map(item => e.picture.words.title(item))"
    # The module itself comes first, then the ops in it.
    for wanted, kind in (({"layers.5"}, True), ({"layers.5", "self_attn"}, False)):
        page.page.keyboard.press("Enter")
        page.page.wait_for_function(
            "kind => exirviz.state.selected.some(item => exirviz.picture.isGroup(item) === kind)", arg=kind
        )
        page.settle()
        left, top, width, height = page.rect(page.ask("e.state.selected[0]"))
        view = page.page.locator(".exirviz-canvas").bounding_box()
        assert view["x"] <= left <= view["x"] + view["width"] - width
        assert view["y"] <= top <= view["y"] + view["height"] - height
        assert wanted <= set(page.ask(around))


def test_the_list_of_results_counts_all_modules_and_closes_at_enter(new_page):
    page = new_page().open(snapshot("llama8:xnnpack"))
    page.page.locator(".exirviz-canvas").focus()
    page.page.keyboard.press("/")
    page.page.keyboard.type("mlp")
    results = page.page.locator(".exirviz-results")
    assert results.locator(".exirviz-result-module").count() == 3
    said = results.locator(".exirviz-result-more").inner_text()
    assert said == "5 more modules"  # one in each of eight layers
    page.page.keyboard.press("Enter")
    page.page.wait_for_function("() => exirviz.state.selected.length > 0")
    assert results.count() == 0  # it would cover the panel
    page.page.locator(".exirviz-search-input").click()
    assert results.is_visible()
    assert page.problems == []


@pytest.mark.parametrize(
    ("way", "words"), [("search", "layer 5 attention"), ("palette", "layers.5.self_attn")]
)
def test_a_module_is_reached_by_its_path_or_by_words(new_page, way, words):
    page = new_page().open(snapshot("llama8:xnnpack"))
    page.page.locator(".exirviz-canvas").focus()
    page.page.keyboard.press("/" if way == "search" else "Control+k")
    page.page.keyboard.type(words)
    if way == "search":
        first = page.page.locator(".exirviz-result-module").first
        assert first.inner_text().replace("\n", "") == "model.layers.5.self_attnLlamaAttention"
        first.click()
    else:
        page.page.keyboard.press("Enter")
    page.page.wait_for_function("() => exirviz.state.selected.length > 0")
    page.settle()
    assert page.ask("e.state.selected.map(item => e.picture.words.title(item))") == ["self_attn"]
    around = page.ask("e.picture.around(e.state.selected[0]).map(item => e.picture.words.title(item))")
    assert "layers.5" in around
    assert page.problems == []
