"""The records of a whole program: signature, pytrees, symbols, state, methods.

As in `records`: frozen plain data, the same on the wire and in TypeScript; nothing here knows torch.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from .records import Literal, Record


class Dialect(StrEnum):
    """Which rules a program promises to keep. `core` is promised by the step that made it, not by files."""

    ATEN_TRAINING = "aten.training"
    ATEN = "aten"
    ATEN_CORE = "aten.core"
    EDGE = "edge"
    BACKEND = "backend"
    EXECUTORCH = "executorch"
    FX = "fx"


class InputKind(StrEnum):
    """torch.export's InputKind, by name."""

    USER_INPUT = "user_input"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    CONSTANT_TENSOR = "constant_tensor"
    CUSTOM_OBJ = "custom_obj"
    TOKEN = "token"


class OutputKind(StrEnum):
    """torch.export's OutputKind, by name."""

    USER_OUTPUT = "user_output"
    LOSS_OUTPUT = "loss_output"
    BUFFER_MUTATION = "buffer_mutation"
    PARAMETER_MUTATION = "parameter_mutation"
    GRADIENT_TO_PARAMETER = "gradient_to_parameter"
    GRADIENT_TO_USER_INPUT = "gradient_to_user_input"
    USER_INPUT_MUTATION = "user_input_mutation"
    TOKEN = "token"


# Outputs that are written back, to state or to an input of the user.
MUTATIONS = frozenset(
    (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION, OutputKind.USER_INPUT_MUTATION)
)


class ArgumentType(StrEnum):
    """What a signature's argument is."""

    TENSOR = "tensor"
    SYM_INT = "sym_int"
    SYM_FLOAT = "sym_float"
    SYM_BOOL = "sym_bool"
    CONSTANT = "constant"
    CUSTOM_OBJ = "custom_obj"
    TOKEN = "token"


class Argument(Record, frozen=True):
    """An argument of a signature: the node it is, or the constant it was specialised to."""

    type: ArgumentType
    name: str
    value: Literal | None = None
    cls: str = ""


class InputSpec(Record, frozen=True):
    """One input: `target` is the state it reads, `path` where the user passes it (`batch["mask"][0]`)."""

    kind: InputKind
    arg: Argument
    target: str | None = None
    persistent: bool | None = None
    path: str | None = None


class OutputSpec(Record, frozen=True):
    """One output: `target` is the state or input it writes, `path` where the user finds it."""

    kind: OutputKind
    arg: Argument
    target: str | None = None
    path: str | None = None


