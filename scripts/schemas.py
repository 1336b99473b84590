"""Write exir_viz/compare/normalize/schemas.txt: what ops declare, for files, which do not carry it.

python scripts/schemas.py: every overload of the ops that exir_viz knows the kind of, and of what ExecuTorch's
kernels implement. Ops that the installed packages do not declare stay in the file: programs that other
versions of torch saved call them. `--check` only says whether the file is what this command would write.
"""

from __future__ import annotations

import re
import sys
from importlib.resources import files
from pathlib import Path

import torch
import yaml
from executorch.exir.passes import dim_order_ops_registry  # noqa: F401  registers ops
from torch.ao.quantization.fx import _decomposed  # noqa: F401  registers ops

from exir_viz.snapshot.opkind import ASSERTS, KINDS

PATH = Path(__file__).parents[1] / "exir_viz" / "compare" / "normalize" / "schemas.txt"
_KERNELS = ("portable/functions", "portable/custom_ops", "portable/et_copy_ops", "quantized/quantized")
_ENDING = re.compile(r"(_copy)?_?$")


def schemas() -> str:
    """One schema a line, without what it returns, in order."""
    emitted = set(_emitted())
    declared = map(str, torch._C._jit_get_all_schemas())
    return "\n".join(sorted(one.rpartition(" -> ")[0] for one in declared if _is_told(one, emitted))) + "\n"


def merged(known: str, declared: str) -> str:
    """What is declared now, and what was known of ops that are not."""
    by_op = {line.partition("(")[0]: line for line in (*known.splitlines(), *declared.splitlines())}
    return "\n".join(sorted(by_op.values())) + "\n"


def _emitted() -> list[str]:
    """What ExecuTorch's kernels implement: "aten::add.out"."""
    folder = files("executorch") / "kernels"
    listed = [one for name in _KERNELS for one in yaml.safe_load((folder / f"{name}.yaml").read_text())]
    names = [(one.get("op") or one["func"]).partition("(")[0] for one in listed]
    return [name if "::" in name else f"aten::{name}" for name in names]


def _is_told(schema: str, emitted: set[str]) -> bool:
    head = schema.partition("(")[0]
    namespace, _, name = head.partition("::")
    if head in emitted or namespace in {"dim_order_ops", "quantized_decomposed"}:
        return True
    base = name.partition(".")[0]
    known = {*ASSERTS, *(op for kind in KINDS.values() for op in kind.ops)}
    return (
        namespace == "aten"
        and not known.isdisjoint({base, _ENDING.sub("", base)})
        and "Tensor" in schema
        and "Dimname" not in schema
    )


if __name__ == "__main__":
    known = PATH.read_text("utf-8")
    wanted = merged(known, schemas())
    if "--check" in sys.argv:
        sys.exit(0 if known == wanted else f"{PATH} is not as the packages have it.")
    PATH.write_text(wanted, "utf-8")
