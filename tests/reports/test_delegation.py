"""The report `delegation` says what lowering does: backends take what it says; what blocks does not lower."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz import reports
from exir_viz.reports.report import Report, Row, Section
from exir_viz.snapshot.delegation import share_of
from exir_viz.snapshot.operators import known_operators
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.placement import working
from exir_viz.snapshot.sizes import Sizes, moved_bytes
from exir_viz.stages.backend_trial import try_backend
from exir_viz.stages.live import NotPossible
from exir_viz.stages.steps.remedies import Remedy
from exir_viz.torch_internals.runtime import kernel_names
from tests.corpus.concepts import CONCEPTS
from tests.nightly import nightly, some
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
def ready(session: exir_viz.Session) -> Report:
    return asked(session.root, backends=["xnnpack"])


def asked(x: object, **options: Any) -> Report:
    return reports.run("delegation", x, **options)


def exported(module: nn.Module, *args: torch.Tensor, **options: Any) -> torch.export.ExportedProgram:
    return torch.export.export(module, args, **options)


def section(report: Report, title: str) -> Section:
    return next(one for one in report.sections if one.title == title)


def cells(report: Report, title: str = "Operators") -> dict[str, dict[str, Any]]:
    """By title of a row: its cells by column."""
    found = section(report, title)
    names = [one.name for one in found.columns]
    return {row.title: dict(zip(names, row.values, strict=True)) for row in found.rows}


def operators(report: Report) -> dict[str, Row]:
    return {row.title: row for row in section(report, "Operators").rows}


def where(report: Report, runs: str) -> list[str]:
    """The operators that run there."""
    return [op for op, values in cells(report).items() if values["runs on"] == runs]


def test_a_row_says_where_an_operator_runs_and_why(ready: Report) -> None:
    found, row = cells(ready), operators(ready)["aten.cumsum.default"]
    conv, cumsum = found["aten.conv2d.default"], found["aten.cumsum.default"]
    assert (conv["runs on"], conv["Core ATen"], conv["XNNPACK"], conv["gain"]) == (
        "backend",
        "decomposes",
        1,
        0,
    )
    assert (cumsum["runs on"], cumsum["Core ATen"], cumsum["dtypes"]) == ("CPU", "core", "allowed")
    assert (cumsum["kernel"], cumsum["XNNPACK"], cumsum["becomes"]) == ("portable", 0, "itself")
    assert conv["becomes"] == "aten.convolution.default"
    assert row.reason == "XNNPACK has no config for aten.cumsum.default."
    assert row.remedy == "Rewrite the line with operators that XNNPACK supports."
    assert (row.severity.value, ready.outcome.value) == ("note", "note")
    assert row.places[0].startswith(__file__)


def test_the_order_is_by_what_a_fix_gains(ready: Report) -> None:
    found = cells(ready)
    gains = [one["gain"] for one in found.values()]
    assert gains == sorted(gains, reverse=True)
    assert 0 < gains[0] < 1
    assert found["aten.cumsum.default"]["bytes"] == 2 * 4 * 6 * 5 * 4  # it reads and writes a float tensor
    assert found["aten.argmax.default"]["bytes"] == 4 * 6 * 5 * 4 + 4 * 6 * 8


def test_the_overlay_shows_where_each_op_runs(ready: Report) -> None:
    by_label = {one.label: one.nodes for one in ready.overlay}
    assert {label: len(nodes) for label, nodes in by_label.items()} == {
        "CPU": 2,
        "partly": 1,
        "backend": 3,
    }
    assert {*operators(ready)["aten.cumsum.default"].nodes} < {*by_label["CPU"]}


def test_a_profile_makes_it_a_share_of_time(session: exir_viz.Session) -> None:
    profile = exir_viz.profile(session.root, IMAGE, repeats=2)
    found = asked(session.root, backends="xnnpack", profile=profile)
    linear = cells(found)["aten.linear.default"]
    assert linear["time"] == profile.share(profile["linear"].time or 0)
    assert "measured run" in section(found, "Operators").note
    assert all(one["time"] is not None for one in cells(asked(profile)).values())
    other = exported(nn.Linear(2, 2), torch.ones(1, 2))
    with pytest.raises(exir_viz.errors.WrongArgument, match="profile of the same program"):
        asked(other, profile=profile, backends=())


def delegated_ops(stage: exir_viz.types.Stage) -> Counter[str]:
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
    found = asked(exported(Blocked(), torch.randn(4, 4)), backends=["xnnpack"])
    assert found.outcome.value == "error"
    blocked = list(found.rows("error"))
    assert [row.title for row in blocked] == where(found, "blocked")
    svd = next(row for row in blocked if row.title == "aten.linalg_svdvals.default")
    assert "aten._linalg_svd.default is not a Core ATen operator, and not decomposed" in svd.reason
    assert all(row.reason and row.remedy for row in blocked)
    assert section(found, "Operators").rows[: len(blocked)] == tuple(blocked)
    failing(exir_viz.Session(Blocked(), torch.randn(4, 4)).edge)


def test_edge_checks_an_operator_that_it_would_replace() -> None:
    """view_as_real becomes a Core ATen operator, but the check comes first."""
    root = exir_viz.Session(OfSize(torch.view_as_real), torch.randn(3, dtype=torch.complex64)).root
    (row,) = asked(root, backends=()).rows("error")
    assert row.reason.startswith("aten.view_as_real.default is not a Core ATen operator")
    failing(root.edge)


class OnOneBackend(nn.Module):
    """A linear layer of what a function makes of its input."""

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function, self.linear = function, nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(self.function(x))


def test_what_only_edge_refuses_does_not_block_a_backend() -> None:
    """to_edge checks the operators that were there before, to_edge_transform_and_lower does not."""
    root = exir_viz.Session(OnOneBackend(lambda x: x.unfold(-1, 4, 4)), torch.randn(2, 8)).root
    found = asked(root, backends=["xnnpack"])
    assert found.headline.startswith(
        "edge() refuses 1 operator, backend() does not. XNNPACK would run 1 of 2"
    )
    assert not list(found.rows("error"))
    failing(root.edge)
    assert root.backend("xnnpack").executorch().pte


def test_what_helps_is_what_the_step_says() -> None:
    root = exir_viz.Session(OnOneBackend(lambda x: x.cumprod(-1)), torch.randn(2, 4)).root
    (row,) = asked(root, backends=["xnnpack"]).rows("error")
    failure = failing(root.edge).failure
    assert failure is not None
    assert [row.remedy] == [finding.remedy for finding in failure.findings]
    assert row.remedy == Remedy.DECOMPOSE.format(op="aten.cumprod.default")


class Normalized(torch.nn.Module):
    """`linalg_vector_norm` is not Core ATen, and only to_edge decomposes it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.normalize(x)


