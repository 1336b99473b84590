"""What the worker makes of files, without a server: programs, profiles, comparisons, problems."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import exir_viz
from exir_viz import errors
from exir_viz.compare.records import Comparison
from exir_viz.errors import FileError, MalformedFile
from exir_viz.measure.records import ProfileRecord
from exir_viz.server.answers import (
    Problem,
    diff_answer,
    page_answer,
    problem_of,
    program_answer,
    stages_answer,
)
from exir_viz.server.worker import ANSWERED, REFUSED, Task, opened, perform
from exir_viz.snapshot.wire import Sections
from tests.corpus.programs import archive, fresh
from tests.readers.test_wild_files import WILD
from tests.stages.failing import failing


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    measured = exir_viz.profile(fresh("module_called_twice"), repeats=1, warmup=1)
    return measured.save(tmp_path_factory.mktemp("profile") / "run.exirprofile")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three stages, one of which failed."""
    made = exir_viz.Session(fresh("module_called_twice"))
    made.decompose()
    failing(made.root.transform, _broken)
    return made.save(tmp_path_factory.mktemp("session") / "session.exirviz")


def _broken(graph_module: object) -> None:
    raise ValueError("this pass is broken")


def test_a_profile_comes_with_its_program(profile: Path) -> None:
    sections = Sections(program_answer(profile), "answer")
    saved = exir_viz.load(profile)
    assert sections.snapshot() == saved.snapshot
    assert msgspec.json.decode(sections.raw("profile"), type=ProfileRecord) == saved.record


def test_a_session_comes_with_all_stages(session: Path) -> None:
    sections = Sections(program_answer(session), "answer")
    saved = exir_viz.Session.load(session)
    stages = msgspec.json.decode(sections.raw("stages"))
    first, core, failed = saved.stages
    assert [one["name"] for one in stages["tree"]["stages"]] == [first.name, core.name, failed.name]
    assert [one["state"] for one in stages["tree"]["stages"]] == ["loaded", "loaded", "failed"]
    assert stages["at"] == saved.current.id
    assert [*stages["lineages"]] == [core.id]
    assert sections.snapshot(f"{first.id}/") == first.snapshot
    assert sections.snapshot(f"{core.id}/") == core.snapshot
    assert {f"{core.id}/page", f"{core.id}/reports"} <= {*sections.places}
    assert f"{failed.id}/skeleton" not in sections


def test_two_stages_of_a_session_are_compared_by_their_lineage(session: Path) -> None:
    first, core, failed = exir_viz.Session.load(session).stages
    sections = Sections(stages_answer(session, first.id, core.id), "answer")
    comparison = msgspec.json.decode(sections.raw("comparison"), type=Comparison)
    assert comparison == exir_viz.diff(first, core).comparison
    assert {*sections.places} == {"comparison", "text", "version"}
    for wrong in (failed.id, "s9"):
        with pytest.raises(MalformedFile, match=f"no program of stage '{wrong}'"):
            stages_answer(session, first.id, wrong)


def test_a_comparison_of_stages_names_the_version_of_the_file(session: Path) -> None:
    def version(answer: bytes) -> bytes:
        return Sections(answer, "answer").raw("version")

    first, core, _ = exir_viz.Session.load(session).stages
    read = version(program_answer(session))
    assert version(stages_answer(session, first.id, core.id)) == read
    changed = exir_viz.Session.load(session)
    changed[core.id].rename("another name")
    changed.save(session)
    assert version(stages_answer(session, first.id, core.id)) == version(program_answer(session)) != read


def test_a_file_of_one_program_has_no_stages_to_compare(tmp_path: Path) -> None:
    saved = exir_viz.load(archive("module_called_twice")).save(tmp_path / "one.exirviz")
    with pytest.raises(MalformedFile, match="no program of stage 's0'"):
        stages_answer(saved, "s0", "s1")


def test_a_page_of_a_session_has_all_stages(session: Path) -> None:
    page = page_answer(session).decode()
    assert [f'id="exirviz-stage-{number}"' in page for number in range(3)] == [True, True, False]


