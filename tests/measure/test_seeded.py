"""Seeded divergences: each is found, and the smallest region is reported."""

from __future__ import annotations

import pytest

from tests.measure.agreement import table
from tests.measure.custom_kernel import can_compile
from tests.measure.seeded import CASES, Case, report

pytest.importorskip("executorch")

# One of each net and place; `python -m tests.measure.seeded` runs all.
SAMPLE = (
    "cnn, backend: clamped activation of aten_convolution_default_1",
    "cnn, payload: clamped activation of aten_relu_default_1",
)


def test_a_table_of_agreement_keeps_what_was_not_run_again() -> None:
    before = "| `bert2` | agrees, 133 dB; 10 delegates | not run |\n| `db:decorator` | agrees | agrees |"
    rows = [
        {"name": "bert2", "form": "int8", "failed": "quantize: NothingQuantized"},
        {"name": "albert", "form": "float", "failed": "XNNPACK: IndexError"},
    ]
    assert table(before, rows) == [
        "| `bert2` | agrees, 133 dB; 10 delegates | – (quantize: NothingQuantized) |",
        "| `albert` | – (XNNPACK: IndexError) | not run |",
        "| `db:decorator` | agrees | agrees |",
    ]


def test_a_program_with_a_delegate_that_fails_does_not_agree() -> None:
    numbers = {"outputs": 1, "outputs_diverge": 0, "snr": 46.2, "delegates": 14, "runtime": 98, "emulated": 4}
    row = {
        "notes": [],
        "name": "gemma",
        "form": "int8",
        "isolated": [],
        "fails": ["forward/call_2"],
        **numbers,
    }
    assert table("", [row]) == [
        "| `gemma` | not run | fails at `call_2`; 14 delegates, 98 in the runtime, 4 emulated |"
    ]


def test_of_many_delegates_that_fail_the_first_are_named() -> None:
    numbers = {"outputs": 1, "outputs_diverge": 0, "snr": 3.0, "delegates": 9, "runtime": 2, "emulated": 7}
    fails = [f"forward/call_{number}" for number in range(7)]
    row = {"notes": [], "name": "llama32", "form": "int8", "isolated": [], "fails": fails, **numbers}
    (line,) = table("", [row])
    assert "fails at `call_0`, `call_1`, `call_2`, `call_3`, `call_4` and 2 more; 9 delegates" in line


def test_a_program_that_did_not_run_as_a_whole_does_not_agree() -> None:
    numbers = {"outputs": 1, "outputs_diverge": 0, "snr": None, "delegates": 1, "runtime": 3, "emulated": 2}
    notes = ["The whole program did not run in the runtime: it draws random numbers."]
    row = {"name": "strict_mode", "form": "float", "isolated": [], "notes": notes, **numbers}
    (line,) = table("", [row])
    assert "| no divergence found; 1 delegate, 3 in the runtime, 2 emulated; not run as a whole |" in line


def _cases() -> list[object]:
    rest = [case for case in CASES if case.name not in SAMPLE]
    sample = [pytest.param(case, id=case.name) for case in CASES if case.name in SAMPLE]
    assert len(sample) == len(SAMPLE)
    return [*sample, *(pytest.param(case, id=case.name, marks=pytest.mark.nightly) for case in rest)]


@pytest.mark.parametrize("case", _cases())
def test_the_fault_is_found_and_the_region_is_minimal(case: Case) -> None:
    if case.place == "kernel" and not can_compile():
        pytest.skip("needs a C++ compiler")
    found = report(case)
    assert found.is_right(case), found
