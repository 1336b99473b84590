"""What has the same height in two columns while nothing is selected."""

from __future__ import annotations

import pytest

from tests.ui.standalone import Standalone

from .test_compare import SideBySide, bert

pytestmark = pytest.mark.browser

# The topmost change that column 1 shows and column 0 has too: how much lower it is there, in pixels.
LOWER = """(() => {
  const [there, here] = p.explorers, { scene, picture } = here.state;
  const top = (of, slot) => {
    const { x, y, zoom } = of.viewportStore.state.target ?? of.viewportStore.state.camera;
    return (of.state.scene.rect[4 * slot + 1] - y) * zoom };
  const mates = item => picture.isGroup(item)
    ? [p.row.counterpart(1, item, 0)]
    : p.pair.across(1, [picture.nodeOf(item)]).map(node => there.picture.boxOf(node));
  const isChange = item => picture.isGroup(item)
    ? p.row.tally(1).changesIn(item) > 0 : p.row.tally(1).kind(item) !== 'same';
  const found = [...scene.item.keys()]
    .filter(slot => scene.kind[slot] !== 2 && isChange(scene.item[slot]) && top(here, slot) >= 0)
    .sort((a, b) => scene.rect[4 * a + 1] - scene.rect[4 * b + 1] || a - b)
    .map(slot => ({ at: top(here, slot), others: mates(scene.item[slot])
      .map(item => there.state.scene.slotOf[item] ?? -1).filter(each => each >= 0) }))
    .find(({ others }) => others.length);
  return Math.min(...found.others.map(slot => top(there, slot))) - found.at })()"""


def test_the_first_visible_change_has_one_height(standalone: Standalone) -> None:
    page = SideBySide(standalone).open(bert())
    assert abs(page.ask(LOWER)) < 1

    # further down one graph is ahead of the other, and modules opened above move them apart
    page.ask(
        """(() => { const e = p.explorers[1], { scene, picture } = e.state;
        const down = [...scene.item.keys()].find(slot => picture.words.title(scene.item[slot]) === 'pooler');
        p.lead(1);
        e.goTo({ x: scene.rect[4 * down] - 40, y: scene.rect[4 * down + 1] - 150, zoom: 1 }) })()"""
    )
    page.settle()
    page.ask(
        """(() => { const e = p.explorers[1];
        const dense = e.state.scene.item.findLast(item => e.picture.words.title(item) === 'LayerNorm');
        return e.toggle(dense).then(() => undefined) })()"""
    )
    page.rest()
    assert abs(page.ask(LOWER)) < 1
    assert standalone.problems == []
