"""What errors about files suggest works: reading, writing, loading as live programs, Jupyter's server."""

from __future__ import annotations

import io
import json
import os
import threading
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

import exir_viz
from exir_viz import Session, upgrade_hint
from exir_viz.errors import FileTooLarge, MalformedFile, TruncatedFile, UnknownFormat, UnsupportedVersion
from exir_viz.server import worker
from exir_viz.server.answers import Problem, problem_of, program_answer, stages_answer
from exir_viz.server.reader import ProgramReader, Unreadable
from exir_viz.snapshot.file_writing import find_place
from tests.corpus.programs import ROOT, archive
from tests.readers import archives
from tests.readers.mutations import pack, program_of, unpack
from tests.remedies.suggestions import suggests
from tests.snapshot.sample import sample

LINEAR = torch.nn.Linear(4, 2)
X = torch.randn(3, 4)


def program() -> torch.export.ExportedProgram:
    return torch.export.export(LINEAR, (X,))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.pt2"
    torch.export.save(program(), path)
    return path


def opens(path: Path) -> None:
    assert exir_viz.load(path).method.graph


def test_another_file_is_passed(model: Path, tmp_path: Path) -> None:
    text = archives.write(tmp_path, b"import torch\n", "model.py")
    suggests("Pass a .pt2, .pte, ETRecord or .exirviz file.", exir_viz.load, text)
    opens(model)
    opens(exir_viz.load(model).save(tmp_path / "model.exirviz"))


