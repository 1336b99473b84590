"""The explorer of a session: what it answers of stages, and the steps it makes. Without ExecuTorch."""

from __future__ import annotations

import gc
import json
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz import Session
from exir_viz.errors import ExirVizError
from exir_viz.snapshot.redaction import redacted
from exir_viz.snapshot.wire import decode, encode_detail, encode_skeleton
from exir_viz.stages.step_runner import runner
from exir_viz.widget.node_names import UnknownName
from exir_viz.widget.session_explorer import SessionExplorer
from tests.stages.modules import small

PATIENCE = 60


class Recorded(SessionExplorer):
    """An explorer whose messages are kept instead of sent."""

    def __init__(self, session: Session) -> None:
        self.sent: list[tuple[Any, Any]] = []
        self.answered = threading.Condition()
        super().__init__(session)

    def send(self, content: Any, buffers: Any = None) -> None:
        json.dumps(content)  # whatever is sent must be plain
        with self.answered:
            self.sent.append((content, buffers or []))
            self.answered.notify_all()

    def ask(self, what: str, **fields: Any) -> tuple[Any, Any]:
        """The answer to a question with a number."""
        number = len(self.sent) + 1000
        question = {"kind": "ask", "what": what, "from": "view", "n": number, **fields}
        self._receive(self, question, [])
        with self.answered:
            assert self.answered.wait_for(lambda: self._answer_to(number), PATIENCE)
        return self._answer_to(number)[0]

    def ask_as(self, view: str) -> list[Any]:
        """The progress that a view gets after its first question."""
        self._receive(self, {"kind": "ask", "what": "life", "from": view}, [])
        return [one for one, _ in self.sent if one["kind"] == "progress" and one["to"] == view]

    def kinds(self) -> list[str]:
        return [content["kind"] for content, _ in self.sent]

    def _answer_to(self, number: int) -> list[tuple[Any, Any]]:
        return [each for each in self.sent if each[0].get("n") == number]


@pytest.fixture
def session() -> Session:
    return Session(*small())


@pytest.fixture
def explorer(session: Session) -> Iterator[Recorded]:
    explorer = Recorded(session)
    yield explorer
    explorer.close()


def test_a_live_program_begins_a_session_and_a_snapshot_does_not() -> None:
    module, x = small()
    of_module = exir_viz.explore(module, x)
    of_program = exir_viz.explore(torch.export.export(module, (x,)))
    assert [type(each).__name__ for each in (of_module, of_program)] == ["SessionExplorer"] * 2
    of_graph = exir_viz.explore(torch.fx.symbolic_trace(torch.nn.ReLU()))
    alone = (of_graph, exir_viz.explore(of_module.snapshot))
    assert [type(each).__name__ for each in alone] == ["Explorer"] * 2


def test_the_form_of_a_program_without_its_module_says_what_it_cannot() -> None:
    module, x = small()
    explorer = Recorded(Session(torch.export.export(module, (x,))))
    assert "This exports the program's own module" in explorer.ask("inputs", stage="s0")[0]["note"]
    explorer.close()


def test_a_saved_session_is_explored_as_one(session: Session, tmp_path: Path) -> None:
    session.decompose()
    shown = exir_viz.explore(session.save(tmp_path / "session.exirviz"))
    assert isinstance(shown, SessionExplorer)
    assert [stage.name for stage in shown.session] == ["export", "core"]
    alone = session.root.snapshot.save(tmp_path / "alone.exirviz")
    assert not isinstance(exir_viz.explore(alone), SessionExplorer)


def test_the_first_page_gets_the_tree_and_the_stage_it_begins_with(session: Session) -> None:
    core = session.decompose()
    tree, skeleton, detail = Recorded(session)._program
    told = json.loads(tree)
    assert [each["id"] for each in told["tree"]["stages"]] == ["s0", "s1"]
    assert [each["code"] for each in told["tree"]["stages"]] == [stage.code() for stage in session]
    assert told["at"] == "s1"
    assert (skeleton, detail) == (encode_skeleton(core.snapshot), encode_detail(redacted(core.snapshot)))


