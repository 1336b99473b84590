"""A `.pte` as read against ExecuTorch's own reader and against the program that it was made from: 100 %."""

from __future__ import annotations

import dataclasses
import enum
import math
import operator as operator_module
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz import reports
from exir_viz.readers import flatbuffer
from exir_viz.readers.flatbuffer import schema, table_layouts
from exir_viz.readers.flatbuffer.container import Container, Source
from exir_viz.snapshot import Snapshot, validate, wire
from exir_viz.snapshot.emitted_enums import SCALAR_TYPES
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.program import InputKind, StateKind
from exir_viz.snapshot.records import ObjectArg, TensorValue
from tests.readers.pte_files import NAMES, lowered


def container(data: bytes) -> Container:
    return Container(Source(len(data), lambda offset, size: data[offset : offset + size]))


def snapshot(name: str) -> Snapshot:
    return flatbuffer.read(lowered(name).data, f"{name}.pte")


# --- the schema ---------------------------------------------------------------------------------------------

LETTERS = {
    "bool": "?", "byte": "b", "ubyte": "B", "int": "i", "uint": "I", "uint32": "I", "long": "q", "int64": "q",
    "uint64": "Q", "double": "d",
}  # fmt: skip


def installed_schema() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]:
    """Tables, enums and unions of ExecuTorch's program.fbs, and its file identifier."""
    import executorch.exir._serialize as home

    folder = Path(home.__file__).parent
    text = "".join((folder / name).read_text() for name in ("scalar_type.fbs", "program.fbs"))
    text = re.sub(r"//[^\n]*", "", text)
    assert not re.search(r"\(\s*id\s*:", text)  # fields are numbered by their order
    tables = {
        name: [
            tuple(part.strip() for part in field.partition("=")[0].partition("(")[0].split(":"))
            for field in body.split(";")
            if field.strip()
        ]
        for name, body in re.findall(r"table (\w+) \{(.*?)\}", text, re.DOTALL)
    }
    enums = {
        name: {key.strip(): int(value) for key, value in re.findall(r"(\w+) = (\d+)", body)}
        for name, body in re.findall(r"enum (\w+) : byte \{(.*?)\}", text, re.DOTALL)
    }
    unions = {
        name: [member.strip() for member in body.split(",") if member.strip()]
        for name, body in re.findall(r"union (\w+) \{(.*?)\}", text, re.DOTALL)
    }
    return tables, enums, unions, re.findall(r'file_identifier "(\w+)"', text)[0]


def written(field: table_layouts.Field, enums: dict[str, Any], unions: dict[str, Any], wanted: str) -> str:
    """Our field as program.fbs would write it; `wanted` decides between words that mean the same."""
    inner = wanted.strip("[]")
    word = inner if LETTERS.get("byte" if inner in enums else inner) == field.letter else f"?{field.letter}"
    match field.kind:
        case table_layouts.Kind.SCALAR:
            return word
        case table_layouts.Kind.SCALARS:
            return f"[{word}]"
        case table_layouts.Kind.STRING:
            return "string"
        case table_layouts.Kind.BYTES:
            return "[ubyte]"
        case table_layouts.Kind.TABLES:
            return f"[{field.tables[0].__name__}]"
        case table_layouts.Kind.TABLE:
            return field.tables[0].__name__
        case table_layouts.Kind.UNION:
            names = [table.__name__ for table in field.tables]
            return next((name for name, members in unions.items() if members == names), f"?{names}")


def test_the_schema_is_the_installed_one() -> None:
    tables, enums, unions, identifier = installed_schema()
    assert identifier.encode() == schema.FILE_IDENTIFIER
    ours = {
        name: one
        for name, one in vars(schema).items()
        if isinstance(one, type) and issubclass(one, schema.Table) and one is not schema.Table
    }
    assert set(ours) == set(tables)
    for name, fields in tables.items():
        found = table_layouts.layout_of(ours[name]).fields
        shown = [
            (field.name, written(field, enums, unions, wanted))
            for field, (_, wanted) in zip(found, fields, strict=True)
        ]
        assert shown == fields, name
    our_enums = {
        name: {one.name: one.value for one in members}
        for name, members in vars(schema).items()
        if isinstance(members, enum.EnumMeta) and members is not enum.IntEnum
    }
    assert our_enums == enums
    assert len(tables) > 30  # the file was parsed, not skipped