def test_a_pointer_is_replaced_by_its_file(model: Path, tmp_path: Path) -> None:
    path = archives.write(tmp_path, b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n")
    suggests("Fetch the file with `git lfs pull`.", exir_viz.load, path)
    path.write_bytes(model.read_bytes())
    opens(path)


def test_weights_are_exported_instead(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "weights.pt"
    for is_zip in (True, False):
        torch.save(LINEAR.state_dict(), path, _use_new_zipfile_serialization=is_zip)
        suggests(
            "Export the module with torch.export.export, and save the result with torch.export.save.",
            exir_viz.load,
            path,
        )
    opens(model)


def test_compiled_code_is_saved_as_a_program_instead(model: Path, tmp_path: Path) -> None:
    path = archives.write(tmp_path, pack({"model/data/aotinductor/model/code.so": b"code"}))
    suggests("Save the original program with torch.export.save, and load that file.", exir_viz.load, path)
    opens(model)


def test_a_file_that_was_cut_off_is_copied_again(model: Path, tmp_path: Path) -> None:
    path = archives.write(tmp_path, model.read_bytes()[:-1000])
    suggests("copy or download it again.", exir_viz.load, path)
    path.write_bytes(model.read_bytes())
    opens(path)


def test_a_program_of_an_old_schema_is_saved_again(model: Path, tmp_path: Path) -> None:
    members = unpack(model.read_bytes())
    name = program_of(members)
    older = json.loads(members[name])
    older["schema_version"]["major"] = 7
    path = archives.write(tmp_path, pack({**members, name: json.dumps(older).encode()}))
    suggests("Load it with the torch that saved it, and save it again with a newer one.", exir_viz.load, path)
    opens(model)


def test_a_file_of_weights_leads_to_the_pte(tmp_path: Path) -> None:
    pte = next((ROOT / "tests" / "readers" / "wild").rglob("*.pte"))
    data = pte.read_bytes()
    path = archives.write(tmp_path, data[:4] + b"FT01" + data[8:], "model.pte")
    suggests("open the .pte that uses it", exir_viz.load, path)
    opens(pte)


def test_a_file_in_the_folder_is_passed(model: Path) -> None:
    for verb in (exir_viz.load, exir_viz.explore, exir_viz.check, exir_viz.load, Session.load):
        suggests("Pass the path of a file in it.", verb, model.parent)
    suggests("Pass the path of a file in it.", exir_viz.load, model.parent, trust=True)
    opens(model)


def test_what_a_pipe_brings_is_written_to_a_file(model: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.pt2"
    os.mkfifo(pipe)
    suggests("Write what comes from it to a file, and open that.", exir_viz.load, pipe)
    sender = threading.Thread(target=pipe.write_bytes, args=(model.read_bytes(),))
    sender.start()
    path = archives.write(tmp_path, pipe.read_bytes())
    sender.join()
    opens(path)


def test_an_older_exir_viz_is_upgraded_as_it_was_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Installed:
        def __init__(self, note: object) -> None:
            self.note = note

        def read_text(self, _name: str) -> str | None:
            return None if self.note is None else json.dumps(self.note)

    def fails(note: object) -> None:
        raise UnsupportedVersion("a.pte", "it is newer", hint=upgrade_hint.hint_for(Installed(note)))  # type: ignore[arg-type]

    suggests("Upgrade exir_viz:", fails, None)
    suggests("Upgrade exir_viz, in its checkout:", fails, {"dir_info": {"editable": True}})
    suggests("Install a newer exir_viz.", fails, {"archive_info": {}})
    suggests("Use a newer exir_viz.", no_package, monkeypatch)
    # The commands name our package and pip's own options.
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'name = "{upgrade_hint.INDEX.split()[-1]}"' in project
    for command in (upgrade_hint.CHECKOUT, upgrade_hint.EDITABLE):
        assert command.startswith("git pull && pip install ")
        assert command.endswith(" .")


def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_name: str) -> None:
        raise PackageNotFoundError

    with monkeypatch.context() as patch:
        patch.setattr(upgrade_hint, "distribution", absent)
        raise UnsupportedVersion("a.pte", "it is newer", hint=upgrade_hint.upgrade_hint.__wrapped__())


# --- writing ---------------------------------------------------------------------------------------------


def test_another_place_is_named_for_a_file(tmp_path: Path) -> None:
    save = sample().save
    suggests("Name another file.", find_place, tmp_path / "a\0b.exirviz")
    suggests("Name a file in it.", save, tmp_path)
    suggests("Create it, or name another.", save, tmp_path / "new" / "a.exirviz")
    good = save(tmp_path / "a.exirviz")
    suggests("Name another folder.", save, good / "b.exirviz")
    (tmp_path / "new").mkdir()
    for path in (tmp_path / "b.exirviz", tmp_path / "new" / "a.exirviz"):
        opens(save(path))


def test_permissions_are_changed_or_another_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample().save(tmp_path / "a.exirviz")
    with monkeypatch.context() as patch:  # root may write everything
        patch.setattr(os, "access", lambda place, _mode: Path(place) != path)
        suggests("Name another file, or change its permissions.", sample().save, path)
        opens(sample().save(tmp_path / "b.exirviz"))
    opens(sample().save(path))


def test_space_is_freed_or_another_file_is_named(tmp_path: Path) -> None:
    suggests("Name another file, or free space or change permissions.", sample().save, Path("/dev/full"))
    opens(sample().save(tmp_path / "a.exirviz"))


# --- live programs ---------------------------------------------------------------------------------------


def changed(folder: Path, old: bytes, new: bytes) -> Path:
    members = unpack(archives.saved("pytree_inputs"))
    name = program_of(members)
    assert old in members[name]
    return archives.write(folder, pack({**members, name: members[name].replace(old, new)}))


def test_a_file_is_loaded_live_with_trust(model: Path) -> None:
    assert isinstance(exir_viz.load(model, trust=True).program, torch.export.ExportedProgram)
    opens(model)


def test_a_module_that_registers_a_class_or_an_op_is_imported(tmp_path: Path) -> None:
    path = changed(tmp_path, b"tests.corpus.concepts.Batch", b"elsewhere.Batch")
    suggests("Import the module that defines Batch", exir_viz.load, path, trust=True)
    opens(path)
    library = torch.library.Library("exir_viz_late", "DEF")
    path = changed(tmp_path, b"torch.ops.aten.add.Tensor", b"torch.ops.exir_viz_late.add.Tensor")
    suggests("Import the package that defines this op, then open the file again.",
             exir_viz.load, path, trust=True)  # fmt: skip
    library.define("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
    library.impl("add.Tensor", lambda a, b: a + b, "CompositeExplicitAutograd")
    assert isinstance(exir_viz.load(path, trust=True).program, torch.export.ExportedProgram)


def test_an_edge_program_is_read_and_the_exported_one_run(tmp_path: Path) -> None:
    edge = b"executorch.exir.dialects.edge._ops.aten.add.Tensor"
    path = changed(tmp_path, b"torch.ops.aten.add.Tensor", edge)
    suggests("Run the program that it was lowered from.", exir_viz.load, path, trust=True)
    opens(path)
    before = exir_viz.load(archive("pytree_inputs"), trust=True).program
    args, kwargs = before.example_inputs
    before.module()(*args, **kwargs)


def test_a_pass_is_checked_with_lint() -> None:
    graph_module = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()))
    first, second = [node for node in graph_module.graph.nodes if node.op == "call_module"]
    second.append(first)
    (notice,) = [one.text for one in exir_viz.load(graph_module).notices if one.code == "order"]

    def fails() -> None:
        raise RuntimeError(notice)

    suggests("Fix the pass that made it;", fails)
    suggests("check the graph with graph.lint().", fails)
    with pytest.raises(RuntimeError):
        graph_module.graph.lint()
    first.append(second)
    graph_module.graph.lint()
    assert not [one for one in exir_viz.load(graph_module).notices if one.code == "order"]


# --- Jupyter's server ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [TruncatedFile, FileTooLarge, UnsupportedVersion, UnknownFormat, MalformedFile],
    ids=lambda one: one.__name__,
)
def test_the_page_of_a_wrong_file_leads_to_a_right_one(
    error: type[exir_viz.errors.FileError], model: Path, tmp_path: Path
) -> None:
    def fails() -> None:
        problem = problem_of(error("model.pt2", "it is wrong"))
        raise RuntimeError(problem.remedy)

    if error is TruncatedFile:
        suggests("Copy, download or save it again.", fails)
    elif error is FileTooLarge:
        suggests("Save a smaller part of the model.", fails)
    elif error is UnsupportedVersion:
        suggests("Save the file again with a version that this exir_viz reads.", fails)
    elif error is UnknownFormat:
        suggests("Open a .pt2, .pte, ETRecord, .exirviz or .exirprofile file.", fails)
        profile = exir_viz.profile(program(), repeats=1, warmup=1).save(tmp_path / "run.exirprofile")
        assert program_answer(profile)
        assert program_answer(exir_viz.load(model).save(tmp_path / "model.exirviz"))
    else:
        suggests("Save the file again.", fails)
    again = tmp_path / "again.pt2"
    torch.export.save(program(), again)
    assert program_answer(again)