def test_a_view_that_comes_later_hears_of_all_stages(explorer: Recorded, session: Session) -> None:
    core = session.decompose()
    explorer.go(session.root)
    heard = len(explorer.sent)
    explorer.ask("life")
    told = [content for content, _ in explorer.sent[heard:] if content["kind"] == "stages"]
    assert [(each["to"], each["at"], len(each["tree"]["stages"])) for each in told] == [("view", "s0", 2)]
    explorer.ask("life")
    explorer.go(core)
    assert [content["kind"] for content, _ in explorer.sent[heard:]].count("stages") == 2


def test_python_asks_for_stages_side_by_side(explorer: Recorded, session: Session) -> None:
    core = session.decompose()
    explorer.ask("life")
    explorer.compare()
    explorer.compare(core, session.root)
    explorer.compare("export", "core")
    orders = [content["stages"] for content, _ in explorer.sent if content.get("action") == "compare"]
    assert orders == [["s0", "s1"], ["s1", "s0"], ["s0", "s1"]]
    with pytest.raises(ExirVizError, match=r"two stages to compare.* export, core"):
        explorer.compare("core", core)
    with pytest.raises(ExirVizError, match="No stage 'edge'"):
        explorer.compare("export", "edge")
    with pytest.raises(ExirVizError, match="'export' is not a stage of this session"):
        explorer.compare(core, Session(*small()).root)


def test_what_was_compared_is_kept_while_its_stages_are(explorer: Recorded, session: Session) -> None:
    session.decompose()
    a, b = explorer.ask("diff", a="s0", b="s1"), explorer.ask("diff", a="s1", b="s0")
    assert a[1] != b[1]
    kept = dict(explorer._diffs)
    explorer.ask("text", a="s0", b="s1")
    assert explorer._diffs == kept
    explorer.ask("drop", stage="s1")
    explorer.ask("diff", a="s0", b="s0")
    assert list(explorer._diffs) == [("s0", "s0")]


def test_a_step_is_made_and_told(explorer: Recorded, session: Session) -> None:
    message, _ = explorer.ask("run", stage="s0", step="decompose", options={"ops": "core"})
    assert message == {"kind": "run", "stage": "s1", "n": message["n"], "to": "view"}
    assert [stage.name for stage in session] == ["export", "core"]
    kinds = explorer.kinds()
    assert {"stages", "progress"} <= set(kinds)
    progress = [content for content, _ in explorer.sent if content["kind"] == "progress"]
    assert progress[0]["stage"] == "s0"
    assert "stage" not in progress[-1]  # it is over
    stages = [content for content, _ in explorer.sent if content["kind"] == "stages"][-1]
    assert stages["at"] == "s1"


def test_stages_are_answered_one_by_one(explorer: Recorded, session: Session) -> None:
    core = session.decompose()
    assert explorer.ask("skeleton", stage="s1")[1] == [encode_skeleton(core.snapshot)]
    assert explorer.ask("detail", stage="s0")[1] == [encode_detail(redacted(session.root.snapshot))]
    lineage = json.loads(explorer.ask("lineage", stage="s1")[1][0])
    assert set(lineage["kinds"]) <= {"from_node", "identity"}
    assert len(lineage["nodes"]) >= len(core.snapshot.method.graph) - 1


def test_operators_inputs_cards_and_previews_are_answered(explorer: Recorded) -> None:
    rows = explorer.ask("ops", stage="s0")[0]["rows"]
    linear = next(row for row in rows if row["op"] == "aten.linear.default")
    assert (linear["count"], linear["decomposes"]) == (1, True)
    [row] = [each for each in explorer.ask("inputs", stage="s0")[0]["rows"] if each["dim"] == 0]
    assert (row["input"], row["size"]) == ("x", 2)
    assert explorer.ask("inputs", stage="s0")[0]["note"] == ""  # the session has the module
    card = explorer.ask("explain", stage="s0", op="aten.linear.default")[0]["card"]
    assert card["uses"] == 1
    _, [file] = explorer.ask("preview", stage="s0", node=linear["nodes"][0], table="core")
    assert "torch.ops.aten.addmm.default" in {node.target.text for node in decode(bytes(file)).method.graph}