def plain(value: Any) -> Any:
    """ExecuTorch's dataclasses and our tables as the same nested tuples; absent and empty are the same."""
    if isinstance(value, (schema.Table,)):
        pairs = ((name, plain(getattr(value, name))) for name in value.__struct_fields__)
        return (type(value).__name__, *((name, one) for name, one in pairs if one not in EMPTY))
    if dataclasses.is_dataclass(value):
        pairs = ((field.name, plain(getattr(value, field.name))) for field in dataclasses.fields(value))
        return (type(value).__name__, *((name, one) for name, one in pairs if one not in EMPTY))
    if isinstance(value, (bytes, memoryview)):
        return tuple(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value))
    if isinstance(value, enum.Enum):
        return value.value
    return "nan" if isinstance(value, float) and math.isnan(value) else value


EMPTY: tuple[Any, ...] = (None, (), "", ("SubsegmentOffsets",), 0, False)


@pytest.mark.parametrize("name", NAMES)
def test_every_table_equals_executorchs(name: str) -> None:
    from executorch.exir._serialize._flatbuffer_program import _flatbuffer_to_program
    from executorch.exir._serialize._program import _get_extended_header

    data = lowered(name).data
    header = _get_extended_header(data)
    size = len(data) if header is None else header.program_size  # a program without segments has none
    theirs = plain(_flatbuffer_to_program(data[:size]))
    ours = container(data)
    assert plain(ours.program) == theirs
    assert not ours.unknown


def test_plain_tells_differences() -> None:
    one = schema.Program(
        execution_plan=(schema.ExecutionPlan(name="a", values=(schema.EValue(schema.Int(1)),)),)
    )
    two = schema.Program(
        execution_plan=(schema.ExecutionPlan(name="a", values=(schema.EValue(schema.Int(2)),)),)
    )
    assert plain(one) != plain(two)


# --- the Snapshot says all of it ----------------------------------------------------------------------------


def numbers(node: Node) -> list[int]:
    """The values that a node's instruction names, or that a placeholder is."""
    return next((eval(extra.text or "") for extra in node.extras if extra.name == "executorch.values"), [])


def operator(node: Node) -> tuple[str, str]:
    target = node.target
    return f"{target.namespace}::{target.name}", "" if target.overload == "default" else target.overload


