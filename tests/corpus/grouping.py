"""Which tests run in one process, one after another, and which of these groups begin first.

A file is a group: its tests share what its fixtures and caches have made. Some files share more than
that, such as a server, and are one group together. What takes longest begins first, so that a run does not
end with one long group.
"""

from __future__ import annotations

from collections.abc import Iterable

# Files whose tests share what is expensive, by the name of their group.
TOGETHER: dict[str, tuple[str, ...]] = {
    # a Jupyter server, and a kernel that has imported torch
    "notebooks": ("tests/ui/test_jupyter.py", "tests/ui/test_jupyter_kernel.py"),
    "sessions in notebooks": (
        "tests/ui/test_jupyter_compare.py",
        "tests/ui/test_jupyter_profile.py",
        "tests/ui/test_jupyter_stages.py",
        "tests/ui/test_notebook_stages.py",
    ),
}
# Groups in the order of the time that they take, as `--durations=0` tells; all others take less.
LONGEST: tuple[str, ...] = (
    "sessions in notebooks",
    "notebooks",
    "tests/measure/test_sweep.py",
    "tests/readers/test_lowered.py",
    "tests/ui/test_mounts.py",
    "tests/ui/test_programs.py",
    "tests/ui/test_scenes.py",
    "tests/measure/test_numbers.py",
    "tests/stages/test_lineage.py",
    "tests/stages/test_backend.py",
    "tests/measure/test_runtime.py",
    "tests/stages/test_quantize.py",
    "tests/readers/test_live.py",
    "tests/ui/test_compared_scenes.py",
    "tests/ui/test_moves.py",
    "tests/ui/test_compare.py",
    "tests/measure/test_values.py",
    "tests/measure/test_figures.py",
    "tests/stages/test_session.py",
    "tests/stages/test_lowering.py",
    "tests/notebooks/test_notebooks.py",
    "tests/ui/test_keyboard.py",
    "tests/ui/test_room.py",
    "tests/widget/test_profiles.py",
    "tests/measure/test_failures.py",
    "tests/readers/test_archive.py",
    "tests/snapshot/test_expr.py",
    "tests/measure/test_profile.py",
    "tests/compare/test_accuracy.py",
    "tests/measure/test_paths.py",
)

_GROUP = {file: group for group, files in TOGETHER.items() for file in files}
_RANK = {group: rank for rank, group in enumerate(LONGEST)}


def group_of(file: str) -> str:
    """The group of a file, which is named from the root of the checkout."""
    return _GROUP.get(file, file)


def rank_of(group: str) -> int:
    """Its place among the groups: the lowest begins first."""
    return _RANK.get(group, len(_RANK))


def unknown(files: Iterable[str]) -> set[str]:
    """What is named here and is neither a file nor a group of files."""
    there = set(files)
    return (set(_GROUP) - there) | (set(LONGEST) - there - set(TOGETHER))
