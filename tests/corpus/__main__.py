"""python -m tests.corpus [NAME[.core|.stages|.diff|.STAGE] …]: build what tests and benchmarks read from.

Each program is written as `.pt2`, and as `.exirviz` for the readers that are not Python; stages and
comparisons as one JSON. What is there, and still as our sources make it, is kept.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from .building import build
from .folder import FOLDER, discard_outdated

DELEGATED = ("llama2dynamic", "qwen2", "llama2", "whisper2", "resnet11", "mobilenetv2", "vit2")
STAGES = ("edge", "xnnpack", "executorch")

# What the front end's tests read: every shape of program, small and large. What stands together shares a
# program or its stages, so that one process builds it; what takes longest begins first.
DEFAULT = (
    ("bert.core", "bert.stages", "core.diff", "same.diff", "mutant.diff"),
    ("resnet50", "resnet50.stages"),
    ("llama32.core", "gpt2"),
    *((f"{name}.stages",) for name in DELEGATED),
    ("dynamic_batch", "dynamic_batch.stages", "emitted.diff"),
    ("mobilenetv2.core", "vit.core", "deep10k"),
    tuple(f"{name}.{stage}" for name in ("llama8", "llama8dynamic") for stage in STAGES),
    ("control_flow", "control_flow.core", "buffer_mutation", "buffer_mutation.core", "related_dims"),
    (
        "unbacked",
        "nested_cond",
        "module_called_twice",
        "hostile_names",
        "training_mode.stages",
        "dropout.diff",
    ),
)


def main(names: tuple[str, ...]) -> None:
    """Build these, or else what the front end's tests read, with a process for each core."""
    discard_outdated()
    missing = [names] if names else [group for group in DEFAULT if not all(map(_is_there, group))]
    if not missing:
        return
    if len(missing) == 1:
        build(missing[0])
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with ProcessPoolExecutor(min(len(missing), os.cpu_count() or 1), get_context("spawn")) as processes:
        list(processes.map(build, missing))  # raises what a process raised


def _is_there(name: str) -> bool:
    file = f"{name}.json" if name.endswith((".stages", ".diff")) else f"{name}.exirviz"
    return (FOLDER / file).exists()


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
