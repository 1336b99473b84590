"""Convert the texts of dimensions to the `dynamic_shapes` of torch.export, and back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch.export import AdditionalInputs, Dim, ShapesCollection

from exir_viz.stages.live import ExportInputs, NotPossible
from exir_viz.torch_internals import export as torch_internals
from exir_viz.torch_internals.pytrees import pytree

from .dimension_spec import Cells, DimensionKind, DimensionSpec, bounds, parse_all

_HINTS = {DimensionKind.DYNAMIC: Dim.DYNAMIC, DimensionKind.AUTO: Dim.AUTO}


def torch_shapes(
    cells: Cells, exported: ExportInputs, names: Iterable[str], spec: pytree.TreeSpec
) -> dict[str, Any]:
    """Build `dynamic_shapes`, in the structure of the inputs.

    names: of the inputs, in the program's order. spec: the pytree spec of (args, kwargs).
    """
    torch_internals.DYNAMIC_SHAPES.required()
    known = list(names)
    unknown = [name for name in cells if name not in known]
    if unknown:
        raise NotPossible(f"Cannot find input {unknown[0]!r}. Inputs: {', '.join(known) or 'nothing'}.")
    roots = {name: Dim(name, min=one.lower, max=one.upper) for name, one in bounds(cells).items()}
    dims_by_input: dict[str, dict[str, DimensionSpec]] = defaultdict(dict)
    for name, position, choice in parse_all(cells):
        dims_by_input[name][position] = choice
    combined = torch_internals.combined(exported.module, exported.args, exported.kwargs)
    ordered = iter(_in_order(pytree.tree_leaves(combined), exported, known, spec))

    def of_leaf(_path: object, leaf: object) -> Any:
        name = next(ordered)
        return _of_leaf(name, leaf, dims_by_input.get(name, {}), roots)

    # torch requires lists in place of the user's own container classes; its function does this.
    return torch_internals.map_leaves(of_leaf, combined)  # type: ignore[no-any-return]


def _in_order(
    leaves: Iterable[object], exported: ExportInputs, names: Iterable[str], spec: pytree.TreeSpec
) -> list[str]:
    """Reorder the names of leaves to the order of forward's signature; `names` are in the program's order."""
    passed = pytree.tree_leaves((exported.args, torch_internals.in_programs_order(exported.kwargs, spec)))
    # An input that is passed twice is in the list twice: each takes the next of its names.
    of_leaf: dict[int, list[str]] = defaultdict(list)
    for leaf, name in zip(passed, names, strict=False):
        of_leaf[id(leaf)].append(name)
    return [of_leaf[id(leaf)].pop(0) if of_leaf[id(leaf)] else "" for leaf in leaves]


def _of_leaf(
    name: str, leaf: object, dims_by_input: Mapping[str, DimensionSpec], roots: Mapping[str, Dim]
) -> Any:
    found = {position: _dim(choice, roots) for position, choice in dims_by_input.items()}
    if not isinstance(leaf, torch.Tensor):
        return found.get("")
    wrong = [position for position in found if not position.isdigit() or int(position) >= leaf.dim()]
    if wrong:
        raise NotPossible(f"Cannot find dimension {wrong[0]!r} of {name}: it has {leaf.dim()}.")
    return {int(position): dim for position, dim in found.items() if dim is not None} or None


def _dim(choice: DimensionSpec, roots: Mapping[str, Dim]) -> Any:
    if choice.kind is DimensionKind.STATIC:
        return None
    if choice.kind is not DimensionKind.NAMED:
        hint = _HINTS[choice.kind]
        return hint if choice.lower is choice.upper is None else hint(min=choice.lower, max=choice.upper)
    dim: Any = roots[choice.root]
    if choice.factor != 1:
        dim = choice.factor * dim
    return dim + choice.offset if choice.offset else dim


def all_alike(kind: str, program_rows: Iterable[Any]) -> dict[str, dict[str, str]]:
    """The same text for every dimension of every input."""
    cells: dict[str, dict[str, str]] = defaultdict(dict)
    for row in program_rows:
        cells[row.input]["" if row.dim is None else str(row.dim)] = kind
    return dict(cells)


def cells_of(
    shapes: Any, exported: ExportInputs, names: Iterable[str], spec: pytree.TreeSpec
) -> dict[str, dict[str, str]]:
    """The texts for the `dynamic_shapes` that the user passed."""
    if shapes is None or not torch_internals.DYNAMIC_SHAPES.is_usable():
        return {}
    args, kwargs = exported.args, dict(exported.kwargs)
    if isinstance(shapes, ShapesCollection | AdditionalInputs):
        shapes = shapes.dynamic_shapes(exported.module, args, kwargs)  # type: ignore[no-untyped-call]
    found: list[tuple[object, Any]] = []
    combined: Any = torch_internals.combined(exported.module, args, kwargs)
    if isinstance(shapes, tuple | list):
        combined = type(shapes)(combined.values())
    torch_internals.map_leaves(lambda _path, leaf, one: found.append((leaf, one)), combined, shapes)
    ordered = _in_order((leaf for leaf, _ in found), exported, names, spec)
    pairs = zip(ordered, found, strict=True)
    return {name: cells for name, (_, one) in pairs if (cells := _cells(one))}


def _cells(spec: Any) -> dict[str, str]:
    if isinstance(spec, Mapping):
        entries = [(str(position), one) for position, one in spec.items()]
    elif isinstance(spec, list | tuple):
        entries = [(str(position), one) for position, one in enumerate(spec)]
    else:
        entries = [("", spec)]
    return {position: str(_choice(one)) for position, one in entries if one is not None}


def _choice(dim: Any) -> DimensionSpec:
    if torch_internals.is_derived(dim):
        offset = int(dim.fn(0))
        return DimensionSpec(
            DimensionKind.NAMED, dim.root.__name__, int(dim.fn(1)) - offset, offset, *_limits(dim.root)
        )
    if isinstance(dim, Dim):
        return DimensionSpec(DimensionKind.NAMED, dim.__name__, lower=_limits(dim)[0], upper=_limits(dim)[1])
    if torch_internals.is_hint(dim):
        kind = DimensionKind(dim.type.name.lower())
        return (
            DimensionSpec()
            if kind is DimensionKind.STATIC
            else DimensionSpec(kind, lower=dim.min, upper=dim.max)
        )
    return DimensionSpec()


def _limits(dim: Any) -> tuple[int | None, int | None]:
    return dim.min or None, dim.max if isinstance(dim.max, int) else None
