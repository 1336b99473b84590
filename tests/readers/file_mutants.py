"""Valid program files with small changes: each is refused with a FileError, or every verb works on it.

    python -m tests.readers.file_mutants --minutes 10 --seed 0

prints how many were refused, and each other error with a file that causes it. The changes are made in the
file's own structure, and checksums are right, so that many are accepted. Nothing here needs torch.
"""

from __future__ import annotations

import argparse
import copy
import functools
import json
import pickle
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

import exir_viz
from exir_viz import reports
from exir_viz.errors import ExirVizError, FileError
from exir_viz.measure import files as profile_files
from exir_viz.measure.records import BASES, Basis, Columns, Conditions, Executor, ProfileRecord, Times
from exir_viz.pages.dot import dot
from exir_viz.pages.html import html
from exir_viz.pages.markdown import markdown
from exir_viz.server.answers import program_answer
from exir_viz.snapshot import Snapshot, wire
from exir_viz.snapshot.columns import SCHEMA
from exir_viz.snapshot.wire import Sections, encode_sections
from exir_viz.tables.named_tables import table
from tests.readers.mutations import damage, mutate, pack, places, unpack

HERE = Path(__file__).parent
WILD = HERE / "wild"
TABLES = (
    *("nodes", "edges", "values", "scopes", "signature", "symbols", "ops", "payload_ops", "payload_tensors"),
)
NUMBERS = (-1, 0, 1, 2, 7, 63, 1 << 31, (1 << 53) - 1, 1 << 53, 1 << 62, -(1 << 63), (1 << 64) - 1)


class Seed(NamedTuple):
    """A valid file: its name, bytes, and what makes a mutant of it."""

    name: str
    data: bytes
    mutant: Callable[[bytes, random.Random], bytes]


@functools.cache
def seeds() -> tuple[Seed, ...]:
    """Small files of every format."""
    found = [Seed(f"{path.stem}.pt2", path.read_bytes(), _archive) for path in _wild("torch-2.13.0", ".pt2")]
    old = _wild("torch-2.6.0", ".pt2")
    found += [Seed(f"old_{path.stem}.pt2", path.read_bytes(), _archive) for path in old]
    last = "executorch-1.4.1"
    found += [Seed(path.name, path.read_bytes(), _flatbuffer) for path in _wild(last, ".pte")]
    found += [Seed(path.name, path.read_bytes(), _archive) for path in _wild(last, ".etrecord")]
    read = [(seed.name, _loaded(seed.data, seed.name)) for seed in found]
    for name, snapshot in read:
        found.append(Seed(f"{name}.exirviz", wire.encode(snapshot), _sections))
        found.append(Seed(f"{name}.exirprofile", _profile(snapshot), _measured))
    return tuple(found)


def _wild(folder: str, suffix: str) -> list[Path]:
    return sorted(path for path in (WILD / folder).iterdir() if path.suffix == suffix)


def _loaded(data: bytes, name: str) -> Snapshot:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        return exir_viz.load(path)


def _profile(snapshot: Snapshot) -> bytes:
    """A profile of the first method: every node took one nanosecond more than the one before."""
    ids = [node.id for graph in snapshot.method.graphs() for node in graph]
    count = [1] * len(ids)
    columns = {name: tuple(range(len(ids))) for name in Columns.__struct_fields__}
    columns |= {"basis": (BASES.index(Basis.MEASURED),) * len(ids), "calls": tuple(count), "n": tuple(count)}
    record = ProfileRecord(
        1,
        snapshot.method.name,
        snapshot.method.dialect.value,
        Conditions(Executor.CPU, 1, 1, 0),
        Columns(**{**columns, "nodes": tuple(ids)}),  # type: ignore[arg-type]
        Times(1, sum(range(len(ids))), 1, 1, 1, 1),
        Times(1, 0, 0, 0, 0, 0),
    )
    return profile_files.encode(exir_viz.types.Profile(record, snapshot))


# -- mutants ------------------------------------------------------------------------------------------------


