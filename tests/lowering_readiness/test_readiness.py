"""Readiness says what lowering does: backends take what it says, and what it calls blocked does not lower."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.lowering_readiness.records import OpReadiness
from exir_viz.reports.rules.operators import known_operators
from exir_viz.snapshot.delegation import share_of
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.placement import working
from exir_viz.snapshot.sizes import Sizes, moved_bytes
from exir_viz.stages.backend_trial import try_backend
from exir_viz.stages.live import NotPossible
from exir_viz.torch_internals.runtime import kernel_names
from tests.corpus.concepts import CONCEPTS
from tests.stages.failing import failing, outcome


class Mixed(nn.Module):
    """A convolution and a linear that XNNPACK runs, and an argmax and a cumsum that it does not."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.linear = nn.Conv2d(3, 4, 3), nn.Linear(6, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(self.conv(x).relu())
        found: torch.Tensor = y.cumsum(-1) + y.argmax(-1, keepdim=True)
        return found


class Blocked(nn.Module):
    """Complex numbers, a decomposition without a kernel, and an operator that is not of Core ATen."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = torch.linalg.svdvals(x).sum() + torch.view_as_real(torch.complex(x, x)).sum()
        return found


IMAGE = torch.randn(1, 3, 8, 8)


@pytest.fixture(scope="module")
def session() -> exir_viz.Session:
    return exir_viz.Session(Mixed().eval(), IMAGE)


@pytest.fixture(scope="module")
def ready(session: exir_viz.Session) -> exir_viz.Readiness:
    return exir_viz.readiness(session.root, backends=["xnnpack"])


def row(ready: exir_viz.Readiness, op: str) -> OpReadiness:
    return next(one for one in ready if one.op == op)


def test_a_row_says_where_an_operator_runs_and_why(ready: exir_viz.Readiness) -> None:
    conv, cumsum = row(ready, "aten.conv2d.default"), row(ready, "aten.cumsum.default")
    assert (conv.status, conv.core, conv.delegated, conv.gain) == (
        "delegated",
        "decomposes",
        {"XNNPACK": 1},
        0,
    )
    assert (cumsum.status, cumsum.core, cumsum.dtypes) == ("cpu", "core", "allowed")
    assert (cumsum.kernel, cumsum.delegated, cumsum.becomes) == (
        "portable",
        {"XNNPACK": 0},
        ("aten.cumsum.default",),
    )
    assert cumsum.reasons == ("XNNPACK has no config for aten.cumsum.default.",)
    assert cumsum.fixes
    assert not ready.is_blocked


def test_the_order_is_by_what_a_fix_gains(ready: exir_viz.Readiness) -> None:
    gains = [one.gain or 0 for one in ready]
    assert gains == sorted(gains, reverse=True)
    assert 0 < gains[0] < 1
    cumsum, argmax = row(ready, "aten.cumsum.default"), row(ready, "aten.argmax.default")
    assert cumsum.bytes == 2 * 4 * 6 * 5 * 4  # it reads and writes a float tensor
    assert argmax.bytes == 4 * 6 * 5 * 4 + 4 * 6 * 8


def test_a_profile_makes_it_a_share_of_time(session: exir_viz.Session) -> None:
    profile = exir_viz.profile(session.root, IMAGE, repeats=2)
    found = exir_viz.readiness(session.root, backends="xnnpack", profile=profile)
    linear = row(found, "aten.linear.default")
    assert linear.time_share == profile.share(profile["linear"].time or 0)
    assert "time" in str(found).splitlines()[2]
    assert exir_viz.readiness(profile)[0].time_share is not None
    with pytest.raises(exir_viz.WrongArgument, match="profile of the same program"):
        exir_viz.readiness(nn.Linear(2, 2), torch.ones(1, 2), profile=profile, backends=())


def delegated_ops(stage: exir_viz.Stage) -> Counter[str]:
    graphs = [graph for graph in stage.snapshot.graphs if graph.delegate is not None]
    return Counter(op_name(graph[at].target) for graph in graphs for at in working(graph))


class Convolutions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.pool = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.AdaptiveAvgPool2d(1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.pool(nn.functional.hardswish(self.norm(self.conv(x))))
        return found


TRANSFORMER = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("model", "x", "backend"),
    [
        (Mixed(), IMAGE, "xnnpack"),
        (Mixed(), IMAGE, "vulkan"),
        (TRANSFORMER, torch.randn(1, 4, 8), "xnnpack"),
        (Convolutions(), IMAGE, "xnnpack"),
    ],
    ids=["mixed", "vulkan", "transformer", "convolutions"],
)
def test_a_backend_takes_what_its_trial_says(model: nn.Module, x: torch.Tensor, backend: str) -> None:
    """The calls that the partitioner accepts are those that a lowered program holds in its delegates."""
    session = exir_viz.Session(model.eval(), x)
    root = session.root
    assert root.live is not None
    before = root.snapshot.text()
    trial = try_backend(root.live, root.snapshot.method.dialect, backend)
    said = Counter(one.op for one in trial.decisions if not one.reason)
    lowered = session.backend(backend)
    taken = delegated_ops(lowered)
    assert trial.failure == ""
    assert said.total() > 0
    assert said == taken
    nodes = {node.id for graph in root.snapshot.graphs for node in graph}
    assert {one.node for one in trial.decisions} <= nodes
    assert root.snapshot.text() == before
    left = {(op_name(node.target)) for node in lowered.snapshot.method.graph if node.op == "call_function"}
    assert {one.op for one in trial.decisions if one.reason} <= left


def test_what_is_called_blocked_does_not_lower() -> None:
    found = exir_viz.readiness(Blocked(), torch.randn(4, 4), backends=["xnnpack"])
    assert found.is_blocked
    blocked = {one.op: one for one in found.where("blocked")}
    assert "aten.linalg_svdvals.default" in blocked
    assert "aten._linalg_svd.default is not of Core ATen" in blocked["aten.linalg_svdvals.default"].reasons[0]
    assert list(found)[: len(blocked)] == list(blocked.values())
    failing(exir_viz.Session(Blocked(), torch.randn(4, 4)).edge)


class Normalized(torch.nn.Module):
    """`linalg_vector_norm` is not Core ATen, and only to_edge decomposes it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.normalize(x)


