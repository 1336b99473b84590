"""Sessions as files: what comes back, what else opens them, and files that lie."""

from __future__ import annotations

import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest

import exir_viz
from exir_viz import Session
from exir_viz.errors import FileError, FileTooLarge, MalformedFile, UnsupportedVersion
from exir_viz.snapshot.wire import PAGE, Header, Section, Sections
from exir_viz.stages import session_file
from exir_viz.stages.live import NotPossible
from exir_viz.stages.records import StageState
from tests.stages.failing import failing

from .modules import broken, small


@pytest.fixture(scope="module")
def session() -> Session:
    module, x = small()
    session = Session(module, x, name="mine")
    session.decompose("functional").decompose()
    failing(session.root.transform, broken)
    session.current = "functional"
    return session


@pytest.fixture
def path(session: Session, tmp_path: Path) -> Path:
    return session.save(tmp_path / "session.exirviz", absolute_paths=True)


def test_what_was_saved_comes_back(session: Session, path: Path) -> None:
    loaded = Session.load(path)
    assert [stage.snapshot for stage in loaded if not stage.failed] == [
        stage.snapshot for stage in session if not stage.failed
    ]
    for before, after in zip(session.record().stages, loaded.record().stages, strict=True):
        same = ("id", "name", "parent", "step", "dialect", "calls", "change", "failure", "findings")
        assert [getattr(before, one) for one in same] == [getattr(after, one) for one in same]
    assert loaded.current.name == "functional"
    assert [stage.lineage for stage in loaded] == [stage.lineage for stage in session]
    assert loaded.root.state is StageState.LOADED
    assert loaded["s3"].failed
    node = loaded.root.node("linear")
    assert [str(one) for one in loaded.root.descendants(node)] == [
        str(one) for one in session.root.descendants(session.root.node("linear"))
    ]


def test_a_loaded_session_is_for_looking(path: Path, tmp_path: Path) -> None:
    loaded = Session(path)
    with pytest.raises(NotPossible, match="has no live program"):
        loaded.decompose()
    assert all(offer.reason for stage in loaded.record().stages for offer in stage.offers)
    loaded["core"].rename("other")
    loaded["s3"].drop()
    again = Session.load(loaded.save(tmp_path / "again.exirviz"))
    assert [stage.name for stage in again] == ["mine", "functional", "other"]


def test_whatever_opens_a_snapshot_opens_the_stage_that_it_stood_at(session: Session, path: Path) -> None:
    assert exir_viz.load(path) == session["functional"].snapshot
    session.current = session["s3"]
    try:
        session.save(path, absolute_paths=True)
    finally:
        session.current = "functional"
    assert exir_viz.load(path) == session.root.snapshot
    assert Session.load(path).current.failed