class Signature(Record, frozen=True):
    """The graph signature: specs in the order of the placeholders and of the outputs."""

    inputs: tuple[InputSpec, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()


class Tree(Record, frozen=True):
    """A pytree spec. `type` is "leaf", "tuple", "list", "dict" or the class of another container.

    `keys` name the children of a dict, a named tuple or a dataclass; `context` keeps what else torch keeps.
    """

    type: str
    children: tuple[Tree, ...] = ()
    keys: tuple[Literal, ...] = ()
    context: str | None = None


class CallSignature(Record, frozen=True):
    """The calling convention of one module, kept so that a program can be unflattened."""

    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    in_spec: Tree
    out_spec: Tree
    arg_names: tuple[str, ...] | None = None


class ModuleCall(Record, frozen=True):
    """One entry of the module call graph."""

    path: str
    signature: CallSignature | None = None


class SymbolBinding(Record, frozen=True):
    """Where a symbol can be read: a node's value, and the path in it (`size()[0]`)."""

    node: str
    path: str


class Symbol(Record, frozen=True):
    """A symbolic number of a method. Bounds and hint are text: "int_oo" is unbounded.

    `dim` is the name the user gave it with Dim(...); a saved program does not keep it.
    """

    name: str
    type: str
    backed: bool
    lower: str | None = None
    upper: str | None = None
    hint: str | None = None
    dim: str | None = None
    bindings: tuple[SymbolBinding, ...] = ()


class Range(Record, frozen=True):
    """One range constraint: of a symbol, or of an expression."""

    expr: str
    lower: str
    upper: str


class StateKind(StrEnum):
    """What a piece of state is."""

    PARAMETER = "parameter"
    BUFFER = "buffer"
    CONSTANT = "constant"
    CUSTOM_OBJ = "custom_obj"


class StateEntry(Record, frozen=True):
    """A parameter, buffer or constant, without its data. Equal `storage` numbers share memory.

    `value` is a number of the values table; `data` holds a small constant's elements, row by row. `crc32` is
    the CRC-32 of the elements in the order in which they lie in memory, where they were read.
    """

    name: str
    kind: StateKind
    value: int
    bytes: int | None = None
    storage: int | None = None
    data: tuple[str, ...] | None = None
    cls: str = ""
    crc32: int | None = None


class Example(Record, frozen=True):
    """An example input: where the user passed it, and what it was."""

    path: str
    value: int


class Arena(Record, frozen=True):
    """One planned memory arena of an ExecuTorch program, in bytes."""

    id: int
    bytes: int
    device: str = "cpu"


class CompileSpec(Record, frozen=True):
    """An option of a backend, with its `text` if it is printable."""

    key: str
    bytes: int
    text: str | None = None


class Delegate(Record, frozen=True):
    """A graph that a backend took. Where the file holds no graph of it, the graph has no nodes.

    `bytes` and `crc32` are those of the payload; without a checksum if it was not read.
    """

    backend: str
    bytes: int | None = None
    specs: tuple[CompileSpec, ...] = ()
    crc32: int | None = None


# The code of the notice that says that weights or delegates were too much to read for checksums.
UNSUMMED = "checksums"


class Notice(Record, frozen=True):
    """Something a reader of the Snapshot must know: what was inferred, left out or not readable."""

    code: str
    text: str
    count: int = 1


class OriginOfSnapshot(Record, frozen=True):
    """Where a Snapshot came from: a live object's class, or a file's kind and name (never its folder)."""

    type: str
    name: str = ""
    torch: str = ""
    executorch: str = ""
    file_version: str = ""


class MethodRecord(Record, frozen=True):
    """One method of a program: its graph and what the picture needs of the rest."""

    name: str
    graph: int
    dialect: Dialect
    verifiers: tuple[str, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    ranges: tuple[Range, ...] = ()
    state: tuple[StateEntry, ...] = ()


class GuardLine(Record, frozen=True):
    """A condition on sizes, and the user's line that caused it. Only a live program knows the line."""

    expr: str
    file: str
    line: int


class FileRuns(Record, frozen=True):
    """Lines of one file that ran while a module was exported, as columns.

    Each of `lines` was reached from the line of `sources` (-1: a call begins, or ends), `counts` times.
    """

    file: str
    sources: tuple[int, ...]
    lines: tuple[int, ...]
    counts: tuple[int, ...]


class ValueRole(StrEnum):
    """What a value is in the user's code."""

    INPUT = "input"
    ATTRIBUTE = "attribute"
    VARIABLE = "variable"


class ValueOutcome(StrEnum):
    """What became of a value of Python.

    placeholder: an input of the graph, it may change from run to run. op: the program computes it. graph
    constant: the program contains it, and it cannot change. absent: Python used it while exporting, at most.
    """

    PLACEHOLDER = "placeholder"
    OP = "op"
    CONSTANT = "graph constant"
    ABSENT = "absent"


class PythonValue(Record, frozen=True):
    """What became of an input, an attribute of a module, or a variable of a function.

    Attributes
    ----------
    role
        Which of these it is.
    name
        As the user's code has it: "x", "layers.0.scale", "forward: count".
    type, value
        What it was while exporting. `value` is empty where it is no number, text or tensor.
    outcome
        What became of it.
    note
        Why.
    nodes
        The placeholder, or the ops that have it as an argument.
    file, line
        Where it is read or assigned first.
    """

    role: ValueRole
    name: str
    type: str
    value: str
    outcome: ValueOutcome
    note: str = ""
    nodes: tuple[str, ...] = ()
    file: str = ""
    line: int = 0


class MethodDetail(Record, frozen=True):
    """Facts about a method that only its panels show; pages load them later.

    `edge_handles`: by instruction of an ExecuTorch program, the debug handle that its node had in the edge
    program; -1 where it has none.
    """

    in_spec: Tree | None = None
    out_spec: Tree | None = None
    module_calls: tuple[ModuleCall, ...] = ()
    guards: tuple[str, ...] = ()
    guard_lines: tuple[GuardLine, ...] = ()
    opset: dict[str, int] = msgspec.field(default_factory=dict)
    examples: tuple[Example, ...] | None = None
    arenas: tuple[Arena, ...] = ()
    edge_handles: tuple[int, ...] = ()
    meta: tuple[str, ...] = ()