def test_what_only_to_edge_decomposes_does_not_block() -> None:
    root = exir_viz.Session(Normalized(), torch.randn(2, 3)).root
    for program in (root, root.snapshot):
        assert not exir_viz.readiness(program, backends=()).is_blocked
    (row,) = exir_viz.check(root.decompose(), rules="core-aten").rows()
    assert row.texts[0].endswith("is not a Core ATen operator. to_edge decomposes it.")
    assert root.edge().executorch().pte


def test_what_is_not_blocked_runs(session: exir_viz.Session) -> None:
    assert not session.root.backend("xnnpack").executorch().failed


@pytest.mark.parametrize("step", ["edge", "backend", "executorch"])
def test_every_stage_can_be_asked(session: exir_viz.Session, step: str) -> None:
    stage = session.root.edge()
    stage = stage if step == "edge" else stage.backend("xnnpack")
    stage = stage.executorch() if step == "executorch" else stage
    found = exir_viz.readiness(stage, backends=["xnnpack"])
    assert not found.is_blocked
    assert found.calls == sum(len(working(graph)) for graph in stage.snapshot.graphs)
    assert sum(one.delegated["XNNPACK"] for one in found) >= 3
    assert {one.status.value for one in found} == {"cpu", "delegated"}


def test_of_a_delegated_program_others_are_asked_about_the_rest_only(session: exir_viz.Session) -> None:
    edge = session.root.edge()
    delegated = edge.backend("xnnpack")
    whole = exir_viz.readiness(edge, backends=["vulkan"])
    rest = exir_viz.readiness(delegated, backends=["vulkan"])
    share = share_of(delegated.snapshot)
    assert whole.delegated("Vulkan") > share.on_cpu  # it would run what XNNPACK runs, too
    text = " ".join(str(rest).split("\n\n")[0].split())
    (percent,) = re.findall(r"(\d+)% on XNNPACK", share.text)
    assert f"XNNPACK runs {share.delegated} of {share.ops} ops ({percent}%)." in text
    assert f"Vulkan would run {rest.delegated('Vulkan')} of the other {share.on_cpu}." in text


