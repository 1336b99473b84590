"""Files read for Jupyter's server: what is answered, who is refused, and that nothing leaves the root."""

from __future__ import annotations

import os
import random
import shutil
import socket
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import exir_viz
from exir_viz.snapshot.wire import Sections
from tests.corpus.programs import archive, fresh
from tests.readers import archives
from tests.readers.mutations import damage, pack, unpack, with_program
from tests.remedies.suggestions import suggests
from tests.server.jupyter import PATIENCE, TOKEN, Answer, Server
from tests.test_boundaries import loaded_by


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("server")
    root = place / "root"
    (root / "models").mkdir(parents=True)
    with Server(root, place / "config") as running:
        yield running


@pytest.fixture(scope="module", autouse=True)
def files(server: Server) -> None:
    root = server.folder
    shutil.copy(archive("module_called_twice"), root / "models" / "twice.pt2")
    shutil.copy(archive("module_called_twice", "core"), root / "models" / "core.pt2")
    exir_viz.load(archive("control_flow")).save(root / "flow.exirviz")
    session = exir_viz.Session(fresh("module_called_twice"))
    session.decompose()
    session.save(root / "session.exirviz")


def asked_in_thread(server: Server, path: str) -> tuple[threading.Thread, list[Answer]]:
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(server.program(path)))
    thread.start()
    return thread, answers


def test_a_program_is_answered_as_load_reads_it(server: Server) -> None:
    answer = server.program("models/twice.pt2")
    assert answer.status == 200
    assert Sections(answer.body, "answer").snapshot() == exir_viz.load(server.folder / "models" / "twice.pt2")


def test_two_programs_are_compared(server: Server) -> None:
    answer = server.diff("models/twice.pt2", "models/core.pt2")
    assert answer.status == 200
    sections = Sections(answer.body, "answer")
    assert sections.snapshot("b/") == exir_viz.load(server.folder / "models" / "core.pt2")
    assert "comparison" in sections
    assert "text" in sections
    assert "measured" not in sections


def test_a_session_is_answered_with_all_stages_and_two_are_compared(server: Server) -> None:
    answer = server.program("session.exirviz")
    assert answer.status == 200
    stages = exir_viz.Session.load(server.folder / "session.exirviz").stages
    sections = Sections(answer.body, "answer")
    assert [sections.snapshot(f"{stage.id}/") for stage in stages] == [stage.snapshot for stage in stages]
    compared = server.stages("session.exirviz", *(stage.id for stage in stages))
    assert compared.status == 200
    assert {*Sections(compared.body, "answer").places} == {"comparison", "text", "version"}
    assert server.stages("session.exirviz", stages[0].id, "s9").status == 422


def test_a_link_within_the_root_is_followed(server: Server) -> None:
    link = server.folder / "link.pt2"
    link.symlink_to(server.folder / "models" / "twice.pt2")
    assert server.program("link.pt2").body == server.program("models/twice.pt2").body


@pytest.mark.parametrize("token", ["", "wrong"])
@pytest.mark.parametrize(
    "path",
    [
        "program?path=flow.exirviz",
        "diff?a=flow.exirviz&b=flow.exirviz",
        "stages?path=session.exirviz&a=s0&b=s1",
    ],
)
def test_who_is_not_signed_in_is_refused(server: Server, path: str, token: str) -> None:
    answer = server.ask(f"exir-viz/{path}", token=token)
    assert answer.status == 403
    assert b"EXIRVIZ" not in answer.body


# What climbs out is written "{up}" here, as no file of this checkout names a path outside of it.
OUTSIDE = (
    "{up}/secret.exirviz",
    "models/{up}/{up}/secret.exirviz",
    "./{up}/secret.exirviz",
    "models/./{up}/./{up}/secret.exirviz",
    "/{up}/secret.exirviz",
    "//{up}/secret.exirviz",
    "{up}/root-two/secret.exirviz",
    "{up}%2fsecret.exirviz",
    "%2e%2e/secret.exirviz",
    "{up}\\secret.exirviz",
    "models\\{up}\\{up}\\secret.exirviz",
    "\N{FULLWIDTH FULL STOP}\N{FULLWIDTH FULL STOP}/secret.exirviz",
    "{up}\N{DIVISION SLASH}secret.exirviz",
    "{up}/secret.exirviz\0.pt2",
    "flow.exirviz\0/{up}/{up}/secret.exirviz",
    "{outside}/secret.exirviz",
    "/{outside}/secret.exirviz",
    "file://{outside}/secret.exirviz",
    "C:/secret.exirviz",
    "RTC:{up}/secret.exirviz",
    "~/secret.exirviz",
    "~root/secret.exirviz",
    "to-file.exirviz",
    "to-folder/secret.exirviz",
    "to-parent/secret.exirviz",
    "chain.exirviz",
    "to-hidden.exirviz",
    "in-circles.exirviz",
    "to-nothing.exirviz",
    ".hidden/secret.exirviz",
    ".secret.exirviz",
    "/proc/self/environ",
    "/etc/passwd",
    "models",
    "",
)


