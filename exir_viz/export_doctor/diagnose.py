"""Find what keeps a module from being exported: both ways of exporting, and what comes after their failures.

torch.export stops at the first problem. `later_blockers` goes on after it. If it cannot, submodules are
exported one by one: one that fails alone, with the inputs that it gets from the module, has a problem of its
own.
"""

from __future__ import annotations

import copy
import linecache
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from exir_viz.errors import ExportFailed
from exir_viz.readers.exporting import DimNames, dim_names, export, failure, packed_inputs
from exir_viz.snapshot.frames import is_users, users_frame
from exir_viz.snapshot.records import SymValue
from exir_viz.stages.output_capture import discarded_output
from exir_viz.torch_internals.process_state import undisturbed

from .blockers import VIOLATED, blocker, of_module
from .diagnosis import Diagnosis
from .later_blockers import LaterBlockers, strict_blockers
from .records import Blocker, BlockerKind
from .trial import FixTrial, only_best
from .unregistered_types import UnregisteredTypes

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

NON_STRICT, STRICT, DRAFT = "non-strict", "strict", "draft"
# The most submodules that are exported alone.
_MOST: Final = 100

# What a module takes from its caller and returns to it, which blocks no export of the caller.
_OF_CALLERS: Final = (BlockerKind.INPUT, BlockerKind.OUTPUT)
# Of these there is one: the two ways of exporting only word it differently.
_ONE_OF_KIND: Final = (BlockerKind.DYNAMIC_SHAPES, *_OF_CALLERS)

# By path of a submodule: its first inputs.
Inputs = dict[str, tuple[tuple[Any, ...], dict[str, Any]]]


def diagnose(
    module: torch.nn.Module,
    args: tuple[Any, ...],
    named: dict[str, Any],
    dynamic_shapes: Any,
    *,
    is_draft: bool,
) -> Diagnosis:
    """Diagnose a module; see `exir_viz.doctor`."""
    return undisturbed(lambda _: _diagnosis(module, args, named, dynamic_shapes, is_draft=is_draft))


def _diagnosis(
    module: torch.nn.Module,
    args: tuple[Any, ...],
    named: dict[str, Any],
    dynamic_shapes: Any,
    *,
    is_draft: bool,
) -> Diagnosis:
    def exported(other: torch.nn.Module, mode: str) -> ExportFailed | None:
        return _error(other, args, named, dynamic_shapes, strict=mode == STRICT)

    failed = {mode: error for mode in (NON_STRICT, STRICT) if (error := exported(module, mode)) is not None}
    working = [mode for mode in (NON_STRICT, STRICT) if mode not in failed]
    other_call = _call(named, dynamic_shapes, strict=STRICT in working) if len(working) == 1 else ""
    found = [blocker(error, mode, "", other_call=other_call) for mode, error in failed.items()]
    if any(map(_has_no_line, found)):
        program = _with_chosen_sizes(module, args, named, dynamic_shapes)
        if program is not None:
            names = dim_names(module, program, args, named, dynamic_shapes)
            found = [_with_line(one, program, names) if _has_no_line(one) else one for one in found]
    notes: list[str] = []
    if failed and (packed := packed_inputs(module, args, named)):
        notes.append(f"{packed}.")
    if NON_STRICT in failed:
        first = failed[NON_STRICT]
        found += _after_the_first(first, module, args, named, dynamic_shapes, notes, other_call=other_call)
    if STRICT in failed:
        known = {(one.file, one.line) for one in found if STRICT in one.modes}
        later = strict_blockers(STRICT, module, args, named, notes, other_call=other_call)
        found += [one for one in later if (one.file, one.line) not in known]
    draft = None
    if is_draft:
        from .draft import draft_blockers

        more, draft = draft_blockers(module, args, named, dynamic_shapes, notes)
        found += more
    found = _of_module(found, module, args, named, notes)
    found = UnregisteredTypes(module, args, named, exported).explained(found)
    works = {NON_STRICT: NON_STRICT not in failed, STRICT: STRICT not in failed}
    trial = FixTrial(module, args, named, _merged(found))
    for mode, error in failed.items():
        trial.run(error, partial(exported, module, mode))
    return Diagnosis(type(module).__name__, works, only_best(trial.blockers), notes, draft)


