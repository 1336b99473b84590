"""Aligning sequences: only equal tokens, in order on both sides, as many as possible, near linear."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from exir_viz.compare.align.sequence import align, longest_rising

tokens = st.lists(st.integers(0, 6), max_size=30)


def common(a: list[int], b: list[int]) -> int:
    """The length of a longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = row
        row = [0]
        for at, y in enumerate(b):
            row.append(before[at] + 1 if x == y else max(before[at + 1], row[at]))
    return row[-1]


@given(tokens, tokens)
def test_pairs_are_equal_tokens_in_order(a: list[int], b: list[int]) -> None:
    pairs = sorted(align(a, b))
    assert all(a[x] == b[y] for x, y in pairs)
    assert all(x < z and y < w for (x, y), (z, w) in pairwise(pairs))


@given(tokens)
def test_a_sequence_is_aligned_with_itself(a: list[int]) -> None:
    assert sorted(align(a, a)) == [(at, at) for at in range(len(a))]


@given(st.lists(st.integers(0, 1), max_size=25), st.lists(st.integers(0, 1), max_size=25))
def test_without_unique_tokens_the_alignment_is_a_longest(a: list[int], b: list[int]) -> None:
    a, b = [*a, *a, 0, 1, 0, 1], [*b, *b, 0, 1, 0, 1]  # every token at least twice
    assert len(list(align(a, b))) >= common(a, b) - 2  # ends are trimmed before


@given(st.permutations(range(12)))
def test_a_longest_rising_run(numbers: list[int]) -> None:
    found = longest_rising(list(enumerate(numbers)))
    assert len(found) == common(list(range(12)), list(numbers))
    assert [y for _, y in found] == sorted(y for _, y in found)


def test_work_grows_as_the_length_does(call_count) -> None:
    def work(length: int) -> int:
        chance = random.Random(0)
        a = [chance.randrange(length) for _ in range(length)]
        b = [token for token in a if chance.random() > 0.01]
        return call_count(lambda: list(align(a, b)))

    assert work(20_000) < 14 * work(2_000)


def test_a_long_stretch_of_few_tokens_is_aligned_by_those_that_stand_as_often() -> None:
    chance = random.Random(1)
    a, b = [], []
    for _ in range(300):
        a += [1, *chance.choices((2, 3), k=4), 9, 9]
        b += [1, *chance.choices((4, 5, 6), k=6), 9, 9]
    pairs = list(align(a, b))
    assert sum(a[x] == 1 for x, _ in pairs) == 300