@pytest.fixture(scope="module")
def outside(server: Server) -> Path:
    """Files that must not be shown, and links to them from within."""
    root, outside = server.folder, server.folder.parent
    secret = outside / "secret.exirviz"
    for place in (outside, outside / "root-two", root / ".hidden"):
        place.mkdir(exist_ok=True)
        exir_viz.load(archive("control_flow")).save(place / secret.name)
    shutil.copy(secret, root / ".secret.exirviz")
    links = {
        "to-file.exirviz": secret,
        "to-folder": outside / "root-two",
        "to-parent": Path(".."),
        "chain.exirviz": root / "to-file.exirviz",
        "to-hidden.exirviz": root / ".hidden" / secret.name,
        "in-circles.exirviz": root / "in-circles.exirviz",
        "to-nothing.exirviz": root / "nothing",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return outside


@pytest.mark.parametrize("path", OUTSIDE, ids=repr)
def test_nothing_outside_of_the_root_is_shown(server: Server, outside: Path, path: str) -> None:
    answer = server.program(path.format(outside=outside, up=".."))
    assert 400 <= answer.status < 500
    assert set(answer.problem) == {"file", "reason", "remedy", "member"}
    assert b"EXIRVIZ" not in answer.body
    both = server.diff("flow.exirviz", path.format(outside=outside, up=".."))
    assert 400 <= both.status < 500
    assert b"EXIRVIZ" not in both.body


@pytest.mark.nightly
def test_the_secret_can_be_read_from_its_own_folder(outside: Path, tmp_path: Path) -> None:
    """What is refused above is a sound file: only its place is wrong."""
    with Server(outside, tmp_path / "config") as server:
        assert server.program("secret.exirviz").status == 200


def test_a_pipe_is_refused_and_nobody_waits_for_it(server: Server) -> None:
    os.mkfifo(server.folder / "pipe.pte")
    answer = server.program("pipe.pte")
    assert 400 <= answer.status < 500
    assert server.workers() == []


CANARY = "exir_viz_was_here"


def hostile(rng: random.Random) -> bytes:
    """An archive with code where a careless reader would execute it, or one that is damaged."""
    data = archives.saved("named_dims")
    members = unpack(data)
    match rng.randrange(3):
        case 0:
            return damage(data, rng)
        case 1:
            name = archives.member(members, "data/sample_inputs/model.pt")
            inner = unpack(members[name])
            payload = f"cos\nsystem\n(S'touch {CANARY}'\ntR."
            inner[archives.member(inner, "data.pkl")] = payload.encode()
            return pack({**members, name: pack(inner)})
        case _:

            def change(program: dict[str, dict[str, object]]) -> None:
                code = f"__import__('os').system('touch {CANARY}')"
                program["range_constraints"] = {code: {"min_val": 0, "max_val": 1}}

            return with_program(members, change)


def test_hostile_files_get_an_error_and_nothing_is_executed(server: Server) -> None:
    statuses = []
    for seed in range(10):
        name = f"hostile{seed}.pt2"
        (server.folder / name).write_bytes(hostile(random.Random(seed)))
        answer = server.program(name)
        statuses.append(answer.status)
        assert answer.status in (200, 422)
        if answer.status == 422:
            assert answer.problem["file"] == name
            assert answer.problem["reason"]
            assert answer.problem["remedy"]
    assert statuses.count(422) >= 5
    assert not Path(CANARY).exists()
    assert not list(server.folder.rglob(CANARY))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"PK\x03\x04", "no directory at its end"),
        (b"\x80\x02}q\x00.", "pickle"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        (b"EXIRPROF", "ends"),
    ],
)
def test_a_refusal_says_the_reason_and_the_remedy(server: Server, data: bytes, reason: str) -> None:
    (server.folder / "refused.pt2").write_bytes(data)
    answer = server.program("refused.pt2")
    assert answer.status == 422
    assert reason in answer.problem["reason"]
    assert answer.problem["remedy"].endswith(".")