def change(value: Any, rng: random.Random) -> Any:
    """JSON with one to three changes: of numbers, lengths of lists, texts, or another value of its kind."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        found = list(places(value))
        if not found:
            break
        # Records of tables rarely matter alone: a key is drawn first, and then one of its places.
        by_key: dict[Any, list[tuple[Any, Any]]] = {}
        for here, key in found:
            by_key.setdefault(key if isinstance(here, dict) else "item", []).append((here, key))
        here, key = rng.choice(by_key[rng.choice(sorted(by_key, key=str))])
        there, other = rng.choice(found)
        old = here[key]
        if isinstance(old, list) and old and rng.randrange(8):
            _change_list(old, found, rng)
        elif isinstance(here, dict) and not rng.randrange(6):
            del here[key]
        elif isinstance(old, (list, dict)):
            here[key] = copy.deepcopy(_same_kind(found, there[other], rng))
        else:
            here[key] = rng.choice((*_others(old, rng), _same_kind(found, old, rng)))
    return value


def _others(old: Any, rng: random.Random) -> tuple[Any, ...]:
    """Other values of the kind of a value."""
    if isinstance(old, bool) or old is None:
        return (True, False, None, 1)
    if isinstance(old, str):
        return _texts(old)
    if isinstance(old, float):
        return (0.0, -old, 1e308, old * 2)
    return (old + 1, old - 1, -old, old * 2, rng.choice(NUMBERS))


def _change_list(items: list[Any], found: list[tuple[Any, Any]], rng: random.Random) -> None:
    at = rng.randrange(len(items))
    match rng.randrange(5):
        case 0:
            del items[at]
        case 1:
            items.insert(at, copy.deepcopy(items[at]))
        case 2:
            items[at], items[-1] = items[-1], items[at]
        case 3:
            del items[at:]
        case _:
            items[at] = copy.deepcopy(_same_kind(found, items[at], rng))


def _texts(old: str) -> tuple[str, ...]:
    return (
        "", old[:-1], old + "x", old[::-1], "0", "-1", "s0", "s77", "1" * 5000, "9" * 400, "inf", "nan",
        "1e999", "output", "input", "get_attr", "getitem", "1/0", "s0//0", "\x00", "a/b", "..", "int_oo",
    )  # fmt: skip


def _same_kind(found: list[tuple[Any, Any]], old: Any, rng: random.Random) -> Any:
    for _ in range(20):
        here, key = rng.choice(found)
        if type(here[key]) is type(old):
            return here[key]
    return old


def _sections(data: bytes, rng: random.Random) -> bytes:
    """A `.exirviz` file with changed sections and right checksums."""
    sections = Sections(data, "seed")
    raw = {name: msgspec.json.decode(sections.raw(name)) for name in sections.places}
    name = rng.choice(("skeleton", "detail"))
    raw[name] = change(raw[name], rng)
    return encode_sections(raw, SCHEMA)


def _measured(data: bytes, rng: random.Random) -> bytes:
    """A profile with a changed record, or with a changed program."""
    import zlib

    start = len(profile_files.MAGIC) + 8
    stop = start + int.from_bytes(data[start - 8 : start], "big")
    record, program = zlib.decompress(data[start:stop]), data[stop:]
    if rng.randrange(4):
        record = json.dumps(change(json.loads(record), rng)).encode()
    else:
        program = _sections(program, rng)
    packed = zlib.compress(record, 1)
    return b"".join([profile_files.MAGIC, len(packed).to_bytes(8, "big"), packed, program])


def _archive(data: bytes, rng: random.Random) -> bytes:
    """An archive with a changed member and right checksums."""
    members = unpack(data)
    texts = [name for name, raw in members.items() if raw[:1] in (b"{", b"[")]
    if not rng.randrange(4):
        name = rng.choice(list(members))
        return pack({**members, name: damage(members[name], rng)})
    programs = [name for name in texts if "/models/" in name] or texts
    name = rng.choice(rng.choice((texts, programs, programs)))
    kind = change if rng.randrange(3) else mutate
    return pack({**members, name: json.dumps(kind(json.loads(members[name]), rng)).encode()})


def _flatbuffer(data: bytes, rng: random.Random) -> bytes:
    """A `.pte` with changed numbers."""
    if not rng.randrange(4):
        return damage(data, rng)
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(8, len(changed) - 8) & ~3
        old = int.from_bytes(changed[at : at + 4], "little")
        new = rng.choice((old + 1, old - 1, old + 4, old ^ 1, old ^ 256, *NUMBERS)) & 0xFFFFFFFF
        changed[at : at + 4] = new.to_bytes(4, "little")
    return bytes(changed)


# -- verbs --------------------------------------------------------------------------------------------------


def verbs(snapshot: Snapshot, original: Snapshot, path: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Everything that can be done with a Snapshot without torch."""
    yield "str", lambda: (str(snapshot), repr(snapshot), repr(snapshot.methods))
    yield "nodes", lambda: _walk(snapshot)
    for form in ("python", "fx"):
        yield f"text {form}", lambda form=form: [snapshot.text(form, name) for name in snapshot.methods]
    yield "wire", lambda: _equal(wire.decode(wire.encode(snapshot)), snapshot)
    yield "pickle", lambda: _equal(pickle.loads(pickle.dumps(snapshot)), snapshot)
    yield "deepcopy", lambda: _equal(copy.deepcopy(snapshot), snapshot)
    yield "page", lambda: html(snapshot, title="x")
    yield "save", lambda: exir_viz.load(snapshot.save(path.with_suffix(".saved.exirviz"), sources=False))
    yield "answer", lambda: program_answer(path)
    yield "dot", lambda: str(dot(snapshot, max_nodes=40))
    for name in TABLES:
        yield (
            f"table {name}",
            lambda name=name: [
                getattr(table(snapshot, name), form)() for form in ("csv", "json", "markdown")
            ],
        )
    yield "check", lambda: _shown(exir_viz.check(snapshot))
    for name in reports.names():
        yield f"report {name}", lambda name=name: _shown(reports.run(name, snapshot))
    yield "sarif", lambda: (exir_viz.check(snapshot).to_sarif(), exir_viz.check(snapshot).to_json())
    for title, pair in (
        ("self", (snapshot, snapshot)),
        ("original", (original, snapshot)),
        ("back", (snapshot, original)),
    ):
        yield f"diff {title}", lambda pair=pair: _compared(*pair)


