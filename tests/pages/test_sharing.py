"""What leaves the machine: no absolute path unless asked for, and no source text where it is left out."""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz import cli
from exir_viz.measure.files import MAGIC as PROFILE
from exir_viz.pages import html as page_module
from exir_viz.snapshot.columns import Detail
from exir_viz.snapshot.frames import is_users
from exir_viz.snapshot.records import Frame
from exir_viz.snapshot.redaction import Redaction, redacted
from exir_viz.snapshot.snapshot import Snapshot
from tests.snapshot.sample import sample
from tests.stages.failing import failing

SECRET = "a_name_that_only_the_source_has"
MODEL = f"""
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        {SECRET} = self.linear(x)
        return torch.relu({SECRET})

def fails(module):
    raise ValueError("in " + __file__)  # {SECRET}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's project, with a module in a folder of it."""
    root = tmp_path_factory.mktemp("the_users_folder") / "project"
    (root / "src").mkdir(parents=True)
    (root / "pyproject.toml").write_text("")
    (root / "src" / "model.py").write_text(MODEL)
    return root


@pytest.fixture(scope="module")
def made(project: Path) -> SimpleNamespace:
    """A program of that project, and one of each thing that can be written; one step of the session fails."""
    file = project / "src" / "model.py"
    spec = importlib.util.spec_from_file_location("the_users_model", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    session = exir_viz.Session(module.Model(), torch.ones(2, 4))
    core = session.decompose()
    failing(session.root.transform, module.fails)
    profile = exir_viz.profile(session.root, repeats=1, warmup=1)
    values = exir_viz.diff(session.root, core).values()
    return SimpleNamespace(
        session=session, snapshot=session.root.snapshot, profile=profile, values=values, diff=values.diff
    )


@pytest.fixture(autouse=True)
def _assets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A front end of no size."""
    monkeypatch.setattr(page_module, "_asset", {"page.js": "", "explorer.css": ""}.__getitem__)


Write = Callable[[SimpleNamespace, Path, dict[str, bool]], Path]

WAYS_OUT: dict[str, Write] = {
    "snapshot.to_html": lambda m, to, o: m.snapshot.to_html(to / "a.html", **o),
    "session.to_html": lambda m, to, o: m.session.to_html(
        to / "a.html", compare=["export", "core"], values=[m.values], profiles=[m.profile], **o
    ),
    "diff.to_html": lambda m, to, o: m.diff.to_html(to / "a.html", values=m.values, **o),
    "values.to_html": lambda m, to, o: m.values.to_html(to / "a.html", **o),
    "profile.to_html": lambda m, to, o: m.profile.to_html(to / "a.html", **o),
    "explorer.to_html": lambda m, to, o: exir_viz.explore(m.session).to_html(to / "a.html", **o),
    "snapshot.save": lambda m, to, o: m.snapshot.save(to / "a.exirviz", **o),
    "session.save": lambda m, to, o: m.session.save(to / "a.exirviz", **o),
    "profile.save": lambda m, to, o: m.profile.save(to / "a.exirprofile", **o),
}


@pytest.mark.parametrize("way", WAYS_OUT)
def test_no_way_out_has_absolute_paths_or_unwanted_source_text(
    way: str, made: SimpleNamespace, project: Path, tmp_path: Path
) -> None:
    folder = project.parent.name
    by_default = unpacked(WAYS_OUT[way](made, tmp_path, {}))
    assert folder not in by_default
    assert "src/model.py" in by_default
    assert SECRET in by_default
    without = unpacked(WAYS_OUT[way](made, tmp_path, {"sources": False}))
    assert folder not in without
    assert SECRET not in without
    assert "src/model.py" in without
    whole = unpacked(WAYS_OUT[way](made, tmp_path, {"absolute_paths": True}))
    assert (project / "src" / "model.py").as_posix() in whole


@pytest.mark.parametrize("writer", ["to_csv", "to_trace"])
def test_tables_and_traces_have_relative_paths(
    writer: str, made: SimpleNamespace, project: Path, tmp_path: Path
) -> None:
    write = getattr(made.profile, writer)
    assert project.parent.name not in write(tmp_path / "a").read_text()
    assert (project.parent.name in write(tmp_path / "b", absolute_paths=True).read_text()) == (
        "src/model.py" in write(tmp_path / "a").read_text()
    )


def test_what_a_saved_notebook_keeps_has_relative_paths(made: SimpleNamespace, project: Path) -> None:
    widgets: list[Any] = [
        exir_viz.explore(made.snapshot), exir_viz.explore(made.session), made.diff.explore(),
    ]  # fmt: skip
    for widget in widgets:
        kept = "".join(_text(part) for part in widget._program)
        assert project.parent.name not in kept
        assert "src/model.py" in kept


def test_the_command_has_the_same_options(
    made: SimpleNamespace, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = made.snapshot.save(tmp_path / "a.exirviz", absolute_paths=True)
    other = made.session["core"].snapshot.save(tmp_path / "b.exirviz", absolute_paths=True)
    saved, page, table = tmp_path / "c.exirviz", tmp_path / "c.html", tmp_path / "c.csv"
    for options, has_folder, has_text in (
        ([], False, True),
        (["--no-sources"], False, False),
        (["--absolute-paths"], True, True),
    ):
        assert cli.main(["convert", str(source), "-o", str(saved), *options]) == 0
        assert cli.main(["diff", str(source), str(other), "--html", str(page), *options]) == 0
        assert cli.main(["tables", str(source), "nodes", "-o", str(table), *options]) == 0
        capsys.readouterr()
        assert cli.main(["tables", str(source), "nodes", *options]) == 0
        assert capsys.readouterr().out == table.read_text(), "what is printed is what is written"
        for written in (saved, page, table):
            text = unpacked(written)
            assert (project.parent.name in text, SECRET in text) == (has_folder, has_text)
            assert "src/model.py" in text


def test_what_is_read_again_differs_in_paths_alone(made: SimpleNamespace, tmp_path: Path) -> None:
    saved = made.snapshot.save(tmp_path / "a.exirviz")
    assert exir_viz.load(saved) != made.snapshot
    assert exir_viz.diff(exir_viz.load(saved), made.snapshot).is_empty
    assert exir_viz.load(saved) == exir_viz.load(exir_viz.load(saved).save(tmp_path / "b.exirviz"))
    assert exir_viz.load(made.snapshot.save(saved, absolute_paths=True)) == made.snapshot
    nodes = zip(
        made.snapshot.method.graph, exir_viz.load(made.snapshot.save(saved)).method.graph, strict=True
    )
    for node, written in nodes:
        assert [is_users(one.file) for one in node.frames] == [is_users(one.file) for one in written.frames]


def test_without_sources_the_code_form_has_files_and_lines(made: SimpleNamespace) -> None:
    text = redacted(made.snapshot, sources=False).text()
    assert re.search(r"# File: src/model\.py:\d+ in forward$", text, re.MULTILINE)
    assert "No stacktrace" not in text


def of(*files: str) -> Snapshot:
    """A Snapshot with these files in its frames."""
    detail: Detail = sample().detail
    frames = tuple(Frame(file, 1, "forward", "x = 1") for file in files)
    return Snapshot(sample().skeleton, type(detail)(detail.methods, detail.graphs, frames=frames))


@pytest.mark.parametrize(
    ("files", "written"),
    [
        (["/v/lib/site-packages/torch/nn/modules/linear.py"], ["site-packages/torch/nn/modules/linear.py"]),
        (["C:\\v\\Lib\\site-packages\\torch\\nn\\x.py"], ["site-packages/torch/nn/x.py"]),
        (["/usr/lib/python3.12/runpy.py"], ["python3.12/runpy.py"]),
        (["/build/elsewhere/torch/nn/modules/linear.py"], ["torch/nn/modules/linear.py"]),
        (["/home/no_one_here/work/model.py"], ["model.py"]),
        (["/home/no_one_here/work/a/model.py", "/home/no_one_here/work/b.py"], ["a/model.py", "b.py"]),
        (["/home/no_one_here/a.py", "/opt/no_such/b.py"], ["a.py", "opt/no_such/b.py"]),
        (["model.py", "/home/no_one_here/model.py"], ["model.py", "2/model.py"]),
        (["<string>", "", "src/model.py"], ["<string>", "", "src/model.py"]),
    ],
)  # fmt: skip
def test_where_a_file_is_said_to_be(files: list[str], written: list[str]) -> None:
    assert [frame.file for frame in redacted(of(*files)).detail.frames] == written
    assert [frame.file for frame in redacted(of(*files), absolute_paths=True).detail.frames] == files


def test_two_files_never_become_one_and_one_file_stays_one() -> None:
    one, other = of("/home/no_one_here/a/x.py"), of("/home/somebody_else/a/x.py", "/home/no_one_here/a/x.py")
    share = Redaction([one, other])
    first = share.snapshot(one).detail.frames[0].file
    second, again = (frame.file for frame in share.snapshot(other).detail.frames)
    assert first == again
    assert first != second
    later = share.snapshot(of("/home/a_third_one/a/x.py")).detail.frames[0].file
    assert later not in (first, second)


def test_messages_lose_what_they_quote() -> None:
    said = (
        'It failed:\n  File "/home/no_one_here/model.py", line 3, in forward\n    x = secret(y)\n'
        "at /home/no_one_here/model.py:3"
    )
    assert "/home" not in Redaction().text(said)
    assert "secret" in Redaction().text(said)
    without = Redaction(sources=False).text(said)
    assert "secret" not in without
    assert "line 3, in forward" in without
    assert Redaction(absolute_paths=True).text(said) == said


def unpacked(path: Path) -> str:
    """All that a written file holds, as text."""
    data = path.read_bytes()
    if path.suffix == ".html":
        page = data.decode()
        parts = [base64.b64decode(one) for one in re.findall(r"octet-stream\" id=\"[\w-]+\">([^<]*)<", page)]
        return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL) + "".join(map(_text, parts))
    return _text(data)


def _text(data: bytes) -> str:
    """Plain text, and every zlib stream in it."""
    found, at = [data.decode("utf-8", "replace")], 0
    while (at := data.find(b"\x78", at)) >= 0:
        with contextlib.suppress(zlib.error):  # not every such byte begins a stream
            found.append(zlib.decompressobj().decompress(data[at:]).decode("utf-8", "replace"))
        at += 1
    return "".join(found)


def test_the_search_of_a_written_file_finds_what_is_in_it(tmp_path: Path, made: SimpleNamespace) -> None:
    path = made.profile.save(tmp_path / "a.exirprofile", absolute_paths=True)
    assert path.read_bytes().startswith(PROFILE)
    assert "linear" in unpacked(path)
