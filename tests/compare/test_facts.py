"""Changes outside the nodes: signature, state, symbols, ranges, guards, sizes, memory, methods."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import torch

import exir_viz
from exir_viz.compare.classify.differences import fact
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import Arena, Dialect, Range, Signature
from tests.snapshot.sample import sample

replace = msgspec.structs.replace


def with_method(snapshot: Snapshot, **record: object) -> Snapshot:
    """The sample with other fields of its method's record."""
    methods = (replace(snapshot.skeleton.methods[0], **record), *snapshot.skeleton.methods[1:])
    return Snapshot(replace(snapshot.skeleton, methods=methods), snapshot.detail)


def with_detail(snapshot: Snapshot, **detail: object) -> Snapshot:
    methods = (replace(snapshot.detail.methods[0], **detail), *snapshot.detail.methods[1:])
    return Snapshot(snapshot.skeleton, replace(snapshot.detail, methods=methods))


def with_signature(snapshot: Snapshot, signature: Signature) -> Snapshot:
    graphs = (replace(snapshot.skeleton.graphs[0], signature=signature), *snapshot.skeleton.graphs[1:])
    return Snapshot(replace(snapshot.skeleton, graphs=graphs), snapshot.detail)


def texts(a: Snapshot, b: Snapshot) -> list[str]:
    return [fact.text for fact in exir_viz.diff(a, b).facts]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("parameter f32[8]", "parameter f32[16]", "f32[8] → f32[16]"),
        ("parameter f32[8]", "buffer f32[8]", "parameter f32[8] → buffer f32[8]"),
        ("f32[8] weight", "f32[8] bias", "f32[8] weight → f32[8] bias"),
        ("parameter", "parameter f32[8]", "parameter → parameter f32[8]"),
    ],
)
def test_only_a_common_kind_is_left_out_of_a_change(before: str, after: str, said: str) -> None:
    assert fact("input", "x", before, after).text == f"input `x`: {said}"


def test_nothing_where_nothing_changed() -> None:
    assert texts(sample(), sample()) == []


@pytest.mark.parametrize(
    ("symbol", "there", "back"),
    [
        (
            {"upper": "4"},
            "symbol `batch` narrowed: 0 to ∞ → 0 to 4",
            "symbol `batch` widened: 0 to 4 → 0 to ∞",
        ),
        (
            {"lower": "2"},
            "symbol `batch` narrowed: 0 to ∞ → 2 to ∞",
            "symbol `batch` widened: 2 to ∞ → 0 to ∞",
        ),
    ],
)
def test_a_range_narrowed(symbol: dict[str, str], there: str, back: str) -> None:
    (one,) = sample().method.symbols
    narrow = with_method(sample(), symbols=(replace(one, **symbol),))
    assert texts(sample(), narrow) == [there]
    assert texts(narrow, sample()) == [back]


def test_a_symbol_specialized() -> None:
    fixed = with_method(sample(), symbols=(), ranges=())
    values = tuple(
        replace(value, shape=tuple(8 if dim == "s0" else dim for dim in value.shape))
        if hasattr(value, "shape")
        else value
        for value in fixed.skeleton.values
    )
    fixed = Snapshot(replace(fixed.skeleton, values=values), fixed.detail)
    diff = exir_viz.diff(sample(), fixed)
    assert "symbol `batch` was specialized to 8" in [fact.text for fact in diff.facts]
    assert "symbol `batch` added where 8 was fixed" in texts(fixed, sample())
    assert diff.of(fixed.method.graph["x"]).reason == "`input`: shape [batch, 4] → [8, 4]"


def test_a_range_of_an_expression() -> None:
    more = with_method(sample(), ranges=(*sample().method.ranges, Range("2*s0", "0", "16")))
    assert texts(sample(), more) == ["range of `2*batch` added: 0 to 16"]


def test_a_mutation_gone_and_a_buffer_gone() -> None:
    signature = sample().method.signature
    less = with_signature(sample(), replace(signature, outputs=signature.outputs[1:]))
    assert texts(sample(), less) == ["output `steps` removed: buffer mutation f32[]"]
    no_buffer = tuple(spec for spec in signature.inputs if spec.target != "steps")
    less = with_signature(sample(), replace(signature, inputs=no_buffer))
    assert texts(less, sample()) == ["input `steps` added: buffer f32[]"]