def perform(*paths: Path) -> Any:
    code, data = worker.perform(worker.Task(tuple(map(str, paths)), 1 << 32, 1 << 24))
    if code == worker.ANSWERED:
        return data
    raise RuntimeError(msgspec.json.decode(data, type=Problem).remedy)


def test_a_file_that_is_gone_is_put_back(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    suggests("Check that it is still there and that you may read it.", perform, path)
    path.write_bytes(model.read_bytes())
    assert perform(path)


def test_a_session_that_changed_on_disk_is_read_again(model: Path, tmp_path: Path) -> None:
    session = exir_viz.Session(exir_viz.load(model, trust=True).program)
    path = session.save(tmp_path / "session.exirviz")
    made = session.decompose().id
    suggests("Reload the file: it may have changed.", stages_answer, path, session.root.id, made)
    session.save(path)
    assert program_answer(path)
    assert stages_answer(path, session.root.id, made)


def test_a_reader_that_took_too_long_or_ended_is_tried_again(model: Path) -> None:
    def checks(reader: ProgramReader, code: int | None) -> None:
        try:
            reader._check(code, "model.pt2", io.BytesIO(), io.BytesIO())
        except Unreadable as error:
            raise RuntimeError(error.problem.remedy) from error

    reader = ProgramReader()
    suggests("Try again when the machine is idle, or raise c.ProgramReader.timeout", checks, reader, None)
    suggests("Try again.", checks, reader, 9)
    assert "timeout" in ProgramReader.class_trait_names(config=True)
    assert program_answer(model)