def test_two_profiles_are_compared_with_their_costs(profile: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.exirprofile"
    other.write_bytes(profile.read_bytes())
    sections = Sections(diff_answer(profile, other), "answer")
    assert "measured" in sections
    assert b'"a":"run.exirprofile","b":"other.exirprofile"' in sections.raw("comparison")


def test_files_of_one_name_are_distinguished(tmp_path: Path) -> None:
    places = []
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        places.append(tmp_path / folder / "model.pt2")
        places[-1].write_bytes(archive("module_called_twice").read_bytes())
    comparison = Sections(diff_answer(*places), "answer").raw("comparison")
    assert b'"a":"before/model.pt2","b":"after/model.pt2"' in comparison


AFTER_PREPARING = """
import json, sys
from exir_viz.server.worker import Task, perform, prepare
prepare()
known = {*sys.modules}
for paths in json.loads(sys.argv[1]):
    code, _ = perform(Task(tuple(paths), 1 << 32, 1 << 29))
    assert code == 0
print(*[name for name in sys.modules if name.startswith("exir_viz") and name not in known])
"""


def test_the_first_file_imports_nothing_after_preparing(session: Path, tmp_path: Path) -> None:
    program, core = (str(archive("control_flow", level)) for level in ("aten", "core"))
    pte = str(WILD / "executorch-1.4.1" / "linear.pte")
    saved = str(exir_viz.load(program).save(tmp_path / "flow.exirviz"))
    files = json.dumps([[program], [pte], [saved], [str(session)], [program, core]])
    done = subprocess.run(
        [sys.executable, "-c", AFTER_PREPARING, files], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_a_file_that_went_away_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    for place, why in ((tmp_path / "gone.pt2", "No such file or directory"), (tmp_path, "")):
        code, data = perform(Task((str(place),), 1 << 30, 1 << 20))
        problem = msgspec.json.decode(data, type=Problem)
        assert (code, problem.file) == (REFUSED, place.name)
        assert why in problem.reason


KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, FileError)]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not FileError])
def test_every_kind_of_file_error_has_a_remedy(kind: type[FileError]) -> None:
    assert problem_of(kind("model.pt2", "it is wrong")).remedy.endswith(".")
    assert problem_of(kind("model.pt2", "it is wrong", hint="Do this.")) == Problem(
        "model.pt2", "it is wrong", "Do this."
    )


def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    """Between the server's check and the worker's reading, the file or a folder above it is replaced."""
    data = archive("module_called_twice").read_bytes()
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "models", outside):
        folder.mkdir(parents=True)
        (folder / "model.pt2").write_bytes(data)
    place = root / "models" / "model.pt2"
    task = Task((str(place),), 1 << 30, 1 << 20, root=str(root))
    assert perform(task)[0] == ANSWERED
    with opened([place], str(root)) as (kept,):
        place.unlink()
        place.symlink_to(outside / "model.pt2")
        assert kept.name == "model.pt2"
        assert os.path.samestat(kept.stat(), (outside / "model.pt2").stat()) is False
        assert kept.read_bytes() == data
    code, problem = perform(task)
    assert (code, msgspec.json.decode(problem, type=Problem).file) == (REFUSED, "model.pt2")
    place.unlink()
    (root / "models").rmdir()
    (root / "models").symlink_to(outside, target_is_directory=True)
    assert perform(task)[0] == REFUSED


def test_the_worker_answers_or_says_why_not(tmp_path: Path) -> None:
    def code(path: Path, answer: int = 1 << 20) -> int:
        return perform(Task((str(path),), 1 << 30, answer))[0]

    sound = archive("module_called_twice")
    damaged = tmp_path / "damaged.pt2"
    damaged.write_bytes(sound.read_bytes()[:100])
    assert code(sound) == ANSWERED
    assert code(sound, answer=100) == REFUSED
    assert code(damaged) == REFUSED
