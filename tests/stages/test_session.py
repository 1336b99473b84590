"""Sessions: what they begin with, how the tree grows, and what is released. Torch alone; no ExecuTorch."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.export import Dim, export

import exir_viz
from exir_viz import Session, tables
from exir_viz.errors import CaptureError, ExirVizError, ExportFailed
from exir_viz.snapshot.lineage import EXACT
from exir_viz.snapshot.program import Dialect
from exir_viz.stages.live import NotPossible
from exir_viz.stages.records import StageState, StepKind
from tests.stages.failing import failing

from .modules import DoubleScale, broken, ops, small, without_gelu
from .unchanged import unchanged


@pytest.fixture
def session() -> Session:
    module, x = small()
    return Session(module, x)


# -- what a session begins with ---------------------------------------------------------------------------


def test_a_module_is_exported_and_remembered() -> None:
    module, x = small()
    batch = Dim("batch", min=2, max=9)
    session = Session(module, x, dynamic_shapes=({0: batch},), name="mine")
    assert session.root.name == "mine"
    assert session.root.live.exported.module is module
    assert session.root.live.exported.dynamic_shapes == ({0: batch},)
    assert [symbol.dim for symbol in session.root.snapshot.method.symbols] == ["batch"]
    assert session.decompose().snapshot.method.symbols[0].dim == "batch"


def test_programs_of_several_methods_go_together() -> None:
    module, x = small()
    programs = {"forward": export(module, (x,)), "other": export(torch.nn.GELU(), (x,))}
    session = Session(programs)
    assert list(session.root.snapshot.methods) == ["forward", "other"]
    core = session.decompose()
    assert list(core.programs) == ["forward", "other"]
    assert {method.dialect for method in core.snapshot.methods.values()} == {Dialect.ATEN_CORE}


def test_a_snapshot_can_be_looked_at_only() -> None:
    session = Session(exir_viz.load(export(*_args())))
    assert session.root.state is StageState.LOADED
    with pytest.raises(NotPossible, match="has no live program"):
        session.decompose()
    with pytest.raises(NotPossible, match="has a Snapshot and no live program"):
        _ = session.root.program


def test_anything_else_is_refused_in_words() -> None:
    with pytest.raises(CaptureError, match=r"Cannot start a session with 3\. .*Session\(module, x\)"):
        Session(3)
    with pytest.raises(ExportFailed, match="missing a required argument"):
        Session(torch.nn.Linear(2, 2))


# -- how it grows -----------------------------------------------------------------------------------------


def test_stages_form_a_tree(session: Session) -> None:
    functional = session.decompose("functional")
    core = functional.decompose()
    beside = session.root.decompose(["linear"])
    assert [stage.id for stage in session] == ["s0", "s1", "s2", "s3"]
    assert [stage.name for stage in session] == ["export", "functional", "core", "decomposed"]
    assert session.current is beside
    assert core.parent is functional
    assert session.root.children == (functional, beside)
    assert session["core"] is session["s2"] is core
    assert core.dialect is Dialect.ATEN_CORE
    session.current = "core"
    assert session.current is core
    with pytest.raises(NotPossible, match=r"No stage 'edge'\. Stages: s0 \(export\), s1 \(functional\)"):
        _ = session["edge"]


def test_a_name_is_given_once(session: Session) -> None:
    first, second = session.root.decompose(), session.root.decompose()
    assert (first.name, second.name) == ("core", "core 2")
    assert second.rename("other").name == "other"
    for name in ("core", "s0", " "):
        with pytest.raises(NotPossible, match="Cannot rename 's2'"):
            second.rename(name)


def test_the_record_says_what_the_tree_says(session: Session) -> None:
    core = session.decompose()
    record = session.record().stages[1]
    assert (record.id, record.name, record.parent, record.state) == ("s1", "core", "s0", StageState.READY)
    assert record.step.kind is StepKind.DECOMPOSE
    assert record.step.title == "Core ATen"
    assert record.step.options == {"ops": "core"}
    assert record.step.seconds > 0
    assert record.calls == sum(ops(core.snapshot).values())
    before = sum(ops(session.root.snapshot).values())
    assert record.change.kept + record.change.added == record.calls
    assert record.change.kept + record.change.removed == before
    offered = {offer.kind: offer.reason for offer in record.offers}
    assert offered[StepKind.DECOMPOSE] == ""
    assert "Lower it to edge first" in offered[StepKind.EXECUTORCH]


def test_the_tree_is_readable(session: Session) -> None:
    session.decompose("functional").decompose()
    failing(session.root.transform, broken)
    lines = repr(session).splitlines()
    assert lines[0] == "Session"
    assert lines[1].startswith("s0 export  aten.training  ")
    assert lines[2].startswith("├─ s1 functional  aten  ")
    assert lines[3].startswith("│  └─ s2 core  aten.core  ")
    assert lines[3].endswith(" *")
    assert lines[4].startswith("└─ s3 transform  failed: ValueError: this pass knows no layer norm")


def test_nodes_are_followed_in_both_directions(session: Session) -> None:
    core = session.decompose()
    linear = session.root.node("linear")
    became = session.root.descendants(linear)
    assert {link.node.target.text for link in became} >= {"torch.ops.aten.addmm.default"}
    for link in became:
        assert link.stage is core
        assert link.evidence in EXACT
        assert [back.node for back in core.ancestors(link.node)] == [linear]
    assert session.root.ancestors(linear) == ()


# -- the steps --------------------------------------------------------------------------------------------


def test_exactly_the_named_ops_are_decomposed(session: Session) -> None:
    before = ops(session.decompose("functional").snapshot)
    after = ops(session.root.decompose(["aten.linear.default", torch.ops.aten.layer_norm]).snapshot)
    gone = set(before) - set(after)
    assert gone == {"torch.ops.aten.linear.default", "torch.ops.aten.layer_norm.default"}
    kept = ops(session.root.decompose(but=["linear"]).snapshot)
    assert "torch.ops.aten.linear.default" in kept
    assert "torch.ops.aten.layer_norm.default" not in kept


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ops": ["foo"]}, r"Cannot find 'foo' in this graph\. It has: aten\.\S+ \(\d+\).*'core' for all"),
        ({"ops": "edge"}, "ops is 'core', 'functional' or a list"),
        ({"ops": ["linear"], "but": ["gelu"]}, "needs ops='core'"),
        ({"ops": []}, "Name some"),
        ({"ops": ["reshape"]}, "torch has no decomposition of it"),
    ],
)
def test_options_that_make_no_sense_make_no_stage(session: Session, options: dict, message: str) -> None:
    before = session.record()
    with pytest.raises(NotPossible, match=message):
        session.root.do("decompose", options)
    assert session.record() == before


@pytest.mark.parametrize("options", [{}, {"ops": "functional"}, {"ops": ["linear"]}, {"but": ["linear"]}])
def test_decomposing_leaves_the_program_alone(session: Session, options: dict) -> None:
    with unchanged(session.root):
        session.root.do("decompose", options)


def test_a_step_goes_by_its_name(session: Session) -> None:
    made = session.do(session.root.id, "decompose", {"ops": "functional"})
    assert made.step.kind is StepKind.DECOMPOSE
    for name, why in (("magic", ""), ("start", ", which only starts a session")):
        with pytest.raises(NotPossible, match=f"Unknown step '{name}'{why}. Steps: decompose, edge, "):
            session.do(session.root, name)
        with pytest.raises(NotPossible, match=f"Unknown step '{name}'"):
            session.root.do(name)


def test_a_pass_works_on_a_copy_with_the_same_weights(session: Session) -> None:
    with unchanged(session.root):
        stage = session.root.transform(without_gelu, DoubleScale())
    assert stage.step.title == "without_gelu, DoubleScale"
    assert stage.step.options == {"passes": ["without_gelu", "DoubleScale"]}
    assert "torch.ops.aten.gelu.default" not in ops(stage.snapshot)
    assert (stage.change.removed, stage.change.added) == (1, 0)
    assert "mul(view, 5.0)" in stage.snapshot.text() or "5.0" in stage.snapshot.text()
    weights = session.root.program.state_dict
    assert all(stage.program.state_dict[name] is weight for name, weight in weights.items())
    module, x = small()
    assert stage.program.module()(x).shape == module(x).shape


def test_what_a_pass_prints_is_printed(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.transform(lambda module: print("looking at", len(module.graph.nodes)), name="look")
    assert capsys.readouterr().out.startswith("looking at ")
    assert session.current.name == "look"


def test_a_failure_is_a_stage(session: Session) -> None:
    with unchanged(session.root):
        failed = failing(session.transform, broken)
    assert failed.failed
    assert failed in session.root.children
    assert failed.state is StageState.FAILED
    assert session.current is session.root
    assert failed.failure.type == "ValueError"
    pass_line, at_node = failed.failure.findings
    assert pass_line.frame.code == 'raise ValueError("this pass knows no layer norm")'
    assert at_node.node == "forward/layer_norm"
    assert at_node.frame.function == "forward"
    text = repr(failed)
    assert "this pass knows no layer norm" in text
    assert "Traceback" not in text
    with pytest.raises(ExirVizError, match="this pass knows no layer norm"):
        _ = failed.program
    with pytest.raises(NotPossible, match="the step that made it failed"):
        failed.decompose()


def test_a_pass_may_put_anything_into_meta(session: Session) -> None:
    def spoil(module: torch.fx.GraphModule) -> None:
        for node, rubbish in zip(
            module.graph.nodes, ["text", 3, [1, 2], [None], {"a": "b"}] * 9, strict=False
        ):
            for name in ("from_node", "stack_trace", "nn_module_stack", "debug_handle", "torch_fn"):
                node.meta[name] = rubbish

    stage = session.transform(spoil)
    assert not stage.failed
    assert stage.change.added == 0
    assert stage.lineage is not None


def test_a_stage_without_links_is_a_stage_all_the_same(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object) -> None:
        raise ZeroDivisionError("no links")

    monkeypatch.setattr("exir_viz.stages.lineage.link", fail)
    core = session.decompose()
    assert core.lineage is None
    assert core.change is None
    assert core.ancestors("addmm") == ()
    (notice,) = [one for one in core.step.notices if one.code == "lineage"]
    assert "could not be linked to those of 'export': ZeroDivisionError: no links" in notice.text


def test_a_stage_that_is_dropped_while_a_step_runs_gets_no_child(session: Session) -> None:
    core = session.decompose()
    before = session.root.snapshot
    with pytest.raises(NotPossible, match="was dropped"):
        core.transform(lambda module: core.drop())
    assert [stage.id for stage in session] == ["s0"]
    assert session.root.snapshot is before
    assert not session.decompose().failed


# -- memory -----------------------------------------------------------------------------------------------


def test_dropping_a_stage_releases_it_and_what_came_of_it(session: Session) -> None:
    functional = session.decompose("functional")
    core = functional.decompose()
    gone = [
        weakref.ref(core.program.graph_module),
        weakref.ref(functional.program),
        weakref.ref(core.snapshot),
    ]
    kept = weakref.ref(session.root.program)
    functional.drop()
    gc.collect()
    assert [ref() for ref in gone] == [None, None, None]
    assert kept() is not None
    assert [stage.id for stage in session] == ["s0"]
    assert session.current is session.root
    assert repr(core) == "<Stage s2, dropped>"
    with pytest.raises(NotPossible, match="was dropped"):
        _ = core.snapshot
    assert session.decompose().id == "s3"
    with pytest.raises(NotPossible, match="the first stage of the session"):
        session.root.drop()


def test_dropped_stages_that_are_kept_can_be_put_back(session: Session) -> None:
    functional = session.decompose("functional")
    core, other = functional.decompose(), session.root.decompose()
    before, memory = session.record(), functional.unshared_bytes
    session.current = core
    session.drop(functional, keep=True)
    assert session.dropped == (functional, core)
    assert list(session) == [session.root, other]
    session.restore()
    assert session.record() == before
    assert list(session) == [session.root, functional, core, other]
    assert session.current is core
    assert functional.unshared_bytes == memory
    assert not core.transform(lambda module: None).failed
    with pytest.raises(NotPossible, match="no deleted stages are kept"):
        session.restore()


def test_a_name_that_was_given_meanwhile_gets_a_number_when_its_stage_is_put_back(session: Session) -> None:
    session.drop(session.decompose(), keep=True)
    again = session.decompose()
    session.restore()
    assert [(stage.id, stage.name) for stage in session] == [
        ("s0", "export"),
        ("s1", "core 2"),
        ("s2", "core"),
    ]
    assert session["core"] is again


def test_kept_stages_are_freed_by_the_next_drop_or_when_they_are_forgotten(session: Session) -> None:
    for drop in (lambda: session.drop(session.decompose()), session.forget_dropped):
        core = session.decompose()
        gone = [weakref.ref(core.program.graph_module), weakref.ref(core.snapshot)]
        session.drop(core, keep=True)
        gc.collect()
        assert all(one() is not None for one in gone)
        drop()
        gc.collect()
        assert [one() for one in gone] == [None, None]
        assert session.dropped == ()


def test_shared_weights_are_held_by_none_alone() -> None:
    session = Session(torch.nn.Linear(1000, 1000).eval(), torch.randn(1, 1000))
    weight = 4 * 1000 * 1000
    assert session.root.unshared_bytes > weight
    core = session.decompose()
    assert session.root.unshared_bytes < weight
    assert core.unshared_bytes < weight
    core.drop()
    assert session.root.unshared_bytes > weight


def test_a_watcher_is_called_for_every_change(session: Session) -> None:
    told: list[int] = []
    unwatch = session.watch(lambda one: told.append(len(one)))
    core = session.decompose()
    core.rename("other")
    session.current = session.root
    core.drop()
    assert told == [2, 2, 2, 1]
    unwatch()
    session.decompose()
    assert len(told) == 4


def test_the_tree_and_the_operators_are_frames(session: Session) -> None:
    session.decompose()
    failing(session.root.transform, broken)
    stages = tables.stages(session.record())
    assert stages["name"].tolist() == ["export", "core", "transform"]
    assert stages["calls"].tolist()[0] == sum(ops(session.root.snapshot).values())
    assert stages["kept"].isna().tolist() == [True, False, True]
    assert "no layer norm" in stages["reason"].tolist()[2]
    rows = tables.decompositions(session.root.ops())
    assert rows.set_index("op").loc["aten.linear.default", "nodes"] == "forward/linear"
    assert rows["count"].sum() == stages["calls"].tolist()[0]
    for name, frame in (("stages", stages), ("decompositions", rows)):
        words = getattr(tables, name).__doc__
        assert [column for column in frame.columns if column not in words] == []


def test_importing_sessions_imports_no_torch() -> None:
    code = "import sys, exir_viz; exir_viz.Session; print(sorted({'torch', 'executorch'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def _args() -> tuple[torch.nn.Module, tuple[torch.Tensor]]:
    module, x = small()
    return module, (x,)


def test_a_pass_in_a_folder_called_as_a_library_is_the_users(tmp_path: Path) -> None:
    """A user's checkout may be called exir_viz or torch: only the real packages are libraries."""
    for name in ("exir_viz", "torch"):
        file = tmp_path / name / "own_pass.py"
        file.parent.mkdir()
        file.write_text("def fails(module):\n    raise ValueError('this pass fails')\n")
        scope: dict[str, Any] = {}
        exec(compile(file.read_text(), str(file), "exec"), scope)
        failed = failing(Session(*small()).transform, scope["fails"])
        (line,) = [finding.frame for finding in failed.failure.findings if finding.frame]
        assert (line.file, line.line, line.function) == (str(file), 2, "fails")
