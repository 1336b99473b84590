"""A diff as Markdown: short, modules first, and no text of a program is markup."""

from __future__ import annotations

import exir_viz
from exir_viz.pages.markdown import code, escaped, quoted
from tests.compare.mutate import mutate
from tests.compare.test_facts import with_method
from tests.snapshot.sample import HOSTILE, chain, hostile, sample


def test_modules_come_first_and_equal_ones_as_one() -> None:
    text = exir_viz.diff(*mutate(chain(80), "cast")[:2]).to_markdown()
    assert text.index("| Module |") < text.index("Rules")
    assert "| `layers.*` Layer | 8× | ~10 |" in text


def test_facts_that_are_all_that_changed_are_not_folded() -> None:
    renamed = with_method(sample(), name="decode")
    text = exir_viz.diff(sample(), renamed).to_markdown()
    assert "| method | method `forward` is now called `decode` |" in text
    assert "<details>" not in text
    both = exir_viz.diff(mutate(sample(), "insert", share=0.5)[1], renamed).to_markdown()
    assert "is now called" in both[both.index("<summary>Other changes</summary>") :]


def test_no_difference_is_one_sentence() -> None:
    text = exir_viz.diff(sample(), sample()).to_markdown()
    assert "\n\nNo difference: all 19 nodes are the same.\n" in text


def test_it_is_short_however_much_changed() -> None:
    a, b = mutate(chain(3000), "mixed", share=0.5)[:2]
    assert len(exir_viz.diff(a, b).to_markdown().splitlines()) < 90


def test_hostile_text_is_text() -> None:
    text = exir_viz.diff(hostile(), sample()).to_markdown()
    assert "<b>" not in text.replace("`", "\n").split("\n")[0]
    assert "\x1b" not in text
    outside = "".join(text.split("`")[::2])
    assert "<b>" not in outside.replace("\\<b\\>", "")


def test_escapes() -> None:
    assert escaped("a|b *c* <i> @all") == r"a\|b \*c\* \<i\> @" + "\u200ball"
    assert code("a`b|c") == "`aˋb│c`"
    assert quoted("`x*y` became *z*") == r"`x*y` became \*z\*"
    assert "\n" not in escaped(HOSTILE)
