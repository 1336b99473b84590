"""Capture against the live program, field by field, on the whole corpus."""

from __future__ import annotations

import pytest

import exir_viz
from exir_viz.snapshot import wire
from tests.corpus.concepts import CONCEPTS
from tests.corpus.programs import LARGE, SMALL, core, exportdb, exported
from tests.nightly import nightly, some
from tests.readers.oracle import differences

_EXPORTDB = [f"db:{name}" for name in exportdb()]
PROGRAMS = [*CONCEPTS, *some(_EXPORTDB, _EXPORTDB[::4]), *SMALL, *nightly(LARGE)]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("level", ["aten", "core"])
def test_says_what_torch_says(name: str, level: str) -> None:
    program = exported(name) if level == "aten" else core(name)
    snapshot = exir_viz.load(program)
    assert differences(snapshot.method, program) == []


@pytest.mark.nightly
def test_says_what_torch_says_of_a_deep_program() -> None:
    """A thousand nodes, in one of the programs that are built only when named."""
    program = exported("deep1k")
    assert differences(exir_viz.load(program).method, program) == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_survives_the_wire(name: str) -> None:
    snapshot = exir_viz.load(core(name))
    packed = wire.encode(snapshot)
    again = wire.decode(packed)
    assert again == snapshot
    assert wire.encode(again) == packed
