"""exir_viz: see torch.export programs and the ExecuTorch pipeline.

The verbs, in reading order. Each imports what it needs when it is called, so that importing exir_viz costs
nothing: neither torch nor pandas nor plotly is touched.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from exir_viz.errors import ExirVizError
from exir_viz.extras import is_installed, needs_extra
from exir_viz.snapshot import Snapshot

if TYPE_CHECKING:
    from os import PathLike

    from torch.export import ExportedProgram

    from exir_viz.compare.diff import Diff
    from exir_viz.compare.matching.links import Links
    from exir_viz.compare.numbers.values import Values
    from exir_viz.measure.profile import Profile
    from exir_viz.stages.explain.card import OpCard
    from exir_viz.stages.session import Session
    from exir_viz.widget.explorer import Explorer
    from exir_viz.widget.page import Page

__version__ = "0.1.0"

__all__ = [
    "ExirVizError",
    "Session",
    "Snapshot",
    "__version__",
    "capture",
    "compare_values",
    "diff",
    "explain",
    "explore",
    "load",
    "load_profile",
    "open_program",
    "profile",
]


def __getattr__(name: str) -> object:
    """`exir_viz.Session`, `.tables`, `.figures` and `.measure`, imported when they are first asked for."""
    if name == "Session":
        from exir_viz.stages.session import Session

        return Session
    if name in ("tables", "figures", "measure"):
        return import_module(f"exir_viz.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def explore(x: object, *args: Any, height: int = 600, **options: Any) -> Explorer | Page:
    """Show a program as a picture that one can walk in, in a notebook.

    `x` is anything that `capture` takes, a Snapshot, a Profile, the path of a file that `load` reads, or a
    Session. Of a live program a session is begun, so that the next steps can be made from the picture:
    `.session`. The widget is also a handle: `.select(...)`, `.open(...)`, `.fit()`, `.paint(series)`,
    `.show(profile)`, `.selection`, `.view`. Without the extra `notebook` a frame shows the page of `to_html`.
    """
    if not is_installed("notebook"):
        from exir_viz.widget.page import page_of

        return page_of(x, args, height=height, options=options)
    from os import PathLike

    from exir_viz.measure.profile import Profile
    from exir_viz.widget.explorer import Explorer

    if isinstance(x, Profile):
        explorer = Explorer(x.snapshot, height=height, **options)
        explorer.show(x)
        return explorer
    if isinstance(x, Snapshot):
        return Explorer(x, height=height, **options)
    if isinstance(x, str | PathLike) and not _is_saved_session(x):
        return Explorer(load(x), height=height, **options)

    from exir_viz.stages.live import can_start
    from exir_viz.stages.session import Session
    from exir_viz.widget.stages import SessionExplorer

    if isinstance(x, Session):
        return SessionExplorer(x, height=height, **options)
    if isinstance(x, str | PathLike) or can_start(x):
        return SessionExplorer(Session(x, *args, **options), height=height)
    return Explorer(capture(x, *args, **options), height=height)


def _is_saved_session(path: str | PathLike[str]) -> bool:
    if not str(path).endswith(".exirviz"):
        return False
    from exir_viz.stages.saved import is_session

    return is_session(path)


def capture(x: object, *args: Any, **options: Any) -> Snapshot:
    """Freeze a live program as a Snapshot; the program is not changed.

    `x` is an ExportedProgram, an EdgeProgramManager or ExecutorchProgramManager, a GraphModule, or an
    nn.Module, which is exported with `args` as its example inputs (`kwargs=` and the options of
    torch.export.export may be given). See `exir_viz.readers.live.capture`.
    """
    needs_extra("capture()", "torch")
    from exir_viz.readers.live import capture as live

    return live(x, *args, **options)


def load(path: str | PathLike[str]) -> Snapshot:
    """Read a `.pt2`, `.pte`, ETRecord or `.exirviz` file as data: it executes nothing and needs no torch."""
    from exir_viz.readers.files import load as read

    return read(path)


def open_program(path: str | PathLike[str], *, trust: bool = False) -> ExportedProgram:
    """Make a live program of a `.pt2` file. This can EXECUTE CODE that the file brings.

    torch.export.load unpickles objects and evaluates expressions found in the file: whoever wrote the file
    can run anything on this machine with your rights. Pass `trust=True` only for a file that you or someone
    you trust made. To look at a file, use `load`, which executes nothing.
    """
    from exir_viz.readers.trust import open_program as open_live

    return open_live(path, trust=trust)


def diff(a: object, b: object, *, names: tuple[str, str] | None = None, links: Links | None = None) -> Diff:
    """What changed from `a` to `b`: matches, rules, modules, signature, sizes. Print it for a summary.

    `a` and `b` are Snapshots, stages of a session, paths of files that `load` reads, or anything that
    `capture` takes. Two stages, one made from the other, are compared by their lineage; other programs by
    structure alone. Weights and delegates are compared by checksums: `.contents` says how many, and which
    could not be. `names` is what to call the two, ("strict", "non-strict"). `links` are pairs (node of a,
    node of b, evidence in a word) that you know to be true.
    `.changes`, `.rules`, `.modules`, `.frame`, `.text()`, `.to_markdown()`, `.of(node)`.
    """
    from exir_viz.compare.diff import diff as compare

    live = (a, b) if _is_live(a) and _is_live(b) else None
    return compare(_comparable(a), _comparable(b), links, live, names)


def _is_live(x: object) -> bool:
    from os import PathLike

    return not isinstance(x, str | PathLike | Snapshot)


def _comparable(x: object) -> Any:
    """A Snapshot, or a stage as it is."""
    from os import PathLike

    if isinstance(x, Snapshot) or isinstance(getattr(x, "snapshot", None), Snapshot):
        return x
    if isinstance(x, str | PathLike):
        from exir_viz.readers.files import load as read

        return read(x, whole=True)
    needs_extra("diff() of a live program", "torch")
    return capture(x, whole=True)


def compare_values(
    a: object, b: object, inputs: Any = None, *, rtol: float = 1e-3, atol: float = 1e-5, **options: Any
) -> Values:
    """Run two programs on the same inputs, and tell where their numbers part. Neither is changed.

    `a` and `b` are what `profile` takes: ExportedPrograms of any dialect, managers, stages, or modules, which
    are exported with `inputs`. Inputs are those of `profile` for `a`: given, examples, or made. A value of b
    parts from its counterpart where some element differs by more than `atol` + `rtol` x the largest magnitude
    in a's. Options: `kwargs`, `symbols`, `method`, `diff` (of the two, where you have it). Print it, or ask
    `.first`, `.origins`, `.outputs`, `.producers`, `.frame`. See `measure.numbers.values.compare_values`.
    """
    needs_extra("compare_values()", "torch")
    from exir_viz.measure.numbers.values import compare_values as compare

    return compare(a, b, inputs, rtol=rtol, atol=atol, **options)


def explain(op: object, program: object = None, *, executorch: bool | None = None) -> OpCard:
    """What an op is: schema, tags, dialects, decomposition, dtypes, one sentence, and its uses.

    `op` is an operator, a node, or text ("aten.add.Tensor", "cond"); `program` is where its uses are counted:
    a Snapshot, a session or stage, or anything that `capture` takes. ExecuTorch's rules are read where it is
    loaded, or with `executorch=True`, which loads it. Print the card. See `exir_viz.stages.explain`.
    """
    from exir_viz.stages.explain import explain as card

    return card(op, program, executorch=executorch)


def profile(x: object, inputs: Any = None, *, executor: str = "cpu", **options: Any) -> Profile:
    """Measure what each node of a program costs. The program and your module are not changed.

    `x` is an ExportedProgram of any dialect, an EdgeProgramManager or ExecutorchProgramManager, a stage, or
    an nn.Module, which is exported with `inputs`. `inputs` is a tensor or a tuple of arguments; without it
    the program's example inputs are used, or values made to its metadata. `executor` is "cpu" (eager torch,
    node by node), "executorch" (the real runtime, as a whole and by delegate) or "executorch.ops" (the real
    runtime, op by op). Options: `kwargs`, `symbols` ({"s77": 16}), `method`, `threads` (1), `repeats`,
    `warmup`, `progress` (a callback). Ctrl-C ends it and keeps what was measured. See `measure.live.profile`.
    """
    needs_extra("profile()", "torch")
    from exir_viz.measure.live import profile as measure

    return measure(x, inputs, executor=executor, **options)


def load_profile(path: str | PathLike[str]) -> Profile:
    """Read a `.exirprofile` file that `profile.save(path)` wrote: it executes nothing and needs no torch.

    Raises FileNotFoundError and its like where there is no such file, and a FileError that says what is wrong
    with one that cannot be read.
    """
    from exir_viz.measure.files import read

    return read(path)
