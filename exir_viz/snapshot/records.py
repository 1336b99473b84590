"""The interned records of a Snapshot: what a node can refer to by number.

Every type here is frozen plain data, written to the wire unchanged and generated into TypeScript.
Nothing here knows torch. Text that comes from a program is kept as it was found; who shows it escapes it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NewType, TypeAlias

import msgspec


class Record(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """Base of all wire types: immutable, hashable, refusing fields it does not know."""


class Tagged(Record, frozen=True, tag_field="kind"):
    """A member of a union: `kind` says which, in Python, in files and in TypeScript."""


# A size or stride: a number, or the text of a symbolic expression (see `expr`).
Dim: TypeAlias = int | str

# Each counts something else through a whole Snapshot: nodes of all graphs, module calls, graphs.
NodeNumber = NewType("NodeNumber", int)
ScopeNumber = NewType("ScopeNumber", int)
GraphNumber = NewType("GraphNumber", int)


class LiteralType(StrEnum):
    """What a `Literal` is in Python."""

    NONE = "none"
    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    COMPLEX = "complex"
    STR = "str"
    DTYPE = "dtype"
    DEVICE = "device"
    LAYOUT = "layout"
    MEMORY_FORMAT = "memory_format"
    ELLIPSIS = "ellipsis"


class Literal(Tagged, frozen=True, tag="literal"):
    """A constant. `text` is Python's repr of it (a string's bare text), so that no digit is lost."""

    type: LiteralType
    text: str


# --- Arguments -------------------------------------------------------------------------------------------
# A node's arguments are a tree in which nodes are positions in the node's `inputs`. So the trees are the same
# for most calls of an op, and are stored once.


class NodeArg(Tagged, frozen=True, tag="node"):
    """The value of another node: `at` is a position in the using node's inputs."""

    at: int


class SymArg(Tagged, frozen=True, tag="symbol"):
    """A symbolic number given in place, not through a node."""

    expr: str


class OpArg(Tagged, frozen=True, tag="operator"):
    """An operator as an argument (`auto_functionalized`, `map` bodies of ops)."""

    text: str


class ObjectArg(Tagged, frozen=True, tag="object"):
    """Anything else: its class and, where it is short and harmless, its text."""

    cls: str
    text: str = ""


class SequenceArg(Tagged, frozen=True, tag="sequence"):
    """A list or tuple of arguments (`type` is "list", "tuple" or the class of another sequence)."""

    type: str
    items: tuple[Arg, ...] = ()


class MapArg(Tagged, frozen=True, tag="map"):
    """A dict argument; keys in their order."""

    keys: tuple[Literal, ...] = ()
    items: tuple[Arg, ...] = ()


class SliceArg(Tagged, frozen=True, tag="slice"):
    """A Python slice."""

    start: Arg
    stop: Arg
    step: Arg


Arg: TypeAlias = Literal | NodeArg | SymArg | OpArg | ObjectArg | SequenceArg | MapArg | SliceArg


class Call(Record, frozen=True):
    """The arguments of a node: positional, then by keyword (`names` beside `values`)."""

    args: tuple[Arg, ...] = ()
    names: tuple[str, ...] = ()
    values: tuple[Arg, ...] = ()


# --- Values ----------------------------------------------------------------------------------------------


class TensorValue(Tagged, frozen=True, tag="tensor"):
    """What a tensor is without its data. `dtype` is torch's name without "torch.": "float32".

    `dim_order` follows from the strides (with hints for symbols); None if these do not decide it.
    """

    dtype: str
    shape: tuple[Dim, ...]
    stride: tuple[Dim, ...] | None = None
    offset: Dim = 0
    device: str = "cpu"
    layout: str = "strided"
    requires_grad: bool = False
    dim_order: tuple[int, ...] | None = None
    cls: str = ""


class SymValue(Tagged, frozen=True, tag="symbol"):
    """A symbolic number: SymInt, SymFloat or SymBool. `hint` is its example value, as text, where known."""

    type: LiteralType
    expr: str
    hint: str | None = None


class SequenceValue(Tagged, frozen=True, tag="sequence"):
    """Several values: an op that returns a tuple or a list."""

    type: str
    items: tuple[Value, ...] = ()


class MapValue(Tagged, frozen=True, tag="map"):
    """A dict of values."""

    keys: tuple[str, ...] = ()
    items: tuple[Value, ...] = ()


class ObjectValue(Tagged, frozen=True, tag="object"):
    """A script object, a token, or another object that is not a number: known by its class only."""

    role: str
    cls: str
    name: str = ""


Value: TypeAlias = TensorValue | SymValue | Literal | SequenceValue | MapValue | ObjectValue


# --- Where a node came from ------------------------------------------------------------------------------


class TargetType(StrEnum):
    """What a node's target is."""

    OP = "op"
    HIGHER_ORDER = "higher_order"
    BUILTIN = "builtin"
    FUNCTION = "function"
    METHOD = "method"
    ATTRIBUTE = "attribute"
    INPUT = "input"
    OUTPUT = "output"
    INSTRUCTION = "instruction"


class Target(Record, frozen=True):
    """What a node calls or names. `text` is how FX prints it; `schema` is torch's, where known."""

    type: TargetType
    text: str
    namespace: str = ""
    name: str = ""
    overload: str = ""
    schema: str | None = None


class Scope(Record, frozen=True):
    """One entry of nn_module_stack. A module called twice is two scopes: `call` counts from 0."""

    parent: ScopeNumber
    key: str
    path: str
    cls: str
    call: int = 0


class Frame(Record, frozen=True):
    """One line of a stack trace; `code` is the text torch recorded with it."""

    file: str
    line: int
    function: str
    code: str = ""


class Origin(Record, frozen=True):
    """One NodeSource of from_node; `parents` are numbers of origins, `graph` an ordinal, not id()."""

    name: str
    target: str
    pass_name: str
    action: str
    graph: int
    parents: tuple[int, ...] = ()


class SourceFn(Record, frozen=True):
    """One entry of source_fn_stack: the torch function or leaf module before decomposition."""

    name: str
    target: str


class Extra(Record, frozen=True):
    """A meta field that no other column has: its name, its type, and its text if that is short and exact."""

    name: str
    type: str
    text: str | None = None


class MemorySpec(Record, frozen=True):
    """Where the memory plan put a value. Sizes in bytes; lifetime in node positions, ends included."""

    dtype: str
    shape: tuple[Dim, ...]
    bytes: int | None = None
    mem_id: int | None = None
    mem_obj_id: int | None = None
    offset: int | None = None
    lifetime: tuple[int, int] | None = None
    const: bool = False
    dim_order: tuple[int, ...] | None = None
    dynamism: str = "static"
    alignment: int | None = None


class SourceText(Record, frozen=True):
    """Lines of a user's file around the lines that frames name; kept only where file and trace agree."""

    file: str
    lines: tuple[int, ...]
    text: tuple[str, ...]
