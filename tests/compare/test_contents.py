"""The bytes of weights, constants and delegates: compared if possible, and reported if not."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
import torch
from torch import nn
from torch.export import ExportedProgram, export

import exir_viz
from exir_viz.readers import graphs
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import Notice
from tests.readers import pte_files
from tests.snapshot.sample import sample

replace = msgspec.structs.replace


class Scaled(nn.Module):
    """A linear, a buffer, and a constant that is written in `forward`."""

    def __init__(self, seed: int = 0, constant: float = 1.0, mean: float = 0.0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.lin = nn.Linear(4, 4)
        self.register_buffer("mean", torch.full((4,), mean))
        self.constant = constant

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (self.lin(x) - self.mean) * torch.tensor([self.constant, 2.0, 3.0, 4.0])


def scaled(**options: float) -> ExportedProgram:
    return export(Scaled(**options).eval(), (torch.ones(2, 4),))


def saved(program: ExportedProgram, path: Path) -> Path:
    torch.export.save(program, path)
    return path


def with_checksums(snapshot: Snapshot, *checksums: int | None) -> Snapshot:
    """The sample, its state with these checksums in order."""
    (method,) = snapshot.skeleton.methods
    state = tuple(replace(entry, crc32=crc32) for entry, crc32 in zip(method.state, checksums, strict=True))
    methods = (replace(method, state=state),)
    return Snapshot(replace(snapshot.skeleton, methods=methods), snapshot.detail)


def test_other_weights_and_constants_are_changes(tmp_path: Path) -> None:
    before = scaled()
    for other, differ in (
        (scaled(seed=1), {"p_lin_weight", "p_lin_bias"}),
        (scaled(constant=99.0), {"c_lifted_tensor_0"}),
        (scaled(mean=1.0), {"b_mean"}),
    ):
        files = saved(before, tmp_path / "a.pt2"), saved(other, tmp_path / "b.pt2")
        for diff in (exir_viz.diff(before, other), exir_viz.diff(*files), exir_viz.diff(before, files[1])):
            assert not diff.is_empty
            assert {one.a[0].name for one in diff.changes} == differ
            assert {one.fields for one in diff.changes} == {("content",)}
            verb = "have" if len(differ) > 1 else "has"
            told = f"{len(differ)} of 4 weights {verb} different values"
            assert diff.contents.texts == (told,)
            assert diff.contents.left == ()
            assert f"~  {len(differ)}×  input: different values" in str(diff)
            assert f"\n  {told}\n" in f"{diff}\n"
            assert told in diff.to_markdown()
            assert json.loads(diff.to_json())["contents"]["other_weights"] == len(differ)
            assert set(diff.frame.query("kind == 'changed'").fields) == {"content"}
            assert sum(row.kind == "changed" for row in diff.text()) == len(differ)
    assert exir_viz.diff(before, saved(scaled(), tmp_path / "a.pt2")).is_empty


def test_a_module_whose_weights_are_other_is_changed() -> None:
    modules = {one.path: one for one in exir_viz.diff(scaled(), scaled(seed=1)).modules}
    assert (modules["lin"].own.changed, modules[""].counts.changed, modules[""].own.changed) == (2, 2, 0)


def test_what_carries_no_checksum_is_not_called_the_same() -> None:
    old = exir_viz.load(Path(__file__).parents[1] / "snapshot" / "without_checksums.exirviz")
    count = len(sample().method.state)
    new = with_checksums(sample(), *range(count))
    for a, b, who in ((old, new, "a carries"), (new, old, "b carries"), (old, old, "a and b carry")):
        diff = exir_viz.diff(a, b)
        assert diff.is_empty
        left = f"{count} weights not compared: {who} no checksum"
        delegate = "1 delegate not compared: a and b carry no checksum"
        assert diff.contents.left == (left, delegate)
        same = f"No difference: all {len(diff)} nodes are the same."
        assert str(diff).endswith(f"{same}\n\nNot compared\n  {left}\n  {delegate}")
        assert diff.to_markdown().endswith(f"{same}\n\n{left}\n\n{delegate}\n")
        assert json.loads(diff.to_json())["contents"]["left"] == [left, delegate]


def test_state_that_no_node_reads_goes_by_its_name() -> None:
    (method,) = sample().skeleton.methods
    more = replace(method.state[0], name="blob", crc32=1)
    pair = []
    for crc32 in (1, 2):
        methods = (replace(method, state=(*method.state, replace(more, crc32=crc32))),)
        pair.append(Snapshot(replace(sample().skeleton, methods=methods), sample().detail))
    diff = exir_viz.diff(*pair)
    assert [fact.text for fact in diff.facts] == ["state `blob`: different values"]
    assert diff.contents.texts == ("the weight that was compared has different values",)


def test_too_much_to_read_is_said_and_a_live_program_is_asked(monkeypatch) -> None:
    monkeypatch.setattr(graphs, "MAX_BYTES", 0)
    one, other = scaled(), scaled(seed=1)
    diff = exir_viz.diff(exir_viz.load(one), exir_viz.load(other))
    assert diff.is_empty
    assert diff.contents.left == (
        "4 weights not compared: a and b have more weights than are read for checksums",
    )
    assert exir_viz.diff(one, other).contents.other_weights == 2  # both are live: everything is read

    root = exir_viz.Session(one).root
    stage = root.decompose()
    shared = exir_viz.diff(root, stage)
    assert (shared.contents.weights, shared.contents.other_weights) == (4, 0)  # the same memory
    assert exir_viz.diff(root, exir_viz.Session(other).root).contents.other_weights == 2


def test_of_stages_that_share_their_weights_nothing_is_read(monkeypatch) -> None:
    monkeypatch.setattr(graphs, "MAX_BYTES", 0)
    root = exir_viz.Session(scaled()).root
    stage = root.decompose()
    monkeypatch.setattr("exir_viz.readers.live_state.checksum", None)
    assert exir_viz.diff(root, stage).contents.weights == 4


def test_dimensions_that_lie_in_another_order_are_said() -> None:
    class Image(nn.Module):
        def __init__(self, form: torch.memory_format) -> None:
            super().__init__()
            self.register_buffer("image", torch.arange(16.0).view(1, 2, 2, 4).contiguous(memory_format=form))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.image

    a, b = (
        export(Image(form), (torch.ones(1, 2, 2, 4),))
        for form in (torch.contiguous_format, torch.channels_last)
    )
    (left,) = exir_viz.diff(a, b).contents.left
    assert left == "1 weight not compared: their dimensions have another order in memory"


def test_a_graph_alone_says_that_its_attributes_are_not_compared() -> None:
    module = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2)))
    module.graph.get_attr("0.weight")
    diff = exir_viz.diff(exir_viz.load(module), exir_viz.load(module))
    assert diff.contents.left == ("1 weight not compared: a and b carry no checksum",)


@pytest.mark.parametrize("notice", [True, False])
def test_delegates_by_their_payload(notice: bool) -> None:
    def payload(crc32: int | None) -> Snapshot:
        graphs = tuple(
            replace(graph, delegate=replace(graph.delegate, crc32=crc32)) if graph.delegate else graph
            for graph in sample().skeleton.graphs
        )
        notices = (Notice("checksums", "too much"),) if notice else ()
        return Snapshot(replace(sample().skeleton, graphs=graphs, notices=notices), sample().detail)

    diff = exir_viz.diff(payload(1), payload(2))
    (change,) = diff.changes
    assert change.fields == ("content",)
    assert change.reason.endswith(": different payload")
    assert diff.contents.texts == ("the only delegate has different bytes",)
    assert exir_viz.diff(payload(1), payload(1)).is_empty
    diff = exir_viz.diff(payload(1), payload(None))
    why = "b has more weights than are read for checksums" if notice else "b carries no checksum"
    assert diff.is_empty
    assert diff.contents.left[-1] == f"1 delegate not compared: {why}"


def test_of_weights_that_not_both_have_it_is_not_the_only_one() -> None:
    """Some have another shape, some are new: each is reported as such."""

    class Deep(nn.Module):
        def __init__(self, width: int, *, is_normed: bool) -> None:
            super().__init__()
            torch.manual_seed(width)
            self.one, self.two = nn.Linear(4, width), nn.Linear(width, 4)
            self.norm = nn.LayerNorm(4) if is_normed else nn.Identity()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.norm(self.two(self.one(x)))

    def told(*others: tuple[int, bool]) -> tuple[str, ...]:
        deep = (Deep(width, is_normed=is_normed).eval() for width, is_normed in others)
        a, b = (export(one, (torch.ones(2, 4),)) for one in deep)
        assert exir_viz.diff(b, a).contents.texts == exir_viz.diff(a, b).contents.texts
        return exir_viz.diff(a, b).contents.texts

    assert told((8, False), (16, False)) == (
        "1 of 4 weights has different values, 3 a different shape or dtype",
    )

    class One(nn.Module):
        def __init__(self, *, is_normed: bool) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.full((4,), 2.0 + is_normed))
            self.norm = nn.LayerNorm(4) if is_normed else nn.Identity()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.norm(x * self.scale)

    a, b = (export(One(is_normed=one).eval(), (torch.ones(2, 4),)) for one in (False, True))
    assert exir_viz.diff(a, b).contents.texts == ("the only weight that both have has different values",)


def test_a_file_holds_no_initial_value_of_what_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "buffers.pte"
    path.write_bytes(pte_files.lowered("buffers").data)
    (left,) = exir_viz.diff(exir_viz.load(path), exir_viz.load(path)).contents.left
    assert left == "1 weight not compared: a and b, as .pte files, hold no initial values of mutable state"


def test_a_file_does_not_say_whether_it_is_core_aten(tmp_path: Path) -> None:
    program = export(nn.Linear(4, 4), (torch.ones(2, 4),)).run_decompositions()
    core = exir_viz.load(program, dialect="aten.core")
    torch.export.save(program, tmp_path / "core.pt2")
    file = exir_viz.load(tmp_path / "core.pt2")
    diff = exir_viz.diff(core, file)
    assert diff.is_empty, str(diff)
    assert "dialect not compared: b, as a .pt2 file, does not say whether it is Core ATen" in str(diff)
    assert "dialect not compared: a," in str(exir_viz.diff(file, core))
    assert [one.topic for one in exir_viz.diff(exir_viz.load(program), core).facts] == ["dialect"]
