"""An nn.Module and example inputs → an ExportedProgram, or ExportFailed with the user's line.

It calls torch.export. It adds the name of each Dim, which a program does not keep, and an error with the
user's line and torch's suggestion.
"""

from __future__ import annotations

import inspect
import linecache
import re
import sysconfig
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import torch
from torch.export import Dim, ExportedProgram

from exir_viz.errors import ExportFailed
from exir_viz.snapshot.frames import is_users
from exir_viz.torch_internals.export import DYNAMIC_SHAPES as DIM_NAMES
from exir_viz.torch_internals.export import callers_of_guards, combined, map_leaves
from exir_viz.torch_internals.logs import no_logs_of_a_failure
from exir_viz.torch_internals.process_state import Interruption, undisturbed
from exir_viz.torch_internals.pytrees import pytree

from .accepted_inputs import exporting_verb
from .failed_export_output import no_partial_graphs
from .library_files import is_library

DimNames = dict[tuple[str, str], str]

# Python's own lines are not the user's. Other packages' are: a model out of a library is the user's model.
_STANDARD = sysconfig.get_path("stdlib")
_PACKAGES = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
# What torch adds to a message that is no advice: how to get logs, and stacks whose line is given beside it.
_NO_ADVICE = re.compile(
    r" ?For more information, run with TORCH_LOGS=\S+|"
    r" ?See \S+/functorch/issues/475 for a brief explanation why\. [^.]*\.?|"
    r"^ *(?:For extended logs|If you suspect the guard|For more debugging help|For C\+\+ stack trace|"
    r"Set TORCHDYNAMO_VERBOSE|Caused by: |Developer debug context:|"
    r"The error above occurred when calling torch\.export\.export\.).*$\n?|"
    r"^(?:The following call raised this error|User Stack \(most recent call last\)|from user code):\n"
    r"(?: .*\n?)*",
    re.MULTILINE,
)

# Python's words for a call with too few arguments, as inspect and as a function say them.
_NO_INPUTS = re.compile(r"missing a required (keyword-only )?argument|missing \d+ required")


# What to do where a language model of transformers returns the cache that it would read the next time.
CACHE_OFF = "model.config.use_cache = False"
# How torch says that it cannot flatten the cache, non-strict and strict.
_CACHE = re.compile(r"Found <class '[\w.]*Cache'> in output|unrecognized type \w+\(\w*Cache\) at output")

# Where torch's advice starts: at its suggested fixes, or after a blank line.
_ADVICE = re.compile(r"\n(?=Suggested fixes:)|\n\n")
_ADVISES = re.compile(
    r"Suggested fixes|\b(?:consider|try|use|set|call|specify|please|instead)\b", re.IGNORECASE
)
# TorchDynamo marks its advice. What follows it are graphs and a link.
_HINT = re.compile(r"^ *Hint: (.+)$", re.MULTILINE)


