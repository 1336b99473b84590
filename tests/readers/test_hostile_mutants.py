"""Damaged archives, by the thousand: each is read, or refused with a FileError, and nothing else happens."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exir_viz
from exir_viz.errors import FileError
from exir_viz.snapshot import wire
from exir_viz.snapshot.validate import problem
from tests.nightly import some
from tests.readers import archives
from tests.readers.archives import member
from tests.readers.mutations import damage, mutate, pack, program_of, unpack, with_program

SEEDS = range(40)
NAMES = (
    "named_dims",
    "nested_cond",
    "pytree_inputs",
    "module_state",
    "several_outputs",
    "data_dependent_shape",
)


def _survives(path: Path) -> bool:
    """Load a damaged file: a sound Snapshot or a FileError, and nothing else."""
    try:
        snapshot = exir_viz.load(path)
    except FileError as error:
        named = error.file
    else:
        assert problem(snapshot.skeleton, snapshot.detail) is None
        assert wire.decode(wire.encode(snapshot)) == snapshot
        return True
    assert named == path.name
    return False


def _mutants(data: bytes, rng: random.Random) -> bytes:
    members = unpack(data)
    program, samples = program_of(members), member(members, "data/sample_inputs/model.pt")
    config = rng.choice([name for name in members if name.endswith("_config.json")])
    match rng.randrange(4):
        case 0:
            return damage(data, rng)
        case 1:
            mutant = mutate(json.loads(members[program]), rng)
            return pack({**members, program: json.dumps(mutant).encode()})
        case 2:
            name = rng.choice(list(members))
            return pack({**members, name: damage(members[name], rng)})
        case _:
            inner = unpack(members[samples])
            name = member(inner, "data.pkl")
            inner[name] = damage(inner[name], rng)
            mutant = json.dumps(mutate(json.loads(members[config]), rng)).encode()
            return pack({**members, samples: pack(inner), config: mutant})


@pytest.mark.parametrize("seed", some(SEEDS, SEEDS[::4]))
def test_mutants(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    outcomes = [
        _survives(archives.write(tmp_path, _mutants(archives.saved(rng.choice(NAMES)), rng)))
        for _ in range(25)
    ]
    assert not all(outcomes), "the damage does something"


@given(data=st.data())
@settings(max_examples=150)
def test_any_json_in_the_place_of_any_part(data: st.DataObject, tmp_path: Path) -> None:
    json_values = st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
    members = unpack(archives.saved("several_outputs"))

    def change(program: Any) -> Any:
        here: Any = {"all": program}
        key: Any = "all"
        while isinstance(here[key], (dict, list)) and here[key] and data.draw(st.integers(0, 9)):
            here = here[key]
            key = data.draw(st.sampled_from(list(here) if isinstance(here, dict) else range(len(here))))
        here[key] = data.draw(json_values)

    _survives(archives.write(tmp_path, with_program(members, change)))


@given(data=st.binary(max_size=300))
@settings(max_examples=200)
def test_any_bytes_after_the_magic(data: bytes, tmp_path: Path) -> None:
    assert not _survives(archives.write(tmp_path, b"PK\x03\x04" + data))
    assert not _survives(
        archives.write(
            tmp_path, b"PK\x03\x04" + data + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, 4, 4, 0)
        )
    )