def test_the_remedy_of_a_path_opens_a_file(server: Server) -> None:
    def opens(path: str) -> None:
        answer = server.program(path)
        if answer.status != 200:
            raise RuntimeError(answer.problem["remedy"])

    suggests("Check the name and the folder, and refresh the file browser.", opens, "twice.pt2")
    suggests("Choose a file.", opens, "models")
    opens("models/twice.pt2")


def test_a_killed_worker_becomes_an_error(server: Server) -> None:
    thread, answers = asked_in_thread(server, "models/twice.pt2")
    server.next_worker().kill()
    thread.join()
    (answer,) = answers
    assert answer.status == 500
    assert "ended unexpectedly" in answer.problem["reason"]
    assert server.program("models/twice.pt2").status == 200


def test_a_worker_ends_with_the_request_that_wanted_it(server: Server) -> None:
    path = "/exir-viz/program?path=models/twice.pt2"
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: token {TOKEN}\r\n\r\n"
        connection.sendall(request.encode())
        worker = server.next_worker()
        worker.suspend()  # it would never end by itself
    worker.wait(PATIENCE)
    assert server.program("models/twice.pt2").status == 200


def test_limits_of_time_memory_and_size_become_errors(server: Server, tmp_path: Path) -> None:
    def refused(**options: object) -> str:
        with Server(server.folder, tmp_path / "config", **options) as limited:
            answer = limited.program("models/twice.pt2")
            assert answer.status == 422
            assert limited.workers() == []
            return str(answer.problem["reason"])

    assert "more than 0.001 seconds" in refused(**{"ProgramReader.timeout": 0.001})
    assert "the limit is 100" in refused(**{"ProgramReader.answer": 100})
    assert "takes more than 20,000,000 bytes" in refused(**{"ProgramReader.memory": 20_000_000})


@pytest.mark.nightly
def test_weights_are_neither_read_nor_sent(server: Server, tmp_path: Path) -> None:
    """A `.pt2` with 2 GB of weights is answered as one without, by a worker that may allocate 100 MB."""
    small = server.folder / "models" / "twice.pt2"
    large = server.folder / "large.pt2"
    shutil.copy(small, large)
    add_sparse_weight(large, 2 << 30)
    assert large.stat().st_size > 2 << 30
    with Server(server.folder, tmp_path / "config", **{"ProgramReader.memory": 100 << 20}) as limited:
        answer = limited.program("large.pt2")
    assert answer.status == 200
    found = Sections(answer.body, "large").snapshot()
    assert found.text() == exir_viz.load(small).text()
    assert len(answer.body) < 1.1 * len(server.program("models/twice.pt2").body)


def add_sparse_weight(path: Path, size: int) -> None:
    """One more member of an archive, of zeros that take no place on disk."""
    with zipfile.ZipFile(path, "a") as archive:
        folder = archive.namelist()[0].partition("/")[0]
        info = zipfile.ZipInfo(f"{folder}/data/weights/weight_{len(archive.namelist())}")
        info.file_size = info.compress_size = size
        info.CRC = 0
        info.header_offset = archive.start_dir
        archive.fp.seek(archive.start_dir)
        archive.fp.write(info.FileHeader(zip64=True))
        archive.fp.seek(size, os.SEEK_CUR)
        archive.start_dir = archive.fp.tell()
        archive.filelist.append(info)
        archive.NameToInfo[info.filename] = info
        archive._didModify = True


def test_the_server_and_its_worker_do_without_torch() -> None:
    assert "exir_viz.server" not in loaded_by("import exir_viz")
    loaded = loaded_by("import exir_viz.server.handlers, exir_viz.server.worker")
    assert not loaded & {"torch", "executorch", "sympy", "pandas"}
    task = f"Task(({str(archive('module_called_twice'))!r},) * 2, 1 << 32, 1 << 28)"
    read = loaded_by(f"from exir_viz.server.worker import Task, perform; perform({task})")
    assert "exir_viz.compare.diff" in read
    assert not read & {"torch", "executorch", "sympy", "pandas"}
    assert not any(name.startswith("jupyter") for name in loaded_by("import exir_viz.server.answers"))