def instructions(snapshot_graph: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for node in snapshot_graph:
        if node.debug_handle is None:
            continue
        assert node.debug_handle == len(found)
        if node.target.name == "executorch_call_delegate":
            (held,) = node.subgraphs
            found.append(("DelegateCall", int(held.name.removeprefix("delegate_")), numbers(node)))
        elif node.op == "call_function":
            found.append(("KernelCall", *operator(node), numbers(node)))
        elif node.target.name == "JumpFalseCall":
            found.append(("JumpFalseCall", *numbers(node), node.args[1]))
        else:
            found.append((node.target.name, *numbers(node)))
    return found


def expected_instructions(plan: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for one in plan.chains[0].instructions:
        call = one.instr_args
        match type(call).__name__:
            case "KernelCall":
                op = plan.operators[call.op_index]
                name = (op.name, "" if op.overload == "default" else op.overload)
                found.append(("KernelCall", *name, call.args))
            case "DelegateCall":
                found.append(("DelegateCall", call.delegate_index, call.args))
            case kind:
                found.append((kind, *dataclasses.astuple(call)))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_snapshot_holds_the_program(name: str) -> None:
    from executorch.exir._serialize._program import deserialize_pte_binary

    read = snapshot(name)
    program = deserialize_pte_binary(lowered(name).data).program
    assert list(read.methods) == [plan.name for plan in program.execution_plan]
    for plan in program.execution_plan:
        method = read.methods[plan.name]
        graph = method.graph
        assert instructions(graph) == expected_instructions(plan)
        arenas = list(enumerate(plan.non_const_buffer_sizes))[1:]
        assert [(one.id, one.bytes) for one in method.detail.arenas] == arenas
        assert [one.kind for one in method.signature.inputs].count(InputKind.USER_INPUT) == len(plan.inputs)
        inputs = [numbers(graph[one.arg.name]) for one in method.signature.inputs if one.path]
        assert inputs == [[number] for number in plan.inputs]
        assert len(method.signature.outputs) == len(plan.outputs)
        delegates = {
            int(one.name.removeprefix("delegate_")): one.delegate for one in list(method.graphs())[1:]
        }
        for number, delegate in enumerate(plan.delegates):
            held = delegates[number]
            assert held is not None
            assert held.backend == delegate.id
            blob = program.backend_delegate_data[delegate.processed.index].data
            assert held.bytes == len(blob) > 0
            specs = [(one.key, one.bytes) for one in held.specs]
            assert specs == [(one.key, len(one.value)) for one in delegate.compile_specs]
        tensors_agree(graph, plan)


def tensors_agree(graph: Any, plan: Any) -> None:
    """Every tensor that a node yields is the one of the values table, in its place in memory."""
    from torch import strided

    seen = 0
    for node in graph:
        if node.op == "placeholder":
            values = numbers(node)
        elif node.op == "call_function" and node.debug_handle is not None:
            values = written_by(node, plan)
        else:
            continue
        tensors = [plan.values[number].val for number in values]
        tensors = [one for one in tensors if type(one).__name__ == "Tensor"]
        shown = list(getattr(node.value, "items", ())) or [node.value]
        shown = [one for one in shown if isinstance(one, TensorValue)]
        assert len(shown) == len(tensors) == len(node.specs), node
        for value, spec, tensor in zip(shown, node.specs, tensors, strict=True):
            seen += 1
            assert value.shape == spec.shape == tuple(tensor.sizes)
            assert value.dim_order == spec.dim_order == tuple(tensor.dim_order)
            assert value.requires_grad == tensor.requires_grad
            assert value.dtype == spec.dtype == torch_dtype(tensor.scalar_type)
            assert value.layout == str(strided).removeprefix("torch.")
            assert spec.dynamism == tensor.shape_dynamism.name.lower()
            place = tensor.allocation_info
            assert (spec.mem_id, spec.offset) == (
                (place.memory_id, place.memory_offset) if place else (None, None)
            )
            assert spec.const == (tensor.data_buffer_idx > 0 and place is None)
    assert seen or len(graph) == 1


def torch_dtype(scalar: Any) -> str:
    import torch
    from executorch.exir.tensor import scalar_type_enum

    dtypes = [one for one in vars(torch).values() if isinstance(one, torch.dtype)]
    return next(
        str(one).removeprefix("torch.") for one in dtypes if has_scalar(one, scalar, scalar_type_enum)
    )


def has_scalar(dtype: Any, scalar: Any, convert: Any) -> bool:
    try:
        return bool(convert(dtype) == scalar)
    except Exception:  # noqa: BLE001 (ExecuTorch knows no number for many of torch's dtypes)
        return False


def written_by(node: Node, plan: Any) -> list[int]:
    """By ExecuTorch's conventions: the last argument, or its items; a delegate's, what is left."""
    values = numbers(node)
    if node.target.name == "executorch_call_delegate":
        return values[len(node.inputs) :]
    if node.target.name == "et_copy_index":
        return values[:1]
    last = plan.values[values[-1]].val
    return list(last.items) if type(last).__name__ == "TensorList" else values[-1:]


@pytest.mark.parametrize("name", NAMES)
def test_snapshots_are_sound_and_deterministic(name: str, tmp_path: Path) -> None:
    read = snapshot(name)
    assert validate.problem(read.skeleton, read.detail) is None
    data = wire.encode(read)
    assert wire.decode(data) == read
    path = tmp_path / f"{name}.pte"
    path.write_bytes(lowered(name).data)
    assert wire.encode(flatbuffer.read(path)) == wire.encode(flatbuffer.read(str(path))) == data


# --- what was inferred --------------------------------------------------------------------------------------


def live_sources(node: Any, seen: dict[Any, int]) -> set[Any]:
    """Where a live node's tensors come from: instructions by number, placeholders by place."""
    outs = live_outs(node)
    return set().union(*(live_origin(one, seen) for one in node.all_input_nodes if one not in outs))


def live_outs(node: Any) -> list[Any]:
    """The allocations that a live node writes: its out arguments."""
    from torch.utils import _pytree as pytree

    arguments = getattr(getattr(node.target, "_schema", None), "arguments", ())
    return pytree.tree_leaves([node.kwargs.get(one.name) for one in arguments if one.is_out])


def live_origin(node: Any, seen: dict[Any, int]) -> set[Any]:
    if node in seen:
        return {f"placeholder {seen[node]}"}
    if is_instruction(node):
        return {node.meta["debug_handle"]}
    # an operator that returns nothing is read through what it wrote
    writers = [user for user in node.users if node in live_outs(user)]
    if writers:
        return {user.meta["debug_handle"] for user in writers}
    return set().union(*(live_origin(one, seen) for one in node.all_input_nodes))


def read_sources(node: Node, seen: dict[Node, int]) -> set[Any]:
    return set().union(*(read_origin(one, seen) for one in node.inputs))


def read_origin(node: Node, seen: dict[Node, int]) -> set[Any]:
    if node in seen:
        return {f"placeholder {seen[node]}"}
    return {node.debug_handle} if node.debug_handle is not None else read_sources(node, seen)


@pytest.mark.parametrize("name", ["linear", "buffers", "initialised", "several", "delegated", "recorded"])
def test_references_lead_where_the_live_programs_do(name: str) -> None:
    one = lowered(name)
    live = list(one.manager.exported_program().graph.nodes)
    graph = flatbuffer.read(one.data).method.graph
    live_places = {
        node: place for place, node in enumerate(node for node in live if node.op == "placeholder")
    }
    places = {node: place for place, node in enumerate(node for node in graph if node.op == "placeholder")}
    assert len(live_places) == len(places)
    by_handle = {node.meta["debug_handle"]: node for node in live if is_instruction(node)}
    # What writes a buffer back is added while emitting, and is not in the live program's handles.
    back = {node.debug_handle for node in graph if node.target.name == "copy_"}
    assert set(by_handle) == {node.debug_handle for node in graph} - {None} - back
    for node in graph:
        if node.debug_handle is not None and node.debug_handle not in back:
            theirs = live_sources(by_handle[node.debug_handle], live_places)
            assert read_sources(node, places) == theirs, node
    output = next(node for node in live if node.op == "output")
    returned = [one for one in output.all_input_nodes if "copy_" not in str(one.target)]
    theirs = set().union(*(live_origin(one, live_places) for one in returned))
    assert read_sources(graph["output"], places) == theirs


def is_instruction(node: Any) -> bool:
    """Whether the emitter made an instruction of a live node; others keep the handles of the edge program."""
    if node.op != "call_function" or node.meta.get("debug_handle") is None:
        return False
    elided = node.target is operator_module.getitem or node.target.__module__ == "executorch.exir.memory"
    return not elided


def test_delegates_have_the_outputs_that_were_emitted() -> None:
    one = lowered("delegated")
    counts = one.manager.instruction_id_to_num_outs_map["forward"]
    graph = flatbuffer.read(one.data).method.graph
    calls = [node for node in graph if node.target.name == "executorch_call_delegate"]
    assert len(calls) == len(counts) > 1
    for node in calls:
        value = node.value
        shown = 1 if isinstance(value, TensorValue) else len(value.items)
        assert shown == counts[node.debug_handle]


def test_a_branch_keeps_both_writers_and_its_jumps() -> None:
    graph = snapshot("branch").method.graph
    first, second = (node for node in graph if node.target.name == "MoveCall")
    assert second.inputs[-1] == first  # what the other branch may have written
    (multiply,) = (node for node in graph if node.target.name == "mul")
    assert second in multiply.inputs
    jumps = [node for node in graph if node.target.name == "JumpFalseCall"]
    assert [node.args[1] for node in jumps] == [first.debug_handle + 2, second.debug_handle + 1]
    assert "pte-jumps" in {notice.code for notice in snapshot("branch").notices}


def test_what_a_loop_changes_is_no_constant() -> None:
    graph = snapshot("loop").method.graph
    select = next(node for node in graph if node.target.name == "select_copy")
    assert isinstance(select.args[2], ObjectArg)
    assert "Int, 0 at first" in select.args[2].text
    assert not snapshot("loop").method.state
    (jump,) = (node for node in graph if node.target.name == "JumpFalseCall")
    assert jump.args[1] == select.debug_handle


def test_buffers_are_reported_from_what_is_planned() -> None:
    plain_one, named = snapshot("buffers").method, snapshot("initialised").method
    assert [(one.name, one.kind, one.data) for one in plain_one.state] == [
        ("buffer_0", StateKind.BUFFER, None),
        ("constant_1", StateKind.CONSTANT, ("0.0", "1.0")),
    ]
    first = named.state[0]
    assert (first.name, first.kind, first.data) == ("count", StateKind.BUFFER, ("3.0", "4.0"))
    assert [one.path for one in plain_one.signature.outputs] == ['output["a"]', 'output["b"][0]']
    (copy,) = (node for node in plain_one.graph if node.target.name == "copy_")
    assert copy.inputs[0].name == "buffer_0"


def test_small_constants_have_their_elements() -> None:
    live = lowered("several").manager.exported_program()
    entries = [one for one in snapshot("several").method.state if one.kind is StateKind.CONSTANT]
    tensors = [*live.state_dict.values(), *live.constants.values()]
    shown = sorted(entry.data or () for entry in entries)
    assert shown == sorted(tuple(map(repr, one.flatten().tolist())) for one in tensors)
    assert {one.bytes for one in entries} == {one.nbytes for one in tensors}


def test_lifetimes_span_the_uses() -> None:
    graph = snapshot("several").method.graph
    for node in graph:
        for spec in node.specs:
            if spec.lifetime is not None and node.op != "placeholder":
                assert spec.lifetime[0] <= node.position <= spec.lifetime[1]
                users = [user.position for user in node.users]
                assert max(users, default=0) <= spec.lifetime[1] or len(node.specs) > 1
    planned = [spec for node in graph if node.debug_handle is not None for spec in node.specs]
    # The memory plan is a plan: what lies in one place is not alive at one time.
    for one in planned:
        for two in planned:
            if one is two or one.mem_id != two.mem_id or one.offset != two.offset:
                continue
            assert one.lifetime[1] <= two.lifetime[0] or two.lifetime[1] <= one.lifetime[0]


def test_what_every_run_of_a_loop_reads_lives_until_its_end() -> None:
    graph = snapshot("loop").method.graph
    jump = next(node for node in graph if node.target.name == "JumpFalseCall")
    start = next(node for node in graph if node.debug_handle == jump.args[1])
    loop = range(start.position, jump.position + 1)
    inputs = [node for node in graph if node.op == "placeholder" and node.specs[0].lifetime is not None]
    read = [node for node in inputs if any(user.position in loop for user in node.users)]
    assert read
    for node in read:
        assert node.specs[0].lifetime[1] >= jump.position
    (copy,) = (node for node in graph if node.target.name == "et_copy_index")
    assert copy.specs[0].lifetime[0] <= start.position  # each run adds a row


def test_methods_names_and_constants_of_any_kind() -> None:
    read = snapshot("methods")
    outputs = {name: [one.arg.value for one in read.methods[name].signature.outputs] for name in read.methods}
    texts = {name: [one.text for one in values if one] for name, values in outputs.items()}
    assert texts == {"forward": [], "other": [], "get_len": ["7"], "name": ["é"], "scales": ["0.5", "True"]}
    assert [one.path for one in read.methods["scales"].signature.outputs] == ["output[0]", "output[1]"]


def test_dynamic_sizes_are_bounds() -> None:
    read = snapshot("dynamic")
    placeholder = read.method.graph["input_0"]
    assert isinstance(placeholder.value, TensorValue)
    assert placeholder.value.shape == (10, 4)
    assert placeholder.value.stride is None
    assert placeholder.specs[0].dynamism == "dynamic_bound"
    (symbol,) = read.method.symbols
    assert symbol.bindings[0].node == read.method.signature.outputs[1].arg.name
    assert "pte-dynamic" in {notice.code for notice in read.notices}


def test_stack_traces_where_emitted() -> None:
    graph = snapshot("linear").method.graph
    frames = [node.frames for node in graph if node.debug_handle is not None]
    assert all(frames)
    live = lowered("linear").manager.exported_program().graph.nodes
    traces = {node.meta["debug_handle"]: node.meta["stack_trace"] for node in live if is_instruction(node)}
    for node in graph:
        for frame in node.frames:
            assert f'File "{frame.file}", line {frame.line}, in {frame.function}' in traces[node.debug_handle]
            assert frame.code in traces[node.debug_handle]


def test_reading_needs_no_torch(tmp_path: Path) -> None:
    path = tmp_path / "x.pte"
    path.write_bytes(lowered("delegated").data)
    code = (
        "import sys\nfrom exir_viz.readers import flatbuffer\n"
        f"print(len(flatbuffer.read({str(path)!r}).method.graph))\n"
        "print(sorted({'torch', 'executorch', 'flatbuffers', 'numpy', 'sympy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [str(len(snapshot("delegated").method.graph)), "[]"]


def test_weights_are_not_read(tmp_path: Path) -> None:
    """A file with a gigabyte of weights costs what its program costs."""
    data = lowered("several").data
    asked: list[int] = []

    def read_at(offset: int, size: int) -> bytes:
        asked.append(size)
        return data[offset : offset + size]

    one = Container(Source(len(data), read_at))
    assert sum(asked) < len(data) - one.segment_bytes + 64
    assert one.segment_bytes > 0


def test_every_scalar_type_of_the_schema_has_torchs_name() -> None:
    from executorch.exir.tensor import scalar_type_enum

    # The schema does not list complex numbers; ExecuTorch writes them by PyTorch's numbers all the same.
    complex_numbers = {8, 9, 10}
    assert SCALAR_TYPES.keys() == {one.value for one in schema.ScalarType} | complex_numbers
    told = {"uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool", "bfloat16"}
    for number, name in SCALAR_TYPES.items():
        assert name not in told or int(scalar_type_enum(getattr(torch, name))) == number
    assert told <= set(SCALAR_TYPES.values())


def _transferred(snapshot: Snapshot) -> list[object]:
    """The bytes that each delegate takes and returns."""
    report = reports.run("delegation", snapshot)
    (found,) = [one for one in report.sections if one.title == "Delegates"]
    at = [column.name for column in found.columns].index("transferred")
    return [row.values[at] for row in found.rows]


def test_a_delegate_of_a_file_is_run_by_its_own_call(tmp_path: Path) -> None:
    """What crosses its boundary is as in the program that made the file."""
    made = lowered("delegated")
    path = tmp_path / "delegated.pte"
    path.write_bytes(made.data)
    file, program = exir_viz.load(path), exir_viz.load(made.manager)
    calls = [graph.holder for graph in file.graphs if graph.delegate is not None]
    assert [call and op_name(call.target) for call in calls] == ["executorch_call_delegate"] * len(calls)
    ours, theirs = (_transferred(one) for one in (program, file))
    assert len(ours) > 1
    assert None not in ours
    assert ours == theirs
