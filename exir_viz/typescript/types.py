"""Convert msgspec types to TypeScript: interfaces, unions tagged by `kind`, enums as unions of their values.

What enters: a `Page`: the records that a front-end folder reads, and the modules that define them. What
leaves: the text of its TypeScript file, formatted as Biome would. The order is that of the Python modules. A
field that Python omits at its default is optional there. A NewType of int is a number there that cannot be
used as another NewType.
"""

from __future__ import annotations

import enum
import inspect
import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NewType, get_args, get_type_hints

from msgspec import inspect as mi

from exir_viz.snapshot import records

WIDTH = 110


@dataclass(frozen=True)
class Page:
    """One generated file: its path, its header, its root records, and their modules.

    `constants` come before the types. Types of modules that another page declares are imported from it.
    `parts`: the name of a table of the fields of all records outside unions, for validation.
    """

    path: str
    about: str
    roots: tuple[type, ...]
    modules: tuple[ModuleType, ...]
    constants: tuple[str, ...] = ()
    unions: tuple[Union, ...] = ()
    parts: str = ""


@dataclass(frozen=True)
class Union:
    """A union tagged by one field. `fields`: the name of a table of its fields, for validation."""

    name: str
    members: tuple[type, ...]
    fields: str = ""


def page_text(page: Page, pages: Sequence[Page]) -> str:
    """The text of one generated file; types that another of `pages` declares are imported."""
    reached = {cls for root in page.roots for cls in _reached(root)}
    head = (
        f"/**\n * {page.about} Made by `python -m exir_viz.typescript` from the Python\n"
        " * that owns it: change it there.\n */"
    )
    imports = "\n".join(_imports(page, reached, pages))
    parts = [head, *([imports] if imports else []), *page.constants]
    for module in page.modules:
        parts += _declared(module, reached)
    for union in page.unions:
        parts.append(_union(union.name, [member.__name__ for member in union.members]))
        if union.fields:
            parts.append(_fields_table(union.fields, {_tag(member): member for member in union.members}))
    if page.parts:
        whole = {member for union in page.unions for member in union.members}
        nested = {
            cls.__name__: cls for cls in reached - whole if isinstance(mi.type_info(cls), mi.StructType)
        }
        parts.append(_fields_table(page.parts, dict(sorted(nested.items()))))
    return "\n\n".join(parts) + "\n"


def _tag(cls: type) -> str:
    return str(cls.__struct_config__.tag)  # type: ignore[attr-defined]


def _fields_table(title: str, classes: Mapping[str, type]) -> str:
    """Fields and their types by tag or name, for `snapshot/fields.ts`; "?" marks optional ones."""
    lines = [f"export const {title} = {{"]
    for key, cls in classes.items():
        info = mi.type_info(cls)
        assert isinstance(info, mi.StructType)
        if not info.fields:
            lines.append(f"  {key}: {{}},")
            continue
        lines.append(f"  {key}: {{")
        for field in info.fields:
            name = field.encode_name if field.required else f'"{field.encode_name}?"'
            lines.append(f"    {name}: {json.dumps(_checked(field.type))},")
        lines.append("  },")
    return "\n".join([*lines, "} as const;"])


def _checked(info: Any) -> str:
    match info:
        case mi.UnionType():
            return " | ".join(dict.fromkeys(_checked(one) for one in info.types))
        case mi.ListType() | mi.VarTupleType():
            item = _checked(info.item_type)
            return f"({item})[]" if " | " in item else f"{item}[]"
        case mi.LiteralType() | mi.EnumType():
            return "string"
        case mi.StructType():
            return str(info.cls.__name__)
        case mi.DictType():
            return "object"
        case mi.BytesType():
            return "Uint8Array"
        case mi.CustomType():
            return str(info.cls.__name__)
    return SIMPLE[type(info)]


def _imports(page: Page, reached: set[type], pages: Sequence[Page]) -> Iterator[str]:
    own = [mi.type_info(cls) for cls in reached if _is_owned(cls, page)]
    named = {cls for info in own for child in _children(info) for cls in _named(child)}
    folder = page.path.rpartition("/")[0]
    for other in sorted(pages, key=lambda each: each.path):
        names = sorted(cls.__name__ for cls in named if other is not page and _is_owned(cls, other))
        if names:
            path = posixpath.relpath(other.path.removesuffix(".ts"), folder)
            path = path if path.startswith(".") else f"./{path}"
            line = f'import type {{ {", ".join(names)} }} from "{path}";'
            if len(line) > WIDTH:
                inner = "".join(f"  {name},\n" for name in names)
                line = line.replace(f"{{ {', '.join(names)} }}", "{\n" + inner + "}")
            yield line


def _named(info: Any) -> Iterator[type]:
    """The named types that a field's type refers to."""
    if isinstance(info, mi.StructType | mi.EnumType):
        yield info.cls
    else:
        for child in _children(info):
            yield from _named(child)


def _is_owned(cls: type, page: Page) -> bool:
    return cls.__module__ in {module.__name__ for module in page.modules}