def export(
    module: torch.nn.Module,
    args: tuple[Any, ...],
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> tuple[ExportedProgram, DimNames]:
    """Export a module; also returns which dimensions the user named."""
    named = dict(kwargs or {})

    def exported(_interruption: Interruption) -> ExportedProgram:
        with (
            no_partial_graphs(),
            no_logs_of_a_failure(),
            no_marks_on_tensors((args, named)),
            callers_of_guards(_is_code_of_the_user, __file__),
        ):
            return torch.export.export(
                module,
                args,
                named,
                dynamic_shapes=dynamic_shapes,
                strict=strict,
                preserve_module_call_signature=preserve_module_call_signature,
                prefer_deferred_runtime_asserts_over_guards=prefer_deferred_runtime_asserts_over_guards,
            )

    try:
        program = undisturbed(exported)
    except Exception as error:  # torch raises a dozen classes here; each becomes an ExportFailed
        raise failure(module, error, args, kwargs) from error
    try:
        return program, dim_names(module, program, args, named, dynamic_shapes)
    except Exception as error:  # torch looks closer at an empty list of shapes here than when it exports
        raise failure(module, error, args, kwargs) from error


@contextmanager
def no_marks_on_tensors(inputs: object) -> Iterator[None]:
    """Leave the attributes of tensors as they are: torch marks dynamic dimensions in them, and a failed
    export leaves the marks there, so that the next one fails too.
    """
    tensors = [one for one in pytree.tree_leaves(inputs) if isinstance(one, torch.Tensor)]
    before = [dict(vars(one)) for one in tensors]
    try:
        yield
    finally:
        for tensor, attributes in zip(tensors, before, strict=True):
            for name in [*vars(tensor)]:
                if name not in attributes:
                    delattr(tensor, name)
            vars(tensor).update(attributes)


def failure(
    module: torch.nn.Module,
    error: Exception,
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
) -> ExportFailed:
    """torch's failure as an ExportFailed: reason, the user's line, torch's suggestion."""
    text = _NO_ADVICE.sub("", str(error)).strip() or type(error).__name__
    reason, suggestion = _reason_and_advice(text, error)
    frame = _user_frame(error)
    what = f"{type(error).__name__}: {reason.strip()}"
    if misfit := _wrong_size(module, error):
        place = f" ({Path(frame.filename).name}:{frame.lineno})" if frame else ""
        what, suggestion, hint = f"{misfit}{place}.", "", f"torch's error: {type(error).__name__}: {text}"
    elif packed := packed_inputs(module, args, kwargs or {}):
        hint = packed
    elif isinstance(error, TypeError) and _NO_INPUTS.search(text):
        hint = f"Pass example inputs: {exporting_verb()}(module, x), and keyword arguments as kwargs={{...}}"
    elif has_cache(module) and _CACHE.search(text):
        hint = f"Turn the cache off: {CACHE_OFF}"
    else:
        hint = "Call exir_viz.doctor with the same module and inputs: it says what to change."
    return ExportFailed(
        type(module).__name__,
        what,
        file=frame.filename if frame else "",
        line=(frame.lineno or 0) if frame else 0,
        code=(frame.line or "").strip() if frame else "",
        suggestion=re.sub(r"\n{3,}", "\n\n", suggestion).strip(),
        hint=hint,
    )


def has_cache(module: torch.nn.Module) -> bool:
    """Whether a module of transformers is set to return its cache; those with a decoder set it there."""
    config = getattr(module, "config", None)
    return getattr(config, "use_cache", None) is True and not getattr(config, "is_encoder_decoder", False)


# The attribute that says the size of a module's input, and the dimension that it is the size of.
_SIZES: Final = {
    "in_features": (-1, "features"),
    "input_size": (-1, "features"),
    "embed_dim": (-1, "features"),
    "normalized_shape": (-1, "features"),
    "num_features": (1, "features"),
    "in_channels": (1, "channels"),
}


def _wrong_size(module: torch.nn.Module, error: Exception) -> str:
    """Which submodule got an input of a wrong size, as "expected 8 features, got 9 at fc"; "" if none did."""
    paths = {id(one): path for path, one in module.named_modules()}
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        inside: Any = frame.f_locals.get("self")
        if frame.f_code.co_name != "forward" or id(inside) not in paths:
            continue
        given: Any = frame.f_locals.get("input", frame.f_locals.get("query"))
        for attribute, (place, what) in _SIZES.items() if isinstance(given, torch.Tensor) else ():
            wanted = getattr(inside, attribute, None)
            wanted = wanted[-1] if attribute == "normalized_shape" and wanted else wanted
            dim = -1 - len(inside.kernel_size) if attribute == "in_channels" and wanted else place
            if isinstance(wanted, int) and -given.dim() <= dim < given.dim() and given.shape[dim] != wanted:
                where = f" at {paths[id(inside)]}" if paths[id(inside)] else ""
                return f"expected {wanted:,} {what}, got {given.shape[dim]}{where}"
        return ""  # only the innermost module is known to be the one that failed
    return ""


def packed_inputs(module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """What to do where the only input holds the inputs that the module takes; "" where it does not."""
    if len(args) != 1:
        return ""
    (packed,) = args
    call = f"{exporting_verb()}(module"
    try:
        if isinstance(packed, tuple | list):
            inspect.signature(module.forward).bind(*packed, **kwargs)
            return f"The only input is a list. Pass what it holds as inputs: {call}, *inputs)"
        if isinstance(packed, Mapping) and not kwargs:
            inspect.signature(module.forward).bind(**packed)
            return f"The only input is a dict. Pass what it holds by name: {call}, kwargs=inputs)"
    except TypeError:
        return ""
    return ""


def _reason_and_advice(text: str, error: Exception) -> tuple[str, str]:
    """What is wrong, and what torch suggests; no suggestion ("") if the error comes from the user's code."""
    if (hint := _HINT.search(text)) is not None:
        return re.sub(r"\n\s*\n", "\n", text[: hint.start()]), "\n".join(_HINT.findall(text))
    reason, advice = (*_ADVICE.split(text, maxsplit=1), "")[:2]
    lines = traceback.extract_tb(error.__traceback__)
    if advice and lines and _is_library(lines[-1].filename) and _ADVISES.search(advice):
        return reason, advice
    return text, ""


def _user_frame(error: Exception) -> traceback.FrameSummary | None:
    """The innermost frame of the user's; dynamo keeps the user's stack on the error.

    The first such frame is the caller of capture(); what the module did comes after it.
    """
    return innermost_user_frame(
        [*traceback.extract_tb(error.__traceback__), *(getattr(error, "real_stack", None) or ())]
    )


def innermost_user_frame(stack: Iterable[traceback.FrameSummary]) -> traceback.FrameSummary | None:
    """The innermost frame of the user's; None if there is none."""
    own = [
        frame
        for frame in user_frames(stack)
        if Path(frame.filename).suffix == ".py" or linecache.getline(frame.filename, 1)
    ]
    return own[-1] if own else None


def user_frames(stack: Iterable[traceback.FrameSummary]) -> list[traceback.FrameSummary]:
    """The frames that are neither torch's nor ours, outermost first."""
    return [frame for frame in stack if is_users(frame.filename) and not _is_library(frame.filename)]


def _is_code_of_the_user(file: str) -> bool:
    return is_users(file) and not _is_library(file)


def _is_library(file: str) -> bool:
    standard = file.startswith(_STANDARD) and not file.startswith(_PACKAGES)
    return standard or is_library(file)


def dim_names(
    module: torch.nn.Module,
    program: ExportedProgram,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dynamic_shapes: Any,
) -> DimNames:
    """The names of dimensions in `dynamic_shapes`, by input and size: {("x", "size()[0]"): "batch"}."""
    if dynamic_shapes is None or not isinstance(dynamic_shapes, (dict, tuple, list)):
        return {}
    if not DIM_NAMES.is_usable():
        return {}
    leaves: list[Any] = []

    def note(_path: Any, _leaf: Any, shape: Any) -> None:
        leaves.append(shape)

    signature: Any = combined(module, args, kwargs)
    if isinstance(dynamic_shapes, (tuple, list)):
        signature = type(dynamic_shapes)(signature.values())
    map_leaves(note, signature, dynamic_shapes)
    names: DimNames = {}
    for placeholder, shape in zip(program.graph_signature.user_inputs, leaves, strict=False):
        if not isinstance(shape, (dict, list, tuple)):  # None, or a hint for a number
            continue
        entries = shape.items() if isinstance(shape, dict) else enumerate(shape)
        for position, dim in entries:
            if isinstance(dim, Dim) and type(dim) is Dim:
                names[str(placeholder), f"size()[{position}]"] = dim.__name__
    return names