def _walk(snapshot: Snapshot) -> None:
    properties = (
        "name", "id", "op", "target", "value", "inputs", "users", "args", "kwargs", "subgraphs", "scope",
        "scopes", "frames", "torch_fn", "source_fns", "origins", "debug_handle", "specs", "extras",
    )  # fmt: skip
    for graph in snapshot.graphs:
        for what in ("signature", "delegate", "payload", "parent", "holder", "path"):
            getattr(graph, what)
        for node in graph:
            for what in properties:
                getattr(node, what)
    for method in snapshot.methods.values():
        list(method.graphs())
    dict(snapshot.delegation_reasons)


def _equal(one: Snapshot, other: Snapshot) -> None:
    assert one == other


def _shown(report: Any) -> None:
    report.table()
    for form in (str, repr, lambda one: one._repr_html_()):
        form(report)


def _compared(a: Snapshot, b: Snapshot) -> None:
    made = exir_viz.diff(a, b)
    for form in (str, lambda one: one.text(), markdown, lambda one: html([one])):
        form(made)
    table(made, "matches")


def profile_verbs(profile: Any, path: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Everything that can be done with a Profile without torch."""
    yield "profile str", lambda: (str(profile), repr(profile), profile._repr_html_())
    yield "profile list", lambda: [repr(cost) for cost in profile]
    yield "profile hottest", lambda: [profile.hottest(by=by) for by in ("node", "module", "op")]
    yield (
        "profile facts",
        lambda: (profile.memory, profile.peak, profile.ran, profile.doubts),
    )
    yield "profile trace", lambda: profile.to_trace(path.with_suffix(".json"))
    yield "profile csv", lambda: profile.to_csv(path.with_suffix(".csv"))
    yield "profile delegation", lambda: _shown(reports.run("delegation", profile))
    yield "profile source", lambda: _shown(reports.run("source", profile, profile=profile))
    yield "profile answer", lambda: program_answer(path)
    yield "profile page", lambda: html(profile.snapshot, profiles={"": profile})
    yield "profile save", lambda: profile.save(path.with_suffix(".saved.exirprofile"))


class Failure(Exception):
    """What a file did that it must not: the verb, and the error."""

    def __init__(self, verb: str, error: BaseException) -> None:
        super().__init__(f"{verb}: {type(error).__name__}: {str(error)[:200]}")
        frames = [one for one in traceback.extract_tb(error.__traceback__) if "/exir_viz/" in one.filename]
        last = frames[-1] if frames else None
        self.place = (
            f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}" if last else str(self)
        )
        self.verb = verb


def survives(seed: Seed, data: bytes, folder: Path, only: int | None = None) -> bool:
    """Whether a file is accepted; raises Failure where it does anything but that or a refusal.

    only: how many verbs are tried, drawn by the file's content; all by default.
    """
    path = folder / seed.name
    path.write_bytes(data)
    is_profile = seed.name.endswith(".exirprofile")
    try:
        opened = exir_viz.load(path)
    except FileError as error:
        if len(str(error)) > 2_000:
            raise Failure("load", error) from error
        return False
    except BaseException as error:
        raise Failure("load", error) from error
    snapshot = opened.snapshot if is_profile else opened
    chosen = list(profile_verbs(opened, path)) if is_profile else []
    if not is_profile or only is None:
        chosen += verbs(snapshot, _original(seed), path)
    if only is not None and len(chosen) > only:
        chosen = random.Random(len(data)).sample(chosen, only)
    for name, verb in chosen:
        try:
            verb()
        except ExirVizError as error:
            if len(str(error)) > 2_000:
                raise Failure(name, error) from error
            if name not in ("answer", "profile answer"):
                raise Failure(name, error) from error
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            raise Failure(name, error) from error
    return True


_originals: dict[str, Snapshot] = {}


def _original(seed: Seed) -> Snapshot:
    if seed.name not in _originals:
        if seed.name.endswith(".exirprofile"):
            _originals[seed.name] = profile_files.decode(seed.data).snapshot
        else:
            _originals[seed.name] = _loaded(seed.data, seed.name)
    return _originals[seed.name]


def main() -> int:
    """Make mutants for some minutes."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a folder for files that cause errors")
    parser.add_argument("--only", default="", help="part of the names of the files to change")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    failures: dict[str, tuple[int, str]] = {}
    slowest: list[tuple[float, str, int]] = []
    all_seeds = [seed for seed in seeds() if arguments.only in seed.name]
    start, number = time.process_time(), arguments.seed
    with tempfile.TemporaryDirectory() as folder:
        while time.process_time() - start < 60 * arguments.minutes:
            rng = random.Random(number)
            seed = rng.choice(all_seeds)
            data = seed.mutant(seed.data, rng)
            began = time.process_time()
            try:
                counts["accepted" if survives(seed, data, Path(folder), 6) else "refused"] += 1
            except Failure as failure:
                counts["failed"] += 1
                if failure.place not in failures:
                    failures[failure.place] = (number, str(failure))
                    print(f"{failure.place}  seed {number} of {seed.name}  {failure}", flush=True)
                    if arguments.keep:
                        (arguments.keep / f"{number}.{seed.name}").write_bytes(data)
            slowest = sorted([*slowest, (time.process_time() - began, seed.name, number)])[-3:]
            number += 1
    print(dict(counts), f"{len(failures)} places; slowest: {slowest}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
