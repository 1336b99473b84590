"""Where the corpus is kept. What another torch or other sources made is deleted before anybody reads it.

A stamp, an empty file beside the files, is named by the hash of what they were made from.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("EXIR_VIZ_CORPUS", ROOT / ".cache" / "corpus"))
# Stages, and the exact pairs of their nodes, that the tests of the matcher read.
COMPARED = FOLDER.parent / "compare"


@functools.cache
def discard_outdated() -> None:
    """Delete the programs that other recipes made, and what other sources of ours made from programs."""
    if "EXIR_VIZ_KEEP_CORPUS" in os.environ:  # a mutant's tests read what the sources made without it
        return
    programs = ("corpus/concepts.py", "corpus/models.py", "corpus/programs.py")
    others = ("corpus/compared.py", "corpus/staged.py", "compare/mutate.py", "compare/truth.py")
    recipes = hash_of((ROOT / "tests" / name for name in programs), version("torch"))
    sources = [*sorted((ROOT / "exir_viz").rglob("*.py")), *(ROOT / "tests" / name for name in others)]
    products = hash_of(sources, recipes, version("executorch"))
    keep_made_from(recipes, FOLDER, "*.pt2")
    keep_made_from(products, FOLDER, "*.exirviz", "*.stages.json", "*.diff.json")
    keep_made_from(products, COMPARED, "*.exirviz", "*.json")


def hash_of(files: Iterable[Path], *versions: str) -> str:
    content = hashlib.sha256(" ".join(versions).encode())
    for file in files:
        content.update(f"{file.relative_to(ROOT).as_posix()}\0".encode() + file.read_bytes())
    return content.hexdigest()[:16]


def keep_made_from(made_from: str, folder: Path, *patterns: str) -> None:
    """Delete the files of these patterns, unless their stamp says that they are made from this."""
    kind = patterns[0].removeprefix("*.")
    stamp = folder / f"{made_from}.{kind}.stamp"
    if stamp.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for pattern in (*patterns, f"*.{kind}.stamp"):
        for file in folder.glob(pattern):
            file.unlink(missing_ok=True)
    stamp.touch()
