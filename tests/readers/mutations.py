"""Damage done on purpose: archives taken apart, changed, and put together again with right checksums.

Everything is drawn from a `random.Random`, so that a seed is a test.
"""

from __future__ import annotations

import copy
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

Members = dict[str, bytes]


def unpack(data: bytes) -> Members:
    """The members of an archive, by name, in order."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def pack(members: Members, method: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def program_of(members: Members) -> str:
    """The name of the member that is the program."""
    return next(name for name in members if "/models/" in name)


def with_program(members: Members, change: Callable[[Any], Any]) -> bytes:
    """The archive with its program's JSON changed; `change` may change it in place."""
    name = program_of(members)
    program = json.loads(members[name])
    changed = change(program)
    return pack({**members, name: json.dumps(program if changed is None else changed).encode()})


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container and key in some JSON."""
    stack = [value]
    while stack:
        here = stack.pop()
        keys = here if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()
        for key in keys:
            yield here, key
            stack.append(here[key])


WRONG = [
    None, True, False, 0, 1, -1, 7, 1 << 31, 1 << 53, -(1 << 63), 1 << 64, 1 << 200, 0.5, 1e308, "", "x", "🜂",
    "a" * 5000, "Infinity", "NaN", [], {}, [[]], [[[[]]]], {"as_none": True}, {"as_int": 1 << 70},
    {"as_tensor": {"name": "x"}}, {"as_tensors": []}, {"as_expr": {"expr_str": "__import__('os')"}},
    {"as_sym_int": {"as_name": "x"}}, {"as_none": True, "as_int": 1}, "torch.ops.higher_order.cond",
    "_operator.getitem", "[1, null]", "[1, {\"type\": null, \"context\": null, \"children_spec\": []}]",
]  # fmt: skip


def mutate(value: Any, rng: random.Random) -> Any:
    """One to four small changes: a value of the wrong kind, gone, doubled, moved, or another one's."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        found = list(places(value))
        if not found:
            return value
        here, key = rng.choice(found)
        there, other = rng.choice(found)
        action = rng.randrange(6)
        if action == 0:
            here[key] = copy.deepcopy(rng.choice(WRONG))
        elif action == 1:
            del here[key]
        elif action == 2 and isinstance(here, list):
            here.insert(rng.randrange(len(here) + 1), copy.deepcopy(here[key]))
        elif action == 3 and isinstance(here, dict):
            here[rng.choice(("name", "x", "as_graph", "", "custom", key + "_"))] = here.pop(key)
        elif action == 4 and isinstance(here[key], str):
            here[key] = text(here[key], rng)
        else:
            here[key] = copy.deepcopy(there[other])
    return value


def text(old: str, rng: random.Random) -> str:
    """A string a little different."""
    at = rng.randrange(len(old) + 1)
    extra = rng.choice(
        (";", ",", "(", ")", "'", '"', "0", "\n", "\x00", "\ud800", "[" * 200, "u0", "s77", "-")
    )
    return rng.choice((old[:at] + extra + old[at:], old[:at], old[at:], old + old, old[:at] + old[at + 1 :]))


def damage(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, cut, doubled or filled."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(changed) + 1)
        action = rng.randrange(5)
        if action == 0 and at < len(changed):
            changed[at] = rng.randrange(256)
        elif action == 1:
            del changed[at : at + rng.choice((1, 2, 100))]
        elif action == 2:
            changed[at:at] = changed[at : at + rng.choice((1, 4, 64))]
        elif action == 3:
            changed[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f"))
        else:
            changed[at:at] = rng.randbytes(rng.choice((1, 3, 9)))
    return bytes(changed)