def _call(kwargs: Mapping[str, Any], shapes: Any, *, strict: bool) -> str:
    """The call of torch.export.export with all that the caller passes."""
    given = ["model", "args", *(["kwargs"] if kwargs else [])]
    given += ["dynamic_shapes=dynamic_shapes"] if shapes is not None else []
    return f"torch.export.export({', '.join(given)}, strict={strict})"


def _after_the_first(
    first: ExportFailed,
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    shapes: Any,
    notes: list[str],
    *,
    other_call: str,
) -> Iterator[Blocker]:
    """The blockers after the first; if they cannot all be found, those of submodules too."""
    later = LaterBlockers(NON_STRICT, module, args, other_call=other_call)
    later.export(kwargs, shapes)
    yield from later.found
    if later.is_complete:
        return
    if later.stopped is not None:
        where = (
            f": it stops at line {later.stopped.line} ({later.stopped.code})" if later.stopped.line else ""
        )
        why = "" if later.stopped.reason == first.reason else f" {later.stopped.reason}"
        notes.append(f"Later lines of the module were not examined{where}.{why}")
    try:
        inputs = _inputs(module, args, kwargs)
    except Exception as error:  # noqa: BLE001  the user's code runs: whatever it raises is reported
        notes.append(f"The submodules were not examined, because the module does not run: {error}")
    else:
        yield from _in_submodules(module, inputs)


def _error(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], shapes: Any, *, strict: bool
) -> ExportFailed | None:
    """Why an export fails; None if it does not."""
    import torch

    torch.compiler.reset()  # strict export remembers what failed before
    try:
        with discarded_output():
            export(module, args, kwargs=kwargs, dynamic_shapes=shapes, strict=strict)
    except ExportFailed as error:
        return error
    return None


def _of_module(
    found: list[Blocker],
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    notes: list[str],
) -> list[Blocker]:
    """The blockers, where one that is an error of the module itself says so."""
    if not any(one.kind is BlockerKind.PYTHON for one in found):
        return found
    error = _own_error(module, args, kwargs)
    if error is None:
        return found
    failed = failure(module, error)
    is_own = [one.kind is BlockerKind.PYTHON and (one.file, one.line) == (failed.file, failed.line)
              for one in found]  # fmt: skip
    if not any(is_own):
        where = f" at line {failed.line} ({failed.code})" if failed.line else ""
        notes.append(f"The module raises an error without torch.export too{where}: {error}")
    return [of_module(one, error) if own else one for one, own in zip(found, is_own, strict=True)]


def _own_error(module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Exception | None:
    """What a copy of the module raises for the example inputs; None if it runs, or cannot be copied."""
    import torch

    try:
        copied, given, named = copy.deepcopy((module, args, dict(kwargs)))
    except Exception:  # noqa: BLE001  the user's classes copy themselves: without a copy it is not known
        return None
    try:
        with torch.random.fork_rng(devices=()), discarded_output():
            copied(*given, **named)
    except Exception as error:  # noqa: BLE001  the user's code runs: whatever it raises is reported
        return error
    return None


def _has_no_line(one: Blocker) -> bool:
    """Whether it is about dynamic shapes, and torch names no line."""
    return one.kind is BlockerKind.DYNAMIC_SHAPES and not one.line


def _with_chosen_sizes(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], shapes: Any
) -> ExportedProgram | None:
    """The program where torch chooses which sizes vary; it has the conditions on sizes, and their lines."""
    import torch

    from exir_viz.torch_internals.pytrees import pytree

    chosen = pytree.tree_map(lambda dim: dim if dim is None else torch.export.Dim.AUTO, shapes)
    torch.compiler.reset()
    try:
        with discarded_output():
            program, _ = export(module, args, kwargs=kwargs, dynamic_shapes=chosen)
    except ExportFailed:
        return None
    return program


def _with_line(one: Blocker, program: ExportedProgram, names: DimNames) -> Blocker:
    """A blocker with the first line that limits a size that it names, if torch chooses the sizes."""
    from exir_viz.torch_internals.export import guard_lines

    symbols = _symbols(program, one.reason, names)
    lines = [(file, line) for file, line, condition in guard_lines(program)
             if is_users(file) and not symbols.isdisjoint(re.findall(r"\w+", condition))]  # fmt: skip
    lines += _lines_of_functions(program, one.reason)
    for file, line in lines[:1]:
        return replace(one, file=file, line=line, code=linecache.getline(file, line).strip())
    return one


