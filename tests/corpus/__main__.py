"""python -m tests.corpus [NAME[.core|.stages|.diff] …]: build what tests and benchmarks read from.

Each program is written as `.pt2`, and as `.exirviz` for the readers that are not Python; stages and
comparisons as one JSON. What is there is kept.
"""

from __future__ import annotations

import sys
import warnings

import exir_viz

from .compared import compared
from .garbage import collect_less_often
from .programs import FOLDER, archive
from .staged import DELEGATED, staged

# What the front end's tests read: every shape of program, small and large.
DEFAULT = ("control_flow", "control_flow.core", "buffer_mutation", "buffer_mutation.core", "related_dims",
           "unbacked", "dynamic_batch", "nested_cond", "module_called_twice", "hostile_names", "resnet50",
           "mobilenetv2.core", "bert.core", "vit.core", "gpt2", "llama32.core", "deep10k", "bert.stages",
           "resnet50.stages", "dynamic_batch.stages", "training_mode.stages", "dropout.diff",
           "core.diff", "same.diff", "mutant.diff", "emitted.diff",
           *(f"{name}.stages" for name in DELEGATED))  # fmt: skip


def main(names: list[str]) -> None:
    warnings.filterwarnings("ignore")
    collect_less_often()
    for name in names or DEFAULT:
        if name.endswith(".stages"):
            staged(name.removesuffix(".stages"))
            continue
        if name.endswith(".diff"):
            compared(name.removesuffix(".diff"))
            continue
        snapshot = FOLDER / f"{name}.exirviz"
        if not snapshot.exists():
            base, _, level = name.partition(".")
            exir_viz.load(archive(base, level or "aten")).save(snapshot, absolute_paths=True)


if __name__ == "__main__":
    main(sys.argv[1:])
