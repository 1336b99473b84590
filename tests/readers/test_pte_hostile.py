"""Damaged and hostile `.pte` files: a FileError that says where and why, in bounded work, and no other."""

from __future__ import annotations

import random
import struct
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exir_viz.errors import (
    FileError,
    FileTooLarge,
    MalformedFile,
    TruncatedFile,
    UnknownFormat,
    UnsupportedVersion,
)
from exir_viz.readers import flatbuffer
from exir_viz.readers.files import load
from exir_viz.readers.flatbuffer import limits
from exir_viz.snapshot import validate, wire
from tests.nightly import some
from tests.readers.pte_files import NAMES, lowered


def error_of(data: bytes) -> FileError:
    with pytest.raises(FileError) as caught:
        flatbuffer.read(data, "x.pte")
    return caught.value


# --- damage -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(NAMES, NAMES[::3]))
def test_truncated_anywhere(name: str) -> None:
    data = lowered(name).data
    for part in range(50):
        error = error_of(data[: len(data) * part // 50])
        assert "x.pte" in str(error)
        # A file without segments has no header that says how long it is to be.
        if data[8:12] == b"eh00" or part == 0:
            assert isinstance(error, TruncatedFile)
            assert "ends" in error.reason
        else:
            assert "past the end" in error.reason or "leads to" in error.reason


def test_a_file_cut_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cut.pte"
    path.write_bytes(lowered("linear").data[:200])
    with pytest.raises(TruncatedFile, match=r"cut\.pte"):
        flatbuffer.read(path)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, as a careless disk or a careful attacker would."""
    found = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(found))
        match chance.randrange(5):
            case 0:
                found[at] = chance.randrange(256)
            case 1:
                found[at] ^= 1 << chance.randrange(8)
            case 2:
                found[at : at + 4] = struct.pack(
                    "<I", chance.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, at, 1 << 20))
                )
            case 3:
                source = chance.randrange(len(found))
                found[at : at + 4] = found[source : source + 4]
            case _:
                found[at : at + 2] = struct.pack("<H", chance.choice((0, 4, 6, 0xFFFF)))
    return bytes(found[: len(data)])


@pytest.mark.parametrize("name", some(NAMES, NAMES[::3]))
def test_mutations_are_read_or_refused(name: str) -> None:
    data = lowered(name).data
    chance = random.Random(f"pte {name}")
    outcomes: Counter[str] = Counter()
    for _ in range(600):
        try:
            read = flatbuffer.read(mutated(data, chance), "x.pte")
        except FileError as error:
            outcomes[type(error).__name__ if error.reason else "no reason given"] += 1
            continue
        outcomes["read"] += 1
        assert validate.problem(read.skeleton, read.detail) is None
        assert wire.decode(wire.encode(read)) == read
    assert not outcomes["no reason given"]
    assert outcomes["MalformedFile"] > 30  # the mutations do damage
    assert outcomes["read"] > 30  # and not all of them


def test_what_is_said_names_the_member() -> None:
    members = set()
    chance = random.Random("members")
    for _ in range(1500):
        try:
            flatbuffer.read(mutated(lowered("several").data, chance), "x.pte")
        except FileError as error:
            members.add(error.member.partition("[")[0])
            if "values" in error.member:
                members.add("values")
    assert {"", "execution_plan", "values"} <= members


# --- lies, written by ExecuTorch's own writer ---------------------------------------------------------------


def altered(change: Callable[[Any], None], name: str = "linear") -> bytes:
    """The program of a real file, changed and written again (without segments: its data is lost)."""
    from executorch.exir._serialize._flatbuffer_program import _flatbuffer_to_program, _program_to_flatbuffer

    program = _flatbuffer_to_program(lowered(name).data)
    program.segments, program.constant_segment = [], None
    for plan in program.execution_plan:
        for value in plan.values:
            if hasattr(value.val, "data_buffer_idx"):
                value.val.data_buffer_idx = 0
    change(program)
    return bytes(_program_to_flatbuffer(program).data)


def plan_of(program: Any) -> Any:
    return program.execution_plan[0]


def set_value(number: int, **fields: Any) -> Callable[[Any], None]:
    def change(program: Any) -> None:
        for name, value in fields.items():
            setattr(plan_of(program).values[number].val, name, value)

    return change


def set_call(number: int, **fields: Any) -> Callable[[Any], None]:
    def change(program: Any) -> None:
        for name, value in fields.items():
            setattr(plan_of(program).chains[0].instructions[number].instr_args, name, value)

    return change


def set_plan(**fields: Any) -> Callable[[Any], None]:
    def change(program: Any) -> None:
        for name, value in fields.items():
            setattr(plan_of(program), name, value)

    return change


FIRST = "execution_plan[0].values[0]"
VALUE = "execution_plan[0].values[7]"
CALL = "execution_plan[0].chains[0].instructions[1]"
LIES: dict[str, tuple[Callable[[Any], None], str, str]] = {
    "negative size": (set_value(7, sizes=[2, -3]), VALUE, "one of its sizes is -3"),
    "huge size": (set_value(7, sizes=[2**31 - 1] * 2), VALUE, "more elements than any memory holds"),
    "rank": (set_value(7, sizes=[1] * 17, dim_order=list(range(17))), VALUE, "17 dimensions"),
    "dim order": (set_value(7, dim_order=[1, 1]), VALUE, "its dim order (1, 1)"),
    "dim order too short": (set_value(7, dim_order=[0]), VALUE, "is not one of 2 dimensions"),
    "no such argument": (set_call(1, args=[1, 2, 99]), CALL, "it names value 99, and there are 11"),
    "negative argument": (set_call(1, args=[-1]), CALL, "it names value -1, and there are 11"),
    "no such operator": (set_call(1, op_index=3), CALL, "it calls operator 3, and there are 3"),
    "negative operator": (set_call(1, op_index=-1), CALL, "it calls operator -1, and there are 3"),
    "list of lists": (set_value(6, items=[6]), "execution_plan[0].values[6]", "its items name value 6"),
    "list of nothing": (set_value(6, items=[99]), "execution_plan[0].values[6]", "its items name value 99"),
    "no such input": (set_plan(inputs=[11]), "execution_plan[0].inputs",
        "it names value 11, and there are 11"),
    "input twice": (set_plan(inputs=[2, 2]), "execution_plan[0].inputs", "it names a value twice"),
    "no such output": (set_plan(outputs=[-2]), "execution_plan[0].outputs",
        "it names value -2, and there are 11"),
    "negative arena": (set_plan(non_const_buffer_sizes=[-1]), ".non_const_buffer_sizes[0]", "of -1 bytes"),
    "constant without data": (set_value(0, data_buffer_idx=9), FIRST,
        "its data is in buffer 9, and there are 0"),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_lies_are_found(lie: str) -> None:
    change, member, reason = LIES[lie]
    error = error_of(altered(change))
    assert isinstance(error, MalformedFile)
    assert error.member.endswith(member)
    assert reason in error.reason


def test_an_altered_file_is_fine_without_a_lie() -> None:
    assert len(flatbuffer.read(altered(lambda program: None), "x.pte").method.graph) > 3


def test_methods_of_one_name_and_none() -> None:
    def double(program: Any) -> None:
        program.execution_plan.append(plan_of(program))

    assert "two methods have the same name" in error_of(altered(double)).reason
    assert "no methods" in error_of(altered(lambda program: program.execution_plan.clear())).reason


def test_delegates_jumps_and_segments_that_are_not_there() -> None:
    def call(program: Any) -> None:
        plan_of(program).chains[0].instructions[1].instr_args.delegate_index = 7

    assert "it calls delegate 7, and there are 2" in error_of(altered(call, "delegated")).reason

    def jump(program: Any) -> None:
        plan_of(program).chains[0].instructions[0].instr_args.destination_instruction = -1

    assert "it jumps to instruction -1" in error_of(altered(jump, "branch")).reason
    # the segments that the delegates and the named data name were taken away by `altered`
    assert "segment" in error_of(altered(lambda program: None, "delegated")).reason


def test_a_jump_leads_to_an_instruction_or_to_the_end() -> None:
    def jump(by: int, times: int) -> bytes:
        def change(program: Any) -> None:
            chain = plan_of(program).chains[0].instructions
            chain[0].instr_args.destination_instruction = by + times * len(chain)

        return altered(change, "branch")

    flatbuffer.read(jump(0, 0), "x.pte")
    flatbuffer.read(jump(0, 1), "x.pte")
    assert "it jumps to instruction" in error_of(jump(1, 1)).reason


def test_lists_in_every_call_are_counted() -> None:
    """A list of n items named by m calls is n times m arguments: refused before they are made."""
    from executorch.exir.schema import Instruction, KernelCall

    def many(program: Any) -> None:
        plan = plan_of(program)
        plan.values[6].val.items = [4] * 3000
        plan.chains[0].instructions = [Instruction(KernelCall(0, [0, 6, 3, 3])) for _ in range(1000)]

    data = altered(many)
    tracemalloc.start()
    try:
        error = error_of(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(error, FileTooLarge)
    assert f"{limits.MAX_LIST_ITEMS:,} items" in error.reason
    assert peak < 40 * len(data)


# --- lies that no writer writes -----------------------------------------------------------------------------


def table(fields: dict[int, int], slots: int) -> tuple[bytes, bytes]:
    """A vtable and a table whose fields are 32-bit offsets, to be filled in by the caller."""
    offsets = [4 + 4 * list(fields).index(slot) if slot in fields else 0 for slot in range(slots)]
    vtable = struct.pack(f"<HH{slots}H", 4 + 2 * slots, 4 + 4 * len(fields), *offsets)
    return vtable + b"\0" * (-len(vtable) % 4), struct.pack("<i", len(vtable) + (-len(vtable) % 4))


def one_plan_many_times(times: int, values: int) -> bytes:
    """A program whose plans are all the same table, of one vector of values, all the same."""
    program_vtable, program = table({1: 0}, 2)
    plan_vtable, plan = table({2: 0}, 3)
    value_vtable = struct.pack("<HHHH", 8, 12, 4, 8)
    null_vtable = struct.pack("<HH", 4, 4)
    data = bytearray(struct.pack("<I4s", 0, b"ET12"))
    data += program_vtable
    struct.pack_into("<I", data, 0, len(data))
    data += program + struct.pack("<I", 4) + struct.pack("<I", times)
    vector = len(data)
    data += bytes(4 * times) + plan_vtable
    for number in range(times):
        at = vector + 4 * number
        struct.pack_into("<I", data, at, len(data) - at)
    data += plan + struct.pack("<I", 4) + struct.pack("<I", values)
    vector = len(data)
    data += bytes(4 * values) + value_vtable
    for number in range(values):
        at = vector + 4 * number
        struct.pack_into("<I", data, at, len(data) - at)
    data += struct.pack("<iB3xI", 8, 1, 8) + null_vtable + struct.pack("<i", 4)
    return bytes(data)


def test_the_handmade_file_is_one() -> None:
    from executorch.exir._serialize._flatbuffer_program import _flatbuffer_to_program

    data = one_plan_many_times(2, 3)
    assert [len(plan.values) for plan in _flatbuffer_to_program(data).execution_plan] == [3, 3]
    assert len(flatbuffer.read(one_plan_many_times(1, 1), "x.pte").method.graph) == 1


def test_the_same_bytes_over_and_over_are_refused() -> None:
    """Squared in the size of the file if it were followed: 10,000 plans of 10,000 values."""
    data = one_plan_many_times(10_000, 10_000)
    tracemalloc.start()
    try:
        error = error_of(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(error, FileTooLarge)
    assert "over and over" in error.reason
    assert peak < 100 * len(data)


def patched(name: str, at: int, form: str, *values: Any) -> bytes:
    data = bytearray(lowered(name).data)
    struct.pack_into(form, data, at, *values)
    return bytes(data)


def test_the_header_is_checked() -> None:
    huge = (1 << 63) + 5
    assert isinstance(error_of(patched("linear", 0, "<I", 0xFFFFFFF0)), MalformedFile)
    assert isinstance(error_of(patched("linear", 4, "<4s", b"ET99")), UnsupportedVersion)
    assert "claims 3 bytes" in error_of(patched("linear", 12, "<I", 3)).reason
    for at in (16, 24, 32):  # program size, segment base, segments' size
        error = error_of(patched("linear", at, "<Q", huge))
        assert isinstance(error, TruncatedFile)
        assert f"{huge:,}" in error.reason or f"{huge + 64:,}" in error.reason or "claims" in error.reason
    assert "a program of 4 bytes" in error_of(patched("linear", 16, "<Q", 4)).reason


def test_programs_of_other_formats_are_refused_by_name() -> None:
    for magic, word in (
        (b"FT01", "tensor file"),
        (b"ED00", "ETDump"),
        (b"TFL3", ".pte"),
    ):
        error = error_of(struct.pack("<I4s", 16, magic) + bytes(40))
        assert isinstance(error, UnknownFormat)
        assert word in error.reason
    assert isinstance(error_of(b""), TruncatedFile)
    assert isinstance(error_of(b"PK\3\4" + bytes(60)), UnknownFormat)


def bundle(program: bytes, *, claims: int | None = None, fields: int = 3) -> bytes:
    """A bundled program with no test inputs: a table of three fields, of which the third is the program."""
    layout = struct.pack("<5H", 4 + 2 * fields, 8, 0, 0, 4)
    table = struct.pack("<iI", 18 - 8, 8)  # back to its layout; the program begins 12 bytes on
    size = len(program) if claims is None else claims
    return struct.pack("<I4s", 18, b"BP08") + layout + table + bytes(4) + struct.pack("<I", size) + program


def test_a_bundled_program_is_read_as_the_program_in_it(tmp_path: Path) -> None:
    data = lowered("linear").data
    path = tmp_path / "linear.bpte"
    path.write_bytes(bundle(data))
    assert load(path).detail == flatbuffer.read(data).detail
    assert "without a program" in error_of(bundle(data, fields=2)).reason
    assert "its program ends at" in error_of(bundle(data, claims=1 << 31)).reason
    for part in range(10):
        assert isinstance(error_of(bundle(data)[: 8 + 3 * part]), TruncatedFile)


def test_a_program_too_large_to_read_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.pte"
    with path.open("wb") as handle:  # sparse: takes no room
        handle.write(struct.pack("<I4s", 16, b"ET12"))
        handle.truncate(limits.MAX_PROGRAM_BYTES + 1)
    tracemalloc.start()
    try:
        with pytest.raises(FileTooLarge, match=r"large\.pte"):
            flatbuffer.read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < limits.MAX_PROGRAM_BYTES / 100


def test_text_that_is_not_utf8() -> None:
    data = lowered("linear").data
    at = data.index(b"aten::relu")
    error = error_of(patched("linear", at, "<2s", b"\xff\xfe"))
    assert "not UTF-8" in error.reason
    assert error.member == "execution_plan[0].operators[2].name"


def test_hostile_names_make_harmless_nodes() -> None:
    def rename(program: Any) -> None:
        plan_of(program).operators[2].name = "<script>\n\"' é " + "x" * 5000
        plan_of(program).name = "../../etc"

    graph = flatbuffer.read(altered(rename), "x.pte").method.graph
    names = [node.name for node in graph]
    assert all(name.isidentifier() and len(name) < 200 for name in names)
    assert len(set(names)) == len(names)