def test_loading_needs_no_torch(path: Path) -> None:
    code = (
        "import sys; from exir_viz import Session; session = Session.load(sys.argv[1]); repr(session); "
        "session.root.descendants('linear'); print(sorted({'torch', 'executorch'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_snapshots_file_is_no_session(session: Session, tmp_path: Path) -> None:
    path = session.root.snapshot.save(tmp_path / "one.exirviz")
    with pytest.raises(MalformedFile, match=r"holds one Snapshot, not a session.*exir_viz\.load"):
        Session.load(path)


# -- files that lie ---------------------------------------------------------------------------------------


def rewrite(path: Path, change: Callable[[dict[str, Any]], None], schema: int | None = None) -> None:
    """Unpack a file, change its sections as JSON data, and pack it with sizes and sums that fit."""
    data = path.read_bytes()
    start = 12 + int.from_bytes(data[8:12], "big")
    header = msgspec.json.decode(data[12:start], type=Header)
    sections: dict[str, Any] = {}
    for section in header.sections:
        sections[section.name] = msgspec.json.decode(zlib.decompress(data[start : start + section.packed]))
        start += section.packed
    change(sections)
    raw = {name: msgspec.json.encode(value) for name, value in sections.items()}
    packed = {name: zlib.compress(value) for name, value in raw.items()}
    described = tuple(
        Section(name, len(packed[name]), len(raw[name]), zlib.crc32(raw[name])) for name in sections
    )
    head = msgspec.json.encode(Header(schema or header.schema, described))
    path.write_bytes(b"".join([data[:8], len(head).to_bytes(4, "big"), head, *packed.values()]))


def stages(sections: dict[str, Any]) -> list[dict[str, Any]]:
    return sections["stages"]["tree"]["stages"]


def _nest(sections: dict[str, Any]) -> None:
    deep: Any = 1
    for _ in range(50):
        deep = [deep]
    stages(sections)[1]["step"]["options"]["ops"] = deep


NO_PARENT = "no stage with this id and a program comes before it"
LIES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a parent after its child": (
        lambda s: stages(s)[1].update(parent="s2"),
        NO_PARENT,
    ),
    "a parent of the first stage": (
        lambda s: stages(s)[0].update(parent="s1"),
        "'s0' has a parent",
    ),
    "a parent that is itself": (
        lambda s: stages(s)[1].update(parent="s1"),
        NO_PARENT,
    ),
    "a failed parent": (lambda s: stages(s)[3].update(parent="s3"), NO_PARENT),
    "two roots": (
        lambda s: stages(s)[1].update(parent=None),
        "stage 's1' has no parent, and it is not the first",
    ),
    "one id twice": (lambda s: stages(s)[2].update(id="s1"), "called 's1'"),
    "an id that is a path": (lambda s: stages(s)[2].update(id="../../etc"), r"called '\.\./\.\./etc'"),
    "an id to come": (lambda s: s["stages"].update(made=1), "called 's1'"),
    "one name twice": (lambda s: stages(s)[2].update(name="mine"), "two stages have the same name"),
    "no stages": (lambda s: stages(s).clear(), "current stage is missing"),
    "standing nowhere": (lambda s: s["stages"].update(at="s9"), "current stage is missing"),
    "showing a failed one": (lambda s: s["stages"].update(shown="s3"), "current stage is missing"),
    "deep options": (_nest, "nested more than 20 deep"),
    "an unknown field": (lambda s: s["stages"].update(run="rm"), "does not follow the schema"),
    "no snapshot": (lambda s: s.pop("s2/skeleton"), "has no section 's2/skeleton'"),
    "lineage to nowhere": (
        lambda s: s["s2/lineage"]["ancestors"].__setitem__(-1, 10**9),
        "names a ancestor that is not there|names an ancestor|not there",
    ),
    "lineage of unequal columns": (lambda s: s["s2/lineage"]["nodes"].pop(), "differ in length"),
    "lineage without order": (lambda s: s["s2/lineage"]["nodes"].reverse(), "not in order|differ"),
    "a dangling node": (
        lambda s: s["s2/skeleton"]["graphs"][0]["values"].__setitem__(0, 10**6),
        "out of range",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_file_that_lies_is_refused(path: Path, lie: str) -> None:
    change, message = LIES[lie]
    rewrite(path, change)
    with pytest.raises(MalformedFile, match=message):
        Session.load(path)


def test_a_newer_file_is_refused_by_name(path: Path) -> None:
    rewrite(path, lambda sections: None, schema=99)
    with pytest.raises(UnsupportedVersion, match="schema 99"):
        Session.load(path)


def test_sizes_are_bounded_before_anything_is_unpacked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_file, "MAX_BYTES", 10_000)
    with pytest.raises(FileTooLarge, match="claims to unpack"):
        Session.load(path)


def test_a_damaged_file_is_a_file_error(path: Path) -> None:
    data = path.read_bytes()
    for cut in range(0, len(data), len(data) // 40):
        path.write_bytes(data[:cut])
        with pytest.raises(FileError):
            Session.load(path)
    start, page = Sections(data, path.name).places[PAGE]
    unread = range(start, start + page.packed)
    for at in {*range(0, len(data), len(data) // 40), start}:
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        with nullcontext() if at in unread else pytest.raises(FileError):
            Session.load(path)


def test_too_many_stages_for_one_file_are_refused(session: Session, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(session_file, "MAX_HEADER_BYTES", 300)
    with pytest.raises(NotPossible, match="drop stages that you do not need"):
        session.save(tmp_path / "large.exirviz")


def test_text_of_a_file_is_shown_as_text(path: Path) -> None:
    def change(sections: dict[str, Any]) -> None:
        stages(sections)[1]["name"] = "evil\x1b[31m"
        stages(sections)[3]["failure"]["reason"] = "bad\x1b]0;title\x07"

    rewrite(path, change)
    loaded = Session.load(path)
    assert "\x1b" not in repr(loaded)
    assert "\x1b" not in repr(loaded["s3"])