def test_files_are_read_without_torch(session: exir_viz.Session, tmp_path: Path) -> None:
    path = session.root.snapshot.save(tmp_path / "model.exirviz")
    code = (
        "import sys, exir_viz\n"
        f"ready = exir_viz.readiness({str(path)!r})\n"
        "print(len(ready), ready.is_blocked, ready[0].op, 'torch' in sys.modules)\n"
        "print(*(one.kernel for one in ready if one.op == 'aten.cumsum.default'))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["6", "False", "aten.conv2d.default", "False", "portable"]
    with pytest.raises(exir_viz.WrongArgument, match="partitioners need a live program"):
        exir_viz.readiness(path, backends=["xnnpack"])


def test_symbolic_sizes_count_as_in_the_example() -> None:
    shapes = {"x": {0: torch.export.Dim("batch", min=2, max=64)}}
    program = torch.export.export(nn.ReLU(), (torch.ones(8, 4),), dynamic_shapes=({0: shapes["x"][0]},))
    assert exir_viz.readiness(program, backends=())[0].bytes == 2 * 8 * 4 * 4


def test_an_unknown_backend_is_refused(session: exir_viz.Session) -> None:
    with pytest.raises(NotPossible, match="Unknown backend 'xnpack'"):
        exir_viz.readiness(session.root, backends=["xnpack"])
    with pytest.raises(exir_viz.WrongArgument):
        exir_viz.readiness(session.root.snapshot).where("slow")


def test_tables_and_texts(ready: exir_viz.Readiness) -> None:
    frame = ready.frame
    assert list(frame["op"]) == [one.op for one in ready]
    assert frame["XNNPACK"].sum() == ready.delegated("XNNPACK") == 3
    lines = str(ready).splitlines()
    assert lines[0] == "No operator blocks lowering. XNNPACK would run 3 of 6 calls (50.0%)."
    assert lines[2].split() == [
        *("operator", "calls", "bytes", "gain", "runs", "on", "Core", "ATen", "dtypes", "kernel", "XNNPACK"),
    ]
    assert ready._repr_html_().count("<tr>") == 1 + len(ready)


class Same(nn.Module):
    """It calls nothing: there is nothing to take a share of."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


def test_a_program_that_calls_nothing_has_a_text() -> None:
    text = str(exir_viz.readiness(Same(), IMAGE, backends=["xnnpack"]))
    assert text.startswith("No operator blocks lowering. XNNPACK would run 0 of 0 calls.")


def test_names_of_a_program_are_escaped() -> None:
    hostile = OpReadiness("<b>\x1b[2J", 1, (), "cpu", reasons=("<i>",))  # type: ignore[arg-type]
    found = exir_viz.Readiness(exir_viz.capture(nn.ReLU(), torch.ones(2)), [hostile])
    assert "<b>\x1b" not in found._repr_html_()
    assert "&lt;i&gt;" in found._repr_html_()
    assert "\x1b" not in str(found)


def test_recorded_kernels_are_those_of_the_runtime() -> None:
    names = kernel_names()
    assert names is not None
    known = known_operators().kernels
    portable = {
        name for name, library in known.items() if library in ("portable", "optimized") and "out" in name
    }
    assert len(portable & names) > 150
    assert {name for name in names if name.startswith("aten::")} <= known.keys()


def test_an_assertion_moves_no_bytes() -> None:
    """It compares dtype and shape, and lowering removes it: the gains of others do not shrink by it."""
    found = exir_viz.readiness(torch.export.export(Half(), (torch.ones(4),)))
    rows = {row.op: row for row in found}
    assert rows["aten._assert_tensor_metadata.default"].bytes == 0
    assert rows["aten.to.dtype"].bytes == 4 * 4 + 4 * 2


def test_calls_that_lowering_removes_are_not_among_those_that_could_run() -> None:
    found = exir_viz.readiness(torch.export.export(Half(), (torch.ones(4),)), backends="xnnpack")
    text = " ".join(str(found).split())
    assert "XNNPACK would run 0 of 1 call (0%). Lowering removes 1 other call." in text


def test_an_operator_with_calls_on_the_cpu_and_on_a_backend_runs_there_partly() -> None:
    class Both(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x + 1.0) * (x.long() + 1).float()

    found = exir_viz.readiness(torch.export.export(Both(), (torch.ones(4),)), backends="xnnpack")
    rows = {row.op: row for row in found}
    added = rows["aten.add.Tensor"]
    assert (added.status, added.calls, added.delegated["XNNPACK"]) == ("partly", 2, 1)
    assert any("int64" in reason for reason in added.reasons)


class Half(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.half()


class OfSize(torch.nn.Module):
    """It computes with a size that is not known before the program runs."""

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


OF_SIZES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sym_max": lambda x: x.new_zeros(max(x.shape[0], 3)),
    "sym_float": lambda x: x * torch.sym_float(x.shape[0]),
    "sym_sqrt": lambda x: x * torch.sym_sqrt(torch.sym_float(x.shape[0])),
    "add": lambda x: x.new_zeros(x.shape[0] + 3),
    "pow": lambda x: x.new_zeros(x.shape[0] ** 2),
    "lshift": lambda x: x.new_zeros(x.shape[0] << 1),
    "abs": lambda x: x.new_zeros(abs(x.shape[0] - 20)),
    "lt": lambda x: x * (x.shape[0] < 5),
}


def lowers(root: exir_viz.Stage) -> bool:
    edge = outcome(root.edge)
    return not edge.failed and not outcome(edge.executorch).failed


@pytest.mark.parametrize("name", OF_SIZES)
def test_functions_of_sizes_block_where_they_do_not_lower(name: str) -> None:
    shapes = ({0: torch.export.Dim("batch", min=2, max=16)},)
    root = exir_viz.Session(OfSize(OF_SIZES[name]), torch.ones(6, 4), dynamic_shapes=shapes).root
    ready = exir_viz.readiness(root, backends=())
    assert ready.is_blocked is not lowers(root)
    blocked = ready.where("blocked")
    assert all(name in one.op and one.reasons and one.fixes for one in blocked[:1])
    if "core" in {one.core for one in blocked}:
        assert blocked[0].kernel == "none"


@pytest.mark.parametrize(
    "name", ["while_loop", "map_op", "scan_op", "nested_cond", "mutating_custom_op", "deferred_asserts"]
)
@torch.no_grad()
def test_control_flow_blocks_where_it_does_not_lower(name: str) -> None:
    root = exir_viz.Session(CONCEPTS[name]()).root
    ready = exir_viz.readiness(root, backends=())
    blocked = ready.where("blocked")
    if name != "mutating_custom_op":  # the user can register a kernel for it
        assert ready.is_blocked is not lowers(root)
    assert {one.op for one in blocked} <= {"while_loop", "auto_functionalized_v2"}
    snapshot_only = exir_viz.readiness(root.snapshot)
    assert {one.op for one in snapshot_only.where("blocked")} <= {"while_loop"}
    assert not [one for one in snapshot_only if one.op.startswith("auto_") and one.kernel]


def test_a_program_lowered_without_rules_needs_only_the_runtime() -> None:
    shapes = ({0: torch.export.Dim("batch", min=2, max=16)},)
    root = exir_viz.Session(OfSize(OF_SIZES["sym_max"]), torch.ones(6, 4), dynamic_shapes=shapes).root
    (blocked,) = exir_viz.readiness(root, backends=()).where("blocked")
    assert blocked.fixes[0].startswith("Lower without verifying edge rules, edge(check_ir=False):")
    edge = root.edge(check_ir=False)
    assert not exir_viz.readiness(edge, backends=()).is_blocked
    assert not edge.executorch().failed


def test_an_operator_without_a_kernel_blocks() -> None:
    """The edge dialect allows operators of `prims`, and its exceptions; the runtime has no kernel for all."""
    root = exir_viz.Session(OfSize(torch.ops.prims.sin.default), torch.ones(6, 4)).root
    assert exir_viz.readiness(root, backends=()).is_blocked
    assert not lowers(root)


@pytest.mark.parametrize(
    ("function", "op"),
    [
        (lambda x: torch.full_like(x, 2) + x, "aten.full_like.default"),
        (lambda x: torch.where(x > 0, x, torch.scalar_tensor(2.0)), "aten.scalar_tensor.default"),
        (lambda x: x.max(), "aten.max.default"),
    ],
    ids=["full_like", "scalar_tensor", "max"],
)
def test_an_exception_of_the_edge_dialect_has_the_kernel_of_its_library(
    function: Callable[[torch.Tensor], torch.Tensor], op: str
) -> None:
    ready = exir_viz.readiness(OfSize(function), torch.ones(6, 4), backends=())
    assert row(ready, op).kernel == "portable"


def test_to_executorch_removes_checks_of_values() -> None:
    ready = exir_viz.readiness(CONCEPTS["deferred_asserts"](), backends=())
    checks = [one for one in ready if "_assert" in one.op]
    assert checks
    assert {one.status.value for one in checks} == {"removed"}


class Views(torch.nn.Module):
    """Views, which to_edge replaces by copies, and to_executorch some of them by views again."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x.unsqueeze(0).expand(3, 2, 4, 4).reshape(3, 32)
        return y[:, 2:20] + 1, x.permute(2, 1, 0), x.select(0, 1).squeeze(0), x.view(32)


@pytest.mark.parametrize("step", ["edge", "executorch"])
def test_copies_of_views_move_what_a_profile_counts(step: str) -> None:
    stage = exir_viz.Session(Views(), torch.ones(2, 4, 4)).root.edge()
    stage = stage.executorch() if step == "executorch" else stage
    profile = exir_viz.profile(stage, torch.ones(2, 4, 4), repeats=1)
    (graph,) = stage.snapshot.graphs
    copies = [graph[at] for at in working(graph) if "_copy" in graph[at].target.name]
    if step == "edge":  # memory planning makes views of these
        copies = [one for one in copies if one.target.name != "view_copy"]
    moved = {one.name: moved_bytes(one, Sizes({})) for one in copies}
    assert len(moved) >= 5
    assert moved == {name: profile[name].bytes_moved for name in moved}
    assert all(moved.values())
    views = [node for node in graph if node.target.text == "executorch.exir.memory.view"]
    assert bool(views) is (step == "executorch")
    assert not any(moved_bytes(node, Sizes({})) for node in views)


class Returned(torch.nn.Module):
    """Calls that return their input itself, or a view of it, and the same operators where they do not."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        drop = torch.nn.functional.dropout
        returned = (x.float(), x.type_as(x), x.positive(), drop(x, training=False))
        made = (x.double(), x.type_as(x.long()), x.to(torch.float32, copy=True), drop(x, training=True))
        return (*returned, *torch.meshgrid(x[0], x[1], indexing="ij"), *made)


def test_calls_that_return_their_input_move_nothing() -> None:
    root = exir_viz.Session(Returned(), torch.ones(4, 4)).root
    profile = exir_viz.profile(root, torch.ones(4, 4), repeats=1)
    moved = {cost.node.name: moved_bytes(cost.node, Sizes({})) for cost in profile}
    assert moved == {cost.node.name: cost.bytes_moved for cost in profile}
    assert sum(not one for one in moved.values()) >= 5
    assert sum(one > 0 for one in moved.values()) >= 5


def test_what_lowering_inlines_is_not_called_removed() -> None:
    class Inlined(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            with torch.no_grad(), torch.autocast("cpu", enabled=False):
                y = x.cos() * 2.0
            return y + x

    ready = exir_viz.readiness(Inlined(), torch.ones(3, requires_grad=True), backends=["xnnpack"])
    assert row(ready, "aten.cos.default").status == "delegated"
    assert {one.op for one in ready.where("removed")} == {"wrap_with_set_grad_enabled", "wrap_with_autocast"}
    assert "XNNPACK would run 3 of 3 calls" in " ".join(str(ready).split())


def test_a_backend_that_cannot_be_asked_leaves_its_answer_open() -> None:
    pooled = OfSize(lambda x: torch.nn.functional.max_pool2d(x.relu(), 2))
    session = exir_viz.Session(pooled, IMAGE)
    ready = exir_viz.readiness(session.root, backends=["xnnpack"])
    assert {one.status.value for one in ready} == {"unknown"}
    assert "2 of 2 calls are not known." in str(ready)
    (note,) = ready.notes
    assert note.startswith(
        "XNNPACK could not be asked: tuple index out of range. Lower to edge first, then it answers:"
    )
    lowered = exir_viz.readiness(session.root.edge(), backends=["xnnpack"])
    assert lowered.notes == ()
    assert lowered.delegated("XNNPACK") >= 1


def test_a_program_that_does_not_lower_is_blocked() -> None:
    shapes = ({0: torch.export.Dim("batch", min=2, max=16)},)
    summed = OfSize(lambda x: x.new_zeros(torch.sym_sum([x.shape[0], x.shape[0], 1])))
    ready = exir_viz.readiness(summed, torch.ones(6, 4), dynamic_shapes=shapes, backends=())
    assert ready.is_blocked
    assert str(ready).startswith("Lowering to edge fails: Unsupported target type")
    assert "No " not in str(ready).splitlines()[0]


def test_without_lowering_the_text_says_how_much_is_not_known(session: exir_viz.Session) -> None:
    ready = exir_viz.readiness(session.root.snapshot)
    unknown = [one.op for one in ready.where("unknown")]
    assert "aten.linear.default" in unknown
    assert str(ready).startswith(
        f"No known operator blocks lowering. {len(unknown)} of 6 calls are not known."
    )
    assert "gain" not in str(ready)
    assert {one.gain for one in ready} == {None}
    assert ready.notes[0].startswith(f"Not known of {len(unknown)} operators:")
    assert exir_viz.readiness(session.root.edge().snapshot).notes == ()


def test_asking_all_backends_leaves_the_loggers_of_the_user(tmp_path: Path) -> None:
    """Vulkan's partitioner sets the level of the root logger when it is imported, and logs each decision."""
    pytest.importorskip("executorch.backends.vulkan.partitioner.vulkan_partitioner")
    code = (
        "import logging, torch, exir_viz\n"
        "def state(): return logging.getLogger().level, list(logging.getLogger().handlers)\n"
        "before = state()\n"
        "ready = exir_viz.readiness(torch.nn.Linear(2, 2), torch.ones(1, 2))\n"
        "print(state() == before, len(ready.backends) > 1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
    assert "INFO" not in done.stderr
