"""What `call_count` counts: the calls of one function, and nothing else."""

from __future__ import annotations

import gc
from collections.abc import Callable


class Finalized:
    """Garbage that calls Python when it is collected."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        len("")


def test_finalizers_of_others_are_not_counted(call_count: Callable[[Callable[[], object]], int]) -> None:
    def work() -> object:
        return [[] for _ in range(2 * gc.get_threshold()[0])]  # enough that garbage would be collected

    alone = call_count(work)
    for _ in range(1000):
        Finalized()
    assert call_count(work) == alone
