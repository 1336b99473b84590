"""The benchmark's table: each row is there as soon as it is measured."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.bench.timing import table


def test_a_row_is_printed_before_the_next_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    printed: list[str] = []

    def measured() -> Iterator[list[str]]:
        for name in ("small", "large"):
            yield [name, f"1 s of {name}"]
            printed.append(capsys.readouterr().out)

    table("load", ["file", "time"], measured())
    first, second = printed
    head, rule, row = first.strip().splitlines()[2:]
    assert [cell.strip() for cell in head.strip("|").split("|")] == ["file", "time"]
    assert set(rule) == set("|- ")
    assert (row.count("|"), "1 s of small" in row, "large" in first) == (3, True, False)
    assert "1 s of large" in second


def test_progress_is_distinguished_from_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    table("load", ["file", "time"], [["small", "1 s"], ["large", "2 s"]])
    out, err = capsys.readouterr()
    assert "load: row 2 took" in err
    assert "took" not in out
