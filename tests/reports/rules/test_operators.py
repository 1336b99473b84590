"""The recorded facts about operators are what torch and ExecuTorch say."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest
import torch

from exir_viz.readers.targets import target_of
from exir_viz.snapshot.operators import facts_of, known_operators
from exir_viz.torch_internals.edge import allows_dtypes, edge_operator
from exir_viz.torch_internals.operators import OpOverload

KNOWN = known_operators()
SAME = all(version(name).partition("+")[0] == KNOWN.versions[name] for name in ("torch", "executorch"))


def operator(name: str) -> OpOverload:
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")


@pytest.mark.skipif(not SAME, reason="recorded from another version of torch")
def test_core_aten_is_what_torch_tags() -> None:
    assert {name for name in KNOWN.core if torch.Tag.core not in operator(name).tags} == set()
    assert operator("aten::silu").name() not in KNOWN.core
    assert len(KNOWN.core) > 180


def test_effects_agree_with_schemas() -> None:
    """What the file says of an operator without its schema is what its schema says."""
    graph = torch.fx.Graph()
    names = [name for name in KNOWN.writes | KNOWN.aliases | KNOWN.core if is_in_torch(name)]
    assert len(names) > 200
    for name in random.Random(0).sample(sorted(names), 200):
        target = target_of(graph.call_function(operator(name), ()))
        with_schema, without = facts_of(target), facts_of(type(target)(**{**fields(target), "schema": None}))
        assert with_schema == without, name


def is_in_torch(name: str) -> bool:
    """Later versions of torch have lost some operators of aten."""
    namespace, _, rest = name.partition("::")
    return namespace == "aten" and hasattr(torch.ops.aten, rest.partition(".")[0])


def fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__struct_fields__}


def test_dtypes_are_allowed_as_executorch_allows_them() -> None:
    """Random dtypes of every operator that has a rule: both say yes, or both say no."""
    draw, said = random.Random(0), {True: 0, False: 0}
    for name, rule in KNOWN.dtypes.items():
        edge = edge_operator(operator(name))
        tensors = [one for one in rule.names if one in set(_tensors(edge))]
        rows = rule.rows * 2 if len(rule.rows) < 4 else rule.rows
        for row in draw.sample(rows, min(len(rows), 4)):
            dtypes = {one: draw.choice(sorted(rule.aliases[row[one]])) for one in tensors}
            allowed = rule.allows(dtypes)
            assert allowed == allows_dtypes(edge, {one: getattr(torch, it) for one, it in dtypes.items()})
            said[allowed] += 1
    assert min(said.values()) > 50


def _tensors(edge: Any) -> Iterator[str]:
    for one in edge._schema.arguments:
        if "Tensor" in str(one.type):
            yield one.name
    for at, one in enumerate(edge._schema.returns):
        yield one.name or f"__ret_{at}"