def test_a_symbol_of_another_name_is_the_same() -> None:
    """s0 renamed to s12: the same size of the same input, so nothing changed."""
    renamed = msgspec.json.decode(
        msgspec.json.encode(sample().skeleton).replace(b'"s0"', b'"s12"'), type=type(sample().skeleton)
    )
    other = Snapshot(renamed, sample().detail)
    assert other.method.symbols[0].name == "s12"
    assert exir_viz.diff(sample(), other).is_empty
    assert exir_viz.diff(other, sample()).is_empty


def test_two_symbols_never_become_one() -> None:
    """Here s12 replaces s0, but there is another s0: no renaming is possible."""
    (one,) = sample().method.symbols
    both = with_method(sample(), symbols=(replace(one, name="s12"), replace(one, bindings=())))
    assert texts(sample(), both) == ["symbol `s12` added"]


def test_state_and_sizes() -> None:
    less = with_method(sample(), state=sample().method.state[2:])
    found = texts(sample(), less)
    assert "state `fc.weight` removed: parameter f32[4, 4], 64 B" in found
    assert "parameters: 16 → 0" in found


def test_guards_memory_and_dialect() -> None:
    a = with_detail(sample(), guards=("s0 < 9",), arenas=(Arena(1, 1024),))
    b = with_detail(sample(), arenas=(Arena(1, 2048), Arena(2, 16)))
    b = with_method(b, dialect=Dialect.ATEN_CORE)
    assert texts(a, b) == [
        "dialect `forward`: aten → aten.core",
        "guard `batch < 9` removed",
        "memory `arena 1`: 1,024 bytes on cpu → 2,048 bytes on cpu",
        "memory `arena 2` added: 16 bytes on cpu",
    ]


def test_methods_by_name() -> None:
    two = Snapshot(
        replace(
            sample().skeleton,
            methods=(sample().skeleton.methods[0], replace(sample().skeleton.methods[0], name="prefill")),
        ),
        replace(sample().detail, methods=sample().detail.methods * 2),
    )
    assert texts(sample(), two) == ["method `prefill` added"]
    assert texts(two, sample()) == ["method `prefill` removed"]


def test_a_buffer_that_is_no_longer_saved() -> None:
    signature = sample().method.signature
    inputs = tuple(
        replace(spec, persistent=False) if spec.target == "steps" else spec for spec in signature.inputs
    )
    lost = with_signature(sample(), replace(signature, inputs=inputs))
    assert texts(sample(), lost) == ["input `steps`: f32[] → f32[], not persistent"]
    assert texts(lost, sample()) == ["input `steps`: f32[], not persistent → f32[]"]
    unknown = tuple(replace(spec, persistent=None) for spec in signature.inputs)
    assert texts(lost, with_signature(sample(), replace(signature, inputs=unknown))) == []


def test_an_input_without_a_name_is_that_at_its_place() -> None:
    """ExecuTorch serialises no names of arguments."""
    signature = sample().method.signature

    def called(**paths: str) -> Snapshot:
        inputs = tuple(replace(spec, path=paths.get(spec.arg.name, spec.path)) for spec in signature.inputs)
        return with_signature(sample(), replace(signature, inputs=inputs))

    unnamed = called(x="args[0]", y="args[1]")
    assert texts(sample(), unnamed) == texts(unnamed, sample()) == []
    other = next(spec.path for spec in signature.inputs if spec.arg.name == "x")
    assert f"input `{other}` removed: f32[batch, 4]" in texts(sample(), called(x="another"))


def test_unused_items_are_no_calls_more(tmp_path: Path) -> None:
    """torch writes a getitem for each result of an op into a file; export drops those that nothing uses."""
    program = torch.export.export(torch.nn.GroupNorm(2, 4), (torch.ones(2, 4, 3),)).run_decompositions()
    torch.export.save(program, tmp_path / "norm.pt2")
    sides = exir_viz.load(program), exir_viz.load(tmp_path / "norm.pt2")
    diff = exir_viz.diff(*sides)
    items = [sum(node.target.name == "getitem" for node in side.method.graph) for side in sides]
    assert items[0] < items[1]
    assert diff.ops == ()
