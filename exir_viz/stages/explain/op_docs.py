"""One sentence that says what an op does: the first of its documentation in the installed packages.

Looked up in this order: torch's function, method or primitive of its name; a library's own implementation;
the op that became it in the program; a name within its name. The source says which was used.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import torch

from exir_viz.snapshot.records import TargetType
from exir_viz.torch_internals.operators import (
    OpOverload,
    arguments_of,
    implementation_of,
    primitive,
    python_kernels,
    returns_of,
    schema_name,
)

from .op_lookup import FoundOp

# Where torch documents ATen ops, by the name that a reader would write.
_PLACES: tuple[tuple[str, Any], ...] = (
    ("torch", torch),
    ("torch.nn.functional", torch.nn.functional),
    ("torch.Tensor", torch.Tensor),
    ("torch.special", torch.special),
    ("torch.linalg", torch.linalg),
    ("torch.fft", torch.fft),
)
_ROLE = re.compile(r":[a-z:]+:`~?([^`<]*?)(?:\s*<[^>]*>)?`")
_LINK = re.compile(r"`([^`<]+?)\s*<[^>]*>`_+")
_TICKS = re.compile(r"`+([^`]*)`+")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_SIGNATURE = re.compile(r"^[\w.]+\(")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")
_LONGEST = 300

Sourced = tuple[str, str]


def sentence(found: FoundOp, made_of: str = "") -> Sourced:
    """The sentence and its source; without documentation, a sentence made from the schema.

    made_of: the op that became this one wherever a program calls it, if there is exactly one.
    """
    if found.op is not None:
        return next(_of_operator(found.op, made_of), ("", ""))
    if found.target.type is TargetType.HIGHER_ORDER:
        return next(_of_higher_order(found), _signature(found.live))
    text = sentence_of(found.live)
    return (text, found.target.text) if text else _signature(found.live)


def _of_operator(op: OpOverload, made_of: str) -> Iterator[Sourced]:
    name = schema_name(op).partition("::")[2]
    if op.namespace == "aten":
        yield from _documented(name)
        whole = made_of.split(".")[1] if made_of.startswith("aten.") else ""
        yield from ((text, f"{source}, which became it here") for text, source in _documented(whole))
        for part in _parts(name):
            yield from ((text, f"{source}, found by its name") for text, source in _documented(part))
    else:
        yield from _own(op, name)
    takes = ", ".join(argument.name for argument in arguments_of(op)) or "nothing"
    gives = ", ".join(str(one.type) for one in returns_of(op)) or "nothing"
    yield f"Takes {takes}; returns {gives}.", "its schema: torch does not document it"


def _own(op: OpOverload, name: str) -> Iterator[Sourced]:
    """The docstring of a primitive, or of a library's own Python implementation."""
    if op.namespace == "prims":
        text = sentence_of(primitive(name))
        yield from [(text, f"torch._prims.{name}")] if text else []
    own = (implementation_of(f"{op.namespace}::{name}"), *python_kernels(op))
    for function in (*own, *_of_library(op.namespace, name)):
        text = sentence_of(function)
        # torch.library wraps a kernel in an object; the docstring of that class is not about the op.
        if text and inspect.isroutine(function):
            yield text, f"{function.__module__}.{function.__name__}"


def _of_library(namespace: str, name: str) -> Iterator[Any]:
    """Functions of the op's name in the modules that define its library."""
    for path, module in tuple(sys.modules.items()):
        if not path.startswith(("torch", "executorch")) or not isinstance(module, ModuleType):
            continue  # None where an import is forbidden
        members = tuple(vars(module).values())
        if any(issubclass(type(one), torch.library.Library) and one.ns == namespace for one in members):
            yield getattr(module, name, None)


def _documented(name: str) -> Iterator[Sourced]:
    for place, holder in _PLACES:
        text = sentence_of(getattr(holder, name, None)) if name else ""
        if text and not text.startswith(("See torch.", "Alias for ", "Alias of ")):
            yield text, f"{place}.{name}"


def _parts(name: str) -> Iterator[str]:
    """Runs of the words of a name, the longest first. None for a backward op, which does something else."""
    words = name.strip("_").split("_")
    if "backward" in words:
        return
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            part = "_".join(words[start : start + length])
            if part != name and len(part) > 1:
                yield part


def _of_higher_order(found: FoundOp) -> Iterator[Sourced]:
    name = found.target.name
    module = sys.modules.get(type(found.live).__module__)
    for place, holder in (("torch", torch), (getattr(module, "__name__", ""), module)):
        for word in (name, name.removesuffix("_impl"), name.removesuffix("_op")):
            function = getattr(holder, word, None)
            text = sentence_of(function) if callable(function) else ""
            if text:
                yield text, f"{place}.{word}"
    text = first_sentence(vars(type(found.live)).get("__doc__"))
    if text:
        yield text, f"{type(found.live).__module__}.{type(found.live).__name__}"


def _signature(live: Any) -> Sourced:
    """Describe an undocumented function by its parameters."""
    call = live if inspect.isroutine(live) else vars(type(live)).get("__call__")
    try:
        names = [name for name in inspect.signature(call).parameters if name != "self"] if call else []
    except ValueError:  # builtins may have no signature
        names = []
    return (f"Takes {', '.join(names)}.", "its signature: it is not documented") if names else ("", "")


def sentence_of(thing: object) -> str:
    """The first sentence of an object's docstring; "" for None, whose docstring is not about an op."""
    return "" if thing is None else first_sentence(getattr(thing, "__doc__", None))


def first_sentence(doc: object) -> str:
    """The first sentence of a docstring as plain text, without signature, directives and markup."""
    if not isinstance(doc, str):
        return ""
    for paragraph in re.split(r"\n\s*\n", _prose(inspect.cleandoc(doc))):
        text = " ".join(paragraph.split())
        for pattern in (_ROLE, _LINK, _TICKS, _BOLD):
            text = pattern.sub(r"\1", text)
        sentence = _SENTENCE_END.split(text.replace("\\", ""), maxsplit=1)[0]
        if sentence and not sentence.endswith(":"):  # ends with a colon: a heading
            return sentence if len(sentence) <= _LONGEST else f"{sentence[: _LONGEST - 1]}…"
    return ""


def _prose(doc: str) -> str:
    """The text without signatures and directives, and without the indented lines that belong to them."""
    kept: list[str] = []
    inside = False
    for line in doc.splitlines():
        if line.startswith("..") or _SIGNATURE.match(line):
            inside = True
        elif line.strip() and not line.startswith(" "):
            inside = False
        if not inside:
            kept.append(line)
    return "\n".join(kept)
