"""A program → the rows of the form: one for each dimension of each input, with what it is now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from exir_viz.stages.live import NotPossible
from exir_viz.stages.records import InputDim

from .dimension_spec import DimensionKind, DimensionSpec, parse

if TYPE_CHECKING:
    from torch.export import ExportedProgram

Names = Mapping[tuple[str, str], str]
_LEAST: Final = 2


def dimension_rows(program: ExportedProgram, dims: Names, method: str = "forward") -> tuple[InputDim, ...]:
    """The rows of a program. `dims`: names that the user gave, by placeholder and path ("size()[0]")."""
    from exir_viz.readers.symbols import SymbolReader

    reader = SymbolReader()
    ranges = {
        reader.text(expr): (str(limits.lower), str(limits.upper))
        for expr, limits in program.range_constraints.items()
    }
    found = list(_dimensions(program, reader))
    names = {
        text: dims[node, f"size()[{dim}]"]
        for _, node, dim, _, text in found
        if text.isidentifier() and (node, f"size()[{dim}]") in dims
    }
    return tuple(
        InputDim(
            input=path,
            node=f"{method}/{node}",
            dim=dim,
            size=size,
            now=text,
            lower=ranges.get(text, ("", ""))[0],
            upper=ranges.get(text, ("", ""))[1],
            choice=str(_choice(text, dim, names, ranges)),
        )
        for path, node, dim, size, text in found
    )


def input_paths(program: ExportedProgram) -> tuple[str, ...]:
    """The path at which the user passes each input, in the program's order."""
    from exir_viz.readers.signature import paths_of, read_tree

    paths, _ = paths_of(read_tree(program.call_spec.in_spec), None, argument_names(program))
    return tuple(paths or ())


def argument_names(program: ExportedProgram) -> list[str] | None:
    """The names of the arguments that the program was exported with; None if it does not say them."""
    call = next((call for call in program.module_call_graph if call.fqn == "" and call.signature), None)
    return call.signature.forward_arg_names if call and call.signature else None


def _dimensions(
    program: ExportedProgram, reader: Any
) -> Iterator[tuple[str, str, int | None, int | None, str]]:
    """Path, placeholder, position, size and expression of each dimension and each number."""
    import torch

    values = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    users = [spec.arg for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    for path, argument in zip(input_paths(program), users, strict=False):
        value = values.get(argument.name, getattr(argument, "value", None))
        if isinstance(value, torch.Tensor):
            for dim, size in enumerate(value.shape):
                yield (path, argument.name, dim, *_size(size, reader))
        elif isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool):
            yield (path, argument.name, None, *_size(value, reader))


def _size(size: Any, reader: Any) -> tuple[int | None, str]:
    shown = reader.dim(size)
    if isinstance(shown, int):
        return shown, ""
    hint = reader.hint(size)
    return (int(hint) if hint is not None else None), shown


def _choice(
    text: str, dim: int | None, names: Mapping[str, str], ranges: Mapping[str, tuple[str, str]]
) -> DimensionSpec:
    """The initial text of a cell: what the program has now."""
    if not text or dim is None:
        return DimensionSpec(DimensionKind.DYNAMIC if text else DimensionKind.STATIC)
    try:
        found = parse(text)  # a linear expression is written like a relation
    except NotPossible:
        return DimensionSpec(DimensionKind.AUTO)
    texts = ranges.get(found.root, ("", ""))
    # torch's own lower bounds are 0 to 2, whatever bounds the user gave.
    lower = int(texts[0]) if texts[0].isdigit() and int(texts[0]) > _LEAST else None
    upper = int(texts[1]) if texts[1].isdigit() else None
    if found.root in names:
        return replace(found, root=names[found.root], lower=lower, upper=upper)
    # A name promises more than the user gave torch. Without a name, torch finds relations again.
    return (
        DimensionSpec(DimensionKind.DYNAMIC, lower=lower, upper=upper)
        if found.is_plain
        else DimensionSpec(DimensionKind.DYNAMIC)
    )
