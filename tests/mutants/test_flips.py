"""Which operators are flipped, and that nothing else of a source changes."""

from __future__ import annotations

import ast

import pytest

from tests.corpus.folder import ROOT

from .flips import flips


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("a < b <= c", {"a <= b <= c", "a < b < c"}),
        ("a is not  b", {"a is  b"}),
        ("a not in b and c", {"a in b and c", "a not in b or c"}),
        ("(a + b) * (c)", {"(a - b) * (c)", "(a + b) / (c)"}),
        ("'ä' + f'{a + b}' == c", {"'ä' - f'{a + b}' == c", "'ä' + f'{a + b}' != c"}),
        ("f(a  # a > b\n   > b)", {"f(a  # a > b\n   >= b)"}),
        ("a | b, -a, not a", set()),
    ],
)
def test_each_operator_is_flipped_once(source: str, mutants: set[str]) -> None:
    assert {one.applied(source) for one in flips(source)} == mutants


def test_a_mutant_of_our_own_sources_differs_in_one_operator() -> None:
    source = (ROOT / "exir_viz" / "compare" / "align" / "sequence.py").read_text()
    found = list(flips(source))
    assert found
    assert len({one.span for one in found}) == len(found)
    before = ast.dump(ast.parse(source))
    for one in found:
        assert source[one.span.start : one.span.end] == one.before
        assert source.splitlines()[one.line - 1].count(one.before.split()[0])
        assert ast.dump(ast.parse(one.applied(source))) != before
