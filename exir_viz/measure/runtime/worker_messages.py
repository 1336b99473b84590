"""The requests to the process that runs programs in the ExecuTorch runtime, and its answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Run(NamedTuple):
    """A request: run a method of a program. `data` is sent once for each key.

    `constants`: positions of inputs that are left out if the method takes fewer. `libraries`: files that the
    kernel has loaded with `torch.ops.load_library`: they register kernels of custom ops in the runtime.
    `is_fresh`: a method keeps what it writes to its state from run to run; this run begins with the first.
    """

    key: int
    data: bytes | None
    method: str
    inputs: tuple[Any, ...]
    constants: tuple[int, ...] = ()
    libraries: tuple[str, ...] = ()
    is_fresh: bool = False


class MethodCall(NamedTuple):
    """A method of a `.pte`, and its inputs; `constants` as in `Run`. Calls of the same bytes share them."""

    data: bytes
    method: str
    inputs: tuple[Any, ...]
    constants: tuple[int, ...] = ()


class PartCalls(NamedTuple):
    """A program of one delegate, and its empty counterpart."""

    alone: MethodCall
    empty: MethodCall


class Measure(NamedTuple):
    """A request: run rounds of a whole program and its parts; the answer is a `Taken`."""

    whole: MethodCall
    parts: Mapping[str, PartCalls]
    warmup: int
    repeats: int
    threads: int
    libraries: tuple[str, ...] = ()


class Advanced(NamedTuple):
    """Before the answer to `Measure`: what is done, and how much of it. `Proceed` must follow."""

    what: str
    done: int
    total: int


class Proceed(NamedTuple):
    """The reply to `Advanced`; with `is_stopped` the rounds end, and complete ones are kept."""

    is_stopped: bool


class Forget(NamedTuple):
    """A request: free all programs."""


class Outputs(NamedTuple):
    """An answer: what the method returned."""

    values: list[Any]


class Failed(NamedTuple):
    """An answer: why it could not run; `op` and `given` are those of the error."""

    reason: str
    op: str = ""
    given: str = ""