def _symbols(program: ExportedProgram, reason: str, names: DimNames) -> set[str]:
    """The symbols of the sizes that a reason names, as in "3 <= L['x'].size()[0]" or "violated (batch)"."""
    from exir_viz.torch_internals.export import shape_environment
    from exir_viz.torch_internals.fake_values import size_sources

    violated = VIOLATED.search(reason)
    dims = violated[1].split(", ") if violated else []
    named = {f"L['{input_name}'].{size}" for (input_name, size), name in names.items() if name in dims}
    sources = size_sources(shape_environment(program))
    return {symbol for symbol, source in sources if source in reason or source in named}


def _lines_of_functions(program: ExportedProgram, reason: str) -> list[tuple[str, int]]:
    """The lines that compute with sizes by a function that the reason names, as in "round(… / 2)"."""
    from exir_viz.readers.live import capture_programs

    graph = capture_programs("", {"forward": program}, None).method.graph
    computed = [
        node for node in graph if isinstance(node.value, SymValue) and f"{node.target.name}(" in reason
    ]
    frames = filter(None, (users_frame(node.frames) for node in computed))
    return [(frame.file, frame.line) for frame in frames]


def _inputs(module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Inputs:
    """Run a copy of the module, and note the first inputs of each submodule."""
    import torch

    copied = copy.deepcopy(module)
    found: Inputs = {}

    def noted(path: str) -> Any:
        def note(_module: object, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            found.setdefault(path, (given, named))

        return note

    for path, child in copied.named_modules():
        if path:
            child.register_forward_pre_hook(noted(path), with_kwargs=True)
    with torch.no_grad(), discarded_output():
        copied(*copy.deepcopy(args), **copy.deepcopy(dict(kwargs)))
    return found


def _in_submodules(module: torch.nn.Module, inputs: Inputs) -> Iterator[Blocker]:
    """The blockers of submodules; of several of one class with equal inputs the first is examined."""
    waiting = [(name, child) for name, child in module.named_children()]
    seen: set[tuple[object, ...]] = set()
    while waiting and len(seen) < _MOST:
        path, child = waiting.pop(0)
        if path not in inputs:  # a list of modules is not called itself
            waiting = [(f"{path}.{name}", one) for name, one in child.named_children()] + waiting
            continue
        args, kwargs = inputs[path]
        shapes = (f"{name}{_shape(one)}" for name, one in kwargs.items())
        key = (type(child), str(child), *map(_shape, args), *shapes)
        if key in seen:
            continue
        seen.add(key)
        error = _error(child, args, kwargs, None, strict=False)
        if error is None:
            continue
        one = blocker(error, NON_STRICT, path)
        if one.kind not in _OF_CALLERS:
            yield one
            waiting = [(f"{path}.{name}", one) for name, one in child.named_children()] + waiting


def _shape(value: object) -> str:
    return str(getattr(value, "shape", type(value)))


def _merged(found: list[Blocker]) -> list[Blocker]:
    """One blocker for a line and kind: of the innermost submodule, with all modes that it blocks.

    The two ways of exporting may call the problem of a line differently; the first one names it.
    """
    merged: dict[tuple[object, ...], Blocker] = {}
    for one in found:
        key: tuple[object, ...] = (one.kind,)
        if one.kind not in _ONE_OF_KIND and one.line:
            key = (one.kind, one.file, one.line)
            same_line = (other for other in merged if other[1:] == key[1:])
            key = next((other for other in same_line if not {*merged[other].modes} & {*one.modes}), key)
            key = next((other for other in merged if _is_same_code(merged[other], one)), key)
        before = merged.get(key)
        if before is None:
            merged[key] = one
            continue
        merged[key] = replace(
            before,
            modes=tuple(dict.fromkeys((*before.modes, *one.modes))),
            module=max(before.module, one.module, key=len),
            fixes=tuple(dict.fromkeys((*before.fixes, *one.fixes)))
            if one.kind is before.kind
            else before.fixes,
        )
    return list(merged.values())


def _is_same_code(one: Blocker, other: Blocker) -> bool:
    """Whether both have the same code to paste, as parts of a statement of several lines do."""
    code = [fix for fix in one.fixes if fix.first]
    return bool(code) and one.file == other.file and code == [fix for fix in other.fixes if fix.first]