@pytest.mark.parametrize(
    ("what", "fields", "reason"),
    [
        ("skeleton", {"stage": "s9"}, "No stage 's9'"),
        ("run", {"stage": "s0", "step": "magic"}, "Unknown step 'magic'"),
        ("run", {"stage": "s0", "step": "executorch"}, "Cannot run"),
        ("drop", {"stage": "s0"}, "first stage"),
        ("rename", {"stage": "s0", "name": " "}, "empty"),
        ("preview", {"stage": "s0", "node": "forward/x"}, ""),
        ("explain", {"stage": "s0", "op": "no.such.op"}, "no.such.op"),
        ("ops", {"stage": ["s0"]}, "sent an invalid message 'ops'"),
        ("ops", {}, "missing required field `stage`"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(
    explorer: Recorded, session: Session, what: str, fields: dict[str, Any], reason: str
) -> None:
    before = session.record()
    message, _ = explorer.ask(what, **fields)
    assert message["kind"] == "refused"
    assert reason in message["reason"]
    assert session.record() == before


def test_files_are_written_and_none_is_replaced_unasked(
    explorer: Recorded, session: Session, tmp_path: Path
) -> None:
    path = tmp_path / "tree"
    asked = {"stage": "s0", "of": "session", "path": str(path)}
    message, _ = explorer.ask("save", **asked)
    written = path.with_suffix(".exirviz")
    assert (message["path"], message["size"]) == (str(written.resolve()), written.stat().st_size)
    assert len(Session.load(written)) == len(session)
    written.write_bytes(b"mine")
    assert "already exists" in explorer.ask("save", **asked)[0]["reason"]
    assert written.read_bytes() == b"mine"
    assert explorer.ask("save", **asked, replace=True)[0]["kind"] == "save"
    assert len(Session.load(written)) == len(session)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"of": "pte", "path": "model.pte"}, "has no .pte"),
        ({"of": "session", "path": " "}, "Name the file"),
        ({"of": "session", "path": "model.py"}, "must end in .exirviz"),
        ({"of": "session", "path": "nowhere/at all"}, "no folder"),
    ],
)
def test_what_cannot_be_written_is_refused(
    explorer: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    message, _ = explorer.ask("save", stage="s0", **fields)
    assert message["kind"] == "refused"
    assert reason in message["reason"]
    assert list(tmp_path.iterdir()) == []


def test_a_step_from_the_page_can_be_stopped(explorer: Recorded, session: Session) -> None:
    before, stopped = session.record(), threading.Event()

    def stop_once(content: Any) -> None:
        if content["kind"] == "progress" and not stopped.is_set():
            stopped.set()
            threading.Thread(target=stop_until_done).start()

    def stop_until_done() -> None:
        while not session.stop():
            pass

    send = explorer.send
    explorer.send = lambda content, buffers=None: (stop_once(content), send(content, buffers))  # type: ignore[assignment]
    message, _ = explorer.ask("run", stage="s0", step="decompose", options={"ops": "core"})
    assert message["kind"] == "refused"
    assert "Nothing has changed" in message["reason"]
    assert session.record() == before


def test_a_refused_step_leaves_the_sign_of_the_running_one(explorer: Recorded, session: Session) -> None:
    def work(_tell: object) -> None:
        message, _ = explorer.ask("run", stage="s0", step="decompose", options={})
        assert "'mine' is running" in message["reason"]
        assert "'mine' is running" in explorer.ask("explain", stage="s0", op="aten.relu")[0]["reason"]

    runner.perform("mine", work)
    assert "progress" not in explorer.kinds()
    assert len(session) == 1


def test_names_are_those_of_the_stage_that_is_looked_at(explorer: Recorded, session: Session) -> None:
    explorer.select("linear")
    core = session.decompose()
    explorer.set_state({"view": {"stage": "s1"}, "selection": ["forward/addmm"]})
    assert (explorer.stage, explorer.selection) == (core, ["forward/addmm"])
    with pytest.raises(UnknownName, match="linear"):
        explorer.select("linear")
    explorer.select(session.root.snapshot.method.graph["linear"])
    assert (explorer.stage, explorer.selection) == (session.root, ["forward/linear"])
    assert [content["at"] for content, _ in explorer.sent if content["kind"] == "stages"][-1] == "s0"


def test_a_closed_explorer_hears_of_no_more_stages(explorer: Recorded, session: Session) -> None:
    explorer.close()
    heard = len(explorer.sent)
    session.decompose()
    assert len(explorer.sent) == heard


def test_a_stage_is_explored_in_its_session(session: Session) -> None:
    root = session.root
    session.decompose()
    explorer = exir_viz.explore(root)
    assert isinstance(explorer, SessionExplorer)
    assert explorer.session is session
    assert explorer.stage is root
    assert explorer.snapshot is root.snapshot


@pytest.mark.parametrize("kind", ["session", "snapshot", "diff"])
def test_a_closed_explorer_is_freed_with_all_that_it_shows(kind: str) -> None:
    module, x = small()
    session = Session(module, x)
    session.decompose()
    snapshot = session.root.snapshot
    explorer: Any
    if kind == "session":
        explorer = Recorded(session)
        explorer.ask("run", stage="s0", step="decompose", options={})
    else:
        explorer = exir_viz.explore(snapshot) if kind == "snapshot" else exir_viz.diff(*session).explore()
    explorer._repr_mimebundle_()
    explorer.close()
    kept = {
        name: weakref.ref(one)
        for name, one in {"explorer": explorer, "session": session, "module": module}.items()
    }
    del explorer, session, snapshot, module, x
    gc.collect()
    assert [name for name, one in kept.items() if one() is not None] == []


def test_a_deleted_stage_can_be_put_back_for_a_while(
    explorer: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer.ask("run", stage="s0", step="decompose", options={})
    explorer.ask("drop", stage="s1")
    assert explorer.ask("stages")[0]["dropped"] == ["core"]
    explorer.ask("restore")
    content, _ = explorer.ask("stages")
    assert "dropped" not in content
    assert [one["id"] for one in content["tree"]["stages"]] == ["s0", "s1"]
    monkeypatch.setattr("exir_viz.widget.session_explorer._UNDO_SECONDS", 0.0)
    explorer.ask("drop", stage="s1")
    with explorer.answered:
        assert explorer.answered.wait_for(
            lambda: [one for one, _ in explorer.sent if one["kind"] == "stages"][-1].get("dropped") is None,
            PATIENCE,
        )
    assert explorer.session.dropped == ()
    content, _ = explorer.ask("restore")
    assert content["kind"] == "refused"
    assert "Run their steps again" in content["reason"]


def test_a_page_that_comes_while_a_step_runs_gets_its_progress(session: Session) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Held(Recorded):
        def _made(self, stage: Any, spec: Any, given: Any, report: Any) -> Any:
            report(stage=stage.id, title=spec.title, text="half", fraction=0.5, seconds=7.0)
            begun.set()
            assert go_on.wait(PATIENCE)
            return super()._made(stage, spec, given, report)

    explorer = Held(session)
    question = {"kind": "ask", "what": "run", "from": "old", "stage": "s0", "step": "decompose"}
    explorer._receive(explorer, {**question, "n": 1, "options": {}}, [])
    assert begun.wait(PATIENCE)
    progress = explorer.ask_as("reloaded")
    assert [(each["text"], each["fraction"]) for each in progress] == [("half", 0.5)]
    assert progress[0]["seconds"] >= 7
    go_on.set()
    with explorer.answered:
        assert explorer.answered.wait_for(lambda: explorer._answer_to(1), PATIENCE)
    assert explorer.ask_as("opened later") == []
    explorer.close()