def _declared(module: ModuleType, reached: set[type]) -> Iterator[str]:
    for name, value in vars(module).items():
        if isinstance(value, NewType) and value.__module__ == module.__name__:
            yield f'export type {name} = number & {{ readonly counts?: "{name}" }};'
        elif isinstance(value, type):
            if value.__module__ != module.__name__ or value not in reached:
                continue
            yield _enum(value) if issubclass(value, enum.Enum) else _interface(value)
        elif name in ALIASES and module is records:
            yield _union(name, [_text(mi.type_info(member)) for member in get_args(value)])


def _reached(root: type) -> set[type]:
    found: set[type] = set()

    def visit(info: Any) -> None:
        if isinstance(info, mi.StructType | mi.EnumType):
            if info.cls in found:
                return
            found.add(info.cls)
        for child in _children(info):
            visit(child)

    visit(mi.type_info(root))
    return found


def _children(info: Any) -> list[Any]:
    match info:
        case mi.StructType():
            return [field.type for field in info.fields]
        case mi.UnionType():
            return list(info.types)
        case mi.VarTupleType() | mi.ListType():
            return [info.item_type]
        case mi.TupleType():
            return list(info.item_types)
        case mi.DictType():
            return [info.key_type, info.value_type]
    return []


def _enum(cls: type[enum.Enum]) -> str:
    return _doc(cls) + _union(cls.__name__, [json.dumps(member.value) for member in cls])


def _interface(cls: type) -> str:
    info = mi.type_info(cls)
    if not isinstance(info, mi.StructType):
        raise TypeError(f"{cls.__name__} is not a msgspec Struct")
    lines = [f"export interface {cls.__name__} {{"]
    if info.tag is not None:
        lines.append(f"  readonly {info.tag_field}: {json.dumps(info.tag)};")
    hints = get_type_hints(cls)
    lines += [_field(field, hints[field.name]) for field in info.fields]
    return _doc(cls) + "\n".join([*lines, "}"])


def _field(field: mi.Field, hint: Any) -> str:
    kind = field.type
    if field.default is None and isinstance(kind, mi.UnionType):
        # None is omitted on the wire, so a value that is present is never null.
        rest = tuple(one for one in kind.types if not isinstance(one, mi.NoneType))
        kind = rest[0] if len(rest) == 1 else mi.UnionType(rest)
    mark = "" if field.required else "?"
    # msgspec replaces a NewType by the type under it
    text = re.sub(r"\bnumber\b", _new_type(hint) or "number", _text(kind))
    return f"  readonly {field.encode_name}{mark}: {text};"


def _new_type(hint: Any) -> str:
    """The name of the NewType in a field's type; "" if it has none."""
    if isinstance(hint, NewType):
        return hint.__name__
    return next(filter(None, map(_new_type, get_args(hint))), "")


def _text(info: Any) -> str:
    match info:
        case mi.LiteralType():
            return " | ".join(json.dumps(value) for value in info.values)
        case mi.StructType() | mi.EnumType() | mi.CustomType():
            return str(info.cls.__name__)
        case mi.UnionType():
            named = BY_MEMBERS.get(_members(info))
            return named or " | ".join(dict.fromkeys(_text(one) for one in info.types))
        case mi.VarTupleType() | mi.ListType():
            item = _text(info.item_type)
            return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
        case mi.TupleType():
            return f"readonly [{', '.join(_text(one) for one in info.item_types)}]"
        case mi.DictType():
            return f"Readonly<Record<{_text(info.key_type)}, {_text(info.value_type)}>>"
    return SIMPLE[type(info)]


SIMPLE: dict[type, str] = {
    mi.StrType: "string",
    mi.IntType: "number",
    mi.FloatType: "number",
    mi.BoolType: "boolean",
    mi.NoneType: "null",
    mi.AnyType: "unknown",
    mi.BytesType: "Uint8Array<ArrayBuffer>",
}


def _members(info: mi.UnionType) -> frozenset[str]:
    return frozenset(str(_text(one)) for one in info.types)


# Unions that have a name in Python keep it.
ALIASES = ("Dim", "Arg", "Value")
BY_MEMBERS = {
    frozenset(_text(mi.type_info(member)) for member in get_args(getattr(records, name))): name
    for name in ALIASES
}


def _union(name: str, members: list[str]) -> str:
    line = f"export type {name} = {' | '.join(members)};"
    if len(line) <= WIDTH:
        return line
    return f"export type {name} =\n" + "\n".join(f"  | {member}" for member in members) + ";"


def constant(doc: str, name: str, value: int | str | tuple[str, ...]) -> str:
    """One exported constant; a tuple of strings becomes a list of literals."""
    head = f"/** {doc} */\n" if doc else ""
    if not isinstance(value, tuple):
        return f"{head}export const {name} = {json.dumps(value)};"
    texts = [json.dumps(item) for item in value]
    line = f"export const {name} = [{', '.join(texts)}] as const;"
    if len(line) > WIDTH:
        line = f"export const {name} = [\n" + "".join(f"  {text},\n" for text in texts) + "] as const;"
    return head + line


def _doc(cls: type) -> str:
    text = inspect.cleandoc(cls.__doc__ or "").replace("*/", "* /")
    if not text or text.startswith(f"{cls.__name__}("):
        return ""
    lines = text.splitlines()
    if len(lines) == 1:
        return f"/** {text} */\n"
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"
