"""The dtypes that the edge dialect allows for an op: the combinations in ExecuTorch's edge.yaml.

The file is read without importing ExecuTorch, which takes seconds.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

from .op_card import DtypeRule
from .op_lookup import FoundOp


def dtype_rule(found: FoundOp) -> DtypeRule | None:
    """The rule of an op; None if edge has no rule for it, or ExecuTorch is not installed."""
    if found.op is None:
        return None
    block = _blocks().get(str(found.op.name()))  # type: ignore[no-untyped-call]
    return _read(block) if block else None


@cache
def _blocks() -> dict[str, str]:
    """The entries of the file by op, unparsed: a card needs one entry of its 138 kB."""
    spec = importlib.util.find_spec("executorch")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    files = [Path(folder) / "exir" / "dialects" / "edge" / "edge.yaml" for folder in folders]
    text = next((file.read_text("utf-8") for file in files if file.is_file()), "")
    entries = text.split("- func: ")[1:]
    return {entry.partition("\n")[0].strip(): f"- func: {entry}" for entry in entries}


def _read(block: str) -> DtypeRule:
    import yaml

    entry = yaml.safe_load(block)[0]
    rows = entry["type_constraint"]
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    aliases = {alias: tuple(dtypes) for alias, dtypes in entry["type_alias"].items()}
    return DtypeRule(names, tuple(tuple(aliases.get(row.get(name), ()) for name in names) for row in rows))