def test_what_only_to_edge_decomposes_does_not_block() -> None:
    root = exir_viz.Session(Normalized(), torch.randn(2, 3)).root
    for program in (root, root.snapshot):
        assert asked(program, backends=()).outcome.value == "fine"
    (row,) = exir_viz.check(root.decompose(), rules="core-aten").rows()
    assert row.texts[0].endswith("is not a Core ATen operator. to_edge decomposes it.")
    assert root.edge().executorch().pte


@pytest.mark.nightly
def test_what_is_not_blocked_runs(session: exir_viz.Session) -> None:
    assert not session.root.backend("xnnpack").executorch().failed


@pytest.mark.parametrize("step", ["edge", "backend", "executorch"])
def test_every_stage_can_be_asked(session: exir_viz.Session, step: str) -> None:
    stage = session.root.edge()
    stage = stage if step == "edge" else stage.backend("xnnpack")
    stage = stage.executorch() if step == "executorch" else stage
    found = cells(asked(stage, backends=["xnnpack"]))
    assert sum(one["calls"] for one in found.values()) == sum(
        len(working(one)) for one in stage.snapshot.graphs
    )
    assert sum(one["XNNPACK"] for one in found.values()) >= 3
    assert {one["runs on"] for one in found.values()} == {"CPU", "backend"}


@pytest.mark.nightly
def test_of_a_delegated_program_others_are_asked_about_the_rest_only(session: exir_viz.Session) -> None:
    edge = session.root.edge()
    delegated = edge.backend("xnnpack")
    whole = asked(edge, backends=["vulkan"])
    rest = asked(delegated, backends=["vulkan"])
    share = share_of(delegated.snapshot)
    would = [sum(one["Vulkan"] for one in cells(report).values()) for report in (whole, rest)]
    assert would[0] > share.on_cpu  # it would run what XNNPACK runs, too
    (percent,) = re.findall(r"(\d+)% on XNNPACK", share.text)
    assert f"XNNPACK runs {share.delegated} of {share.ops} ops ({percent}%)." in rest.headline
    assert f"Vulkan would run {would[1]} of the other {share.on_cpu}." in rest.headline


