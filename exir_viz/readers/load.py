"""The verb `load`: choose what reads a file or a live program. Nothing here imports torch."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

from exir_viz.errors import WrongArgument
from exir_viz.extras import needs_extra
from exir_viz.options import flag, named_options
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import Dialect

from .accepted_inputs import check_inputs_unused, is_path
from .files import PROFILE_MAGIC, checked, head_of
from .files import load as read

if TYPE_CHECKING:
    from exir_viz.measure.profile import Profile
    from exir_viz.stages.stage import Stage


@overload
def load(x: str | PathLike[str], *, trust: Literal[True]) -> Stage: ...
@overload
def load(x: str | PathLike[str]) -> Any: ...
@overload
def load(
    x: object,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
    dialect: Dialect | None = None,
    whole: bool = False,
    watch: bool = False,
) -> Snapshot: ...
@named_options
def load(  # noqa: PLR0913  every option of torch.export.export, by name
    x: object,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
    dialect: Dialect | None = None,
    whole: bool = False,
    watch: bool = False,
    trust: bool = False,
) -> object:
    """Save a program as a Snapshot: plain data, without torch. Nothing in a file is executed.

    Parameters
    ----------
    x
        The path of a `.pt2`, `.pte`, ETRecord or `.exirviz` file, whose content decides how it is read. Or a
        live program: an ExportedProgram, an EdgeProgramManager or ExecutorchProgramManager, a GraphModule, or
        an nn.Module, which is exported with `args` as its example inputs. It is not changed.
    args, kwargs, dynamic_shapes, strict
        How to export an nn.Module, as torch.export.export takes them.
    preserve_module_call_signature, prefer_deferred_runtime_asserts_over_guards
        Also as torch.export.export takes them.
    dialect
        The dialect of a live program, where its verifiers do not name it.
    whole
        Compute checksums of all weights, however large: half a second per gigabyte.
    watch
        Watch an nn.Module while it is exported: which of your lines run, and with which values. The reports
        "source" and "shapes" then say what became of each. Files keep it.
    trust
        Load the live program of a `.pt2` file, as a stage that can run. This can EXECUTE CODE from the file:
        torch.export.load unpickles objects and evaluates expressions, and its author can run anything on this
        machine with your permissions. Pass True only for a file from you or from someone you trust. The
        modules of the classes that the file names are imported, as most register their classes with torch.

    Returns
    -------
    Snapshot, Profile or Stage
        The program as plain data; a Profile for a `.exirprofile` file; a Stage with `trust=True`.

    Raises
    ------
    FileNotFoundError
        If there is no such file. Other system errors are raised unchanged too.
    FileError
        If the file cannot be read: the message says what is wrong.
    WrongArgument
        If `watch` and `strict` are both True: torch then reads your code instead of running it.
    CaptureError
        If `x` is no program.
    ExportFailed
        If an nn.Module cannot be exported.

    Examples
    --------
    >>> snapshot = exir_viz.load(model, x)
    >>> [node.name for node in snapshot.method.graph if node.op == "call_function"]
    ['linear', 'relu', 'linear_1']
    >>> torch.export.save(program, folder / "model.pt2")
    >>> exir_viz.load(folder / "model.pt2")
    <Snapshot of model.pt2 (forward: 9 nodes)>
    >>> exir_viz.load(folder / "model.pt2", trust=True).program.module()(x).shape
    torch.Size([2, 2])
    """
    export = {
        "kwargs": kwargs,
        "dynamic_shapes": dynamic_shapes,
        "strict": strict,
        "preserve_module_call_signature": preserve_module_call_signature,
        "prefer_deferred_runtime_asserts_over_guards": prefer_deferred_runtime_asserts_over_guards,
    }
    if is_path(x):
        unused = {"args": args, **export, "dialect": dialect, "whole": whole, "watch": watch}
        check_inputs_unused("load", x, unused)
        return _opened(x, trust=flag("load", "trust", trust))
    if trust:
        raise WrongArgument("load", "trust", "True", "False for what is no path: only files need trust")
    needs_extra("load() of a live program", "torch")
    from .live import capture

    return capture(x, args, export, dialect=dialect, whole=whole, watch=watch)


def _opened(path: str | PathLike[str], *, trust: bool) -> Snapshot | Profile | Stage:
    """What a file has: data, or with trust the live program."""
    if trust:
        from exir_viz.stages.session import Session

        from .trusted_loading import open_program

        return Session(open_program(path)).root
    if head_of(checked(path)).startswith(PROFILE_MAGIC):
        from exir_viz.measure.files import read as read_profile

        return read_profile(path)
    return read(path)