def test_files_are_read_without_torch(session: exir_viz.Session, tmp_path: Path) -> None:
    path = session.root.snapshot.save(tmp_path / "model.exirviz")
    code = (
        "import pathlib, sys\n"
        "from exir_viz import reports\n"
        f"report = reports.run('delegation', pathlib.Path({str(path)!r}))\n"
        "rows = list(report.rows())\n"
        "print(len(rows), report.outcome.value, rows[0].title, 'torch' in sys.modules)\n"
        "print(*('portable' in one.values for one in rows if one.title == 'aten.cumsum.default'))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["6", "fine", "aten.conv2d.default", "False", "True"]
    with pytest.raises(exir_viz.errors.WrongArgument, match="partitioners need a live program"):
        asked(path, backends=["xnnpack"])


def test_symbolic_sizes_count_as_in_the_example() -> None:
    shapes = {"x": {0: torch.export.Dim("batch", min=2, max=64)}}
    program = torch.export.export(nn.ReLU(), (torch.ones(8, 4),), dynamic_shapes=({0: shapes["x"][0]},))
    assert cells(asked(program, backends=()))["aten.relu.default"]["bytes"] == 2 * 8 * 4 * 4


def test_an_unknown_backend_is_refused(session: exir_viz.Session) -> None:
    with pytest.raises(NotPossible, match="Unknown backend 'xnpack'"):
        asked(session.root, backends=["xnpack"])
    with pytest.raises(exir_viz.errors.WrongArgument, match="names of backends"):
        asked(session.root, backends=3)


def test_tables_and_texts(ready: Report) -> None:
    frame = ready.frame
    assert list(frame["title"]) == list(cells(ready))
    assert frame["XNNPACK"].sum() == 3
    assert ready.headline == "No operator blocks lowering. XNNPACK would run 3 of 6 calls (50.0%)."
    text = str(ready)
    assert text.startswith(f"Delegation: {ready.headline}")
    heads = "calls bytes gain runs on Core ATen dtypes kernel XNNPACK becomes"
    assert heads in " ".join(text.split())
    assert ready.to_html().count("<tr>") == 1 + len(cells(ready))


class Same(nn.Module):
    """It calls nothing: there is nothing to take a share of."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


def test_a_program_that_calls_nothing_has_a_text() -> None:
    report = asked(exported(Same(), IMAGE), backends=["xnnpack"])
    assert report.headline == "No operator blocks lowering. XNNPACK would run 0 of 0 calls."


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
    found = cells(asked(exported(Half(), torch.ones(4)), backends=()))
    assert found["aten._assert_tensor_metadata.default"]["bytes"] == 0
    assert found["aten.to.dtype"]["bytes"] == 4 * 4 + 4 * 2


def test_calls_that_lowering_removes_are_not_among_those_that_could_run() -> None:
    found = asked(exported(Half(), torch.ones(4)), backends="xnnpack")
    assert "XNNPACK would run 0 of 1 call (0%). Lowering removes 1 other call." in found.headline


def test_an_operator_with_calls_on_the_cpu_and_on_a_backend_runs_there_partly() -> None:
    class Both(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x + 1.0) * (x.long() + 1).float()

    found = asked(exported(Both(), torch.ones(4)), backends="xnnpack")
    added = cells(found)["aten.add.Tensor"]
    assert (added["runs on"], added["calls"], added["XNNPACK"]) == ("partly", 2, 1)
    assert "int64" in operators(found)["aten.add.Tensor"].reason


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


def lowers(root: exir_viz.types.Stage) -> bool:
    edge = outcome(root.edge)
    return not edge.failed and not outcome(edge.executorch).failed


@pytest.mark.parametrize("name", some(OF_SIZES, [*OF_SIZES][::3]))
def test_functions_of_sizes_block_where_they_do_not_lower(name: str) -> None:
    shapes = ({0: torch.export.Dim("batch", min=2, max=16)},)
    root = exir_viz.Session(OfSize(OF_SIZES[name]), torch.ones(6, 4), dynamic_shapes=shapes).root
    ready = asked(root, backends=())
    assert (ready.outcome.value == "error") is not lowers(root)
    blocked = list(ready.rows("error"))
    assert all(name in one.title and one.reason and one.remedy for one in blocked[:1])
    found = [cells(ready)[one.title] for one in blocked]
    if "core" in {one["Core ATen"] for one in found}:
        assert found[0]["kernel"] == "none"


@pytest.mark.parametrize(
    "name",
    ["while_loop", "nested_cond", *nightly(["map_op", "scan_op", "mutating_custom_op", "deferred_asserts"])],
)
@torch.no_grad()
def test_control_flow_blocks_where_it_does_not_lower(name: str) -> None:
    root = exir_viz.Session(CONCEPTS[name]()).root
    ready = asked(root, backends=())
    if name != "mutating_custom_op":  # the user can register a kernel for it
        assert (ready.outcome.value == "error") is not lowers(root)
    assert {*where(ready, "blocked")} <= {"while_loop", "auto_functionalized_v2"}
    snapshot_only = asked(root.snapshot)
    assert {*where(snapshot_only, "blocked")} <= {"while_loop"}
    assert not [op for op, one in cells(snapshot_only).items() if op.startswith("auto_") and one["kernel"]]


def test_a_program_lowered_without_rules_needs_only_the_runtime() -> None:
    shapes = ({0: torch.export.Dim("batch", min=2, max=16)},)
    root = exir_viz.Session(OfSize(OF_SIZES["sym_max"]), torch.ones(6, 4), dynamic_shapes=shapes).root
    (blocked,) = asked(root, backends=()).rows("error")
    assert blocked.remedy == Remedy.RUNTIME_HAS_IT
    edge = root.edge(check_ir=False)
    assert asked(edge, backends=()).outcome.value == "fine"
    assert not edge.executorch().failed


def test_an_operator_without_a_kernel_blocks() -> None:
    """The edge dialect allows operators of `prims`, and its exceptions; the runtime has no kernel for all."""
    root = exir_viz.Session(OfSize(torch.ops.prims.sin.default), torch.ones(6, 4)).root
    assert asked(root, backends=()).outcome.value == "error"
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
    ready = asked(exported(OfSize(function), torch.ones(6, 4)), backends=())
    assert cells(ready)[op]["kernel"] == "portable"


def test_to_executorch_removes_checks_of_values() -> None:
    found = cells(asked(CONCEPTS["deferred_asserts"](), backends=()))
    checks = {op: one["runs on"] for op, one in found.items() if "_assert" in op}
    assert checks
    assert {*checks.values()} == {"removed"}


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

    ready = asked(exported(Inlined(), torch.ones(3, requires_grad=True)), backends=["xnnpack"])
    assert cells(ready)["aten.cos.default"]["runs on"] == "backend"
    assert {*where(ready, "removed")} == {"wrap_with_set_grad_enabled", "wrap_with_autocast"}
    assert "XNNPACK would run 3 of 3 calls" in ready.headline


def test_a_backend_that_cannot_be_asked_leaves_its_answer_open() -> None:
    pooled = OfSize(lambda x: torch.nn.functional.max_pool2d(x.relu(), 2))
    session = exir_viz.Session(pooled, IMAGE)
    ready = asked(session.root, backends=["xnnpack"])
    assert {one["runs on"] for one in cells(ready).values()} == {"not known"}
    assert "2 of 2 calls are not known." in ready.headline
    assert "gain" not in next(iter(cells(ready).values()))
    (note,) = ready.unexamined
    assert note == (
        "XNNPACK could not be asked: tuple index out of range. "
        "Lower to edge first, then it answers: stage.edge()."
    )
    lowered = asked(session.root.edge(), backends=["xnnpack"])
    assert lowered.unexamined == ()
    assert sum(one["XNNPACK"] for one in cells(lowered).values()) >= 1


def test_a_program_that_does_not_lower_is_blocked() -> None:
    shapes = ({0: torch.export.Dim("batch", min=2, max=16)},)
    summed = OfSize(lambda x: x.new_zeros(torch.sym_sum([x.shape[0], x.shape[0], 1])))
    ready = asked(exported(summed, torch.ones(6, 4), dynamic_shapes=shapes), backends=())
    assert ready.outcome.value == "error"
    assert ready.headline.startswith("Lowering to edge fails: Unsupported target type")
    assert "No " not in ready.headline


def test_without_lowering_the_text_says_how_much_is_not_known(session: exir_viz.Session) -> None:
    ready = asked(session.root.snapshot)
    unknown = where(ready, "not known")
    assert "aten.linear.default" in unknown
    assert ready.headline == f"No known operator blocks lowering. {len(unknown)} of 6 calls are not known."
    assert not {"gain", "becomes"} & cells(ready)["aten.linear.default"].keys()
    (note,) = ready.unexamined
    assert note.startswith(f"Where {len(unknown)} operators run is not known")
    assert asked(session.root.edge().snapshot).unexamined == ()


class Two(nn.Module):
    """Two delegates with a cumsum between them, and a buffer that is written."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.register_buffer("count", torch.zeros(2, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(1)
        found: torch.Tensor = self.second(self.first(x).cumsum(-1)) + self.count
        return found


@pytest.fixture(scope="module")
def two() -> dict[str, exir_viz.types.Stage]:
    backend = exir_viz.Session(Two().eval(), torch.ones(2, 4)).root.backend("xnnpack")
    return {"backend": backend, "executorch": backend.executorch()}


@pytest.mark.parametrize("name", ["backend", "executorch"])
def test_what_to_fix_first_says_why_and_what_helps(
    two: dict[str, exir_viz.types.Stage], name: str, tmp_path: Path
) -> None:
    """Files keep reasons and remedies; memory planning does not lose them."""
    snapshot = two[name].snapshot
    report = asked(snapshot)
    first = section(report, "Fix first").rows[0]
    assert first.title.startswith("aten.cumsum")
    assert first.reason == "XNNPACK has no config for aten.cumsum.default."
    assert first.remedy == "Rewrite the line with operators that XNNPACK supports."
    values = cells(report, "Fix first")[first.title]
    assert (values["touched delegates"], values["transferred"], values["bytes"]) == (2, 2 * 32, 2 * 32)
    again = asked(snapshot.save(tmp_path / "stage.exirviz"))
    assert again.table().rows == report.table().rows
    left = [row for title in ("Fix first", "Other ops on the CPU") for one in report.sections
            if one.title == title for row in one.rows]  # fmt: skip
    backs = [row.title for row in left if row.reason.startswith("to_executorch adds it")]
    assert backs == (["aten.copy_.default"] if name == "executorch" else [])
    share = share_of(snapshot)
    assert sum(len(row.nodes) for row in left) == share.on_cpu
    facts = {one.label: one.text for one in report.facts}
    assert facts["delegated"].startswith(f"{share.delegated} of {share.ops} ops (")


def test_delegates_say_what_they_hold_and_transfer(two: dict[str, exir_viz.types.Stage]) -> None:
    report = asked(two["backend"].snapshot)
    found = cells(report, "Delegates")
    assert facts_of(report)["delegates"] == str(len(found)) == "2"
    assert [one["module"] for one in found.values()] == ["first", ""]
    moved = sum(one["transferred"] for one in found.values())
    assert facts_of(report)["transferred"] == f"{moved} B"
    assert found["XNNPACK 1"]["transferred"] == 2 * 32
    assert sum(one["ops"] for one in found.values()) == share_of(two["backend"].snapshot).delegated


def facts_of(report: Report) -> dict[str, str]:
    return {one.label: one.text for one in report.facts}


@pytest.mark.parametrize("executor", ["cpu", "executorch"])
def test_times_of_delegates_and_other_ops_are_those_of_the_run(
    two: dict[str, exir_viz.types.Stage], executor: str
) -> None:
    """An executor times the call of a delegate, its ops, or both: each counts once."""
    profile = exir_viz.profile(two["backend"], torch.ones(2, 4), repeats=3, executor=executor)
    report = asked(profile)
    titles = ("Fix first", "Other ops on the CPU", "Delegates")
    times = [one["time"] for section in report.sections if section.title in titles
             for one in cells(report, section.title).values()]  # fmt: skip
    measured = {cost.node.id: profile.share(cost.time) for cost in profile if cost.time is not None}
    others = {node for node in measured if "getitem" in node}
    assert sum(time for time in times if time is not None) == pytest.approx(
        sum(share for node, share in measured.items() if node not in others)
    )
    assert any(one["time"] for one in cells(report, "Delegates").values())


def test_a_file_does_not_say_what_its_delegates_hold(
    two: dict[str, exir_viz.types.Stage], tmp_path: Path
) -> None:
    report = asked(two["executorch"].save_pte(tmp_path / "model.pte"))
    assert facts_of(report)["delegated"] == "unknown: the file does not list delegated ops"
    first = section(report, "Fix first")
    assert "No reasons recorded. Lower the model in a Session to see why." in first.note
    assert not any(row.reason for row in first.rows)


@pytest.mark.nightly
def test_asking_all_backends_leaves_the_loggers_of_the_user(tmp_path: Path) -> None:
    """Vulkan's partitioner sets the level of the root logger when it is imported, and logs each decision."""
    pytest.importorskip("executorch.backends.vulkan.partitioner.vulkan_partitioner")
    code = (
        "import logging, torch\n"
        "from exir_viz import reports\n"
        "def state(): return logging.getLogger().level, list(logging.getLogger().handlers)\n"
        "before = state()\n"
        "program = torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))\n"
        "ready = reports.run('delegation', program)\n"
        "print(state() == before, ready.headline.count('would run') > 1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
    assert "INFO" not in done.stderr
