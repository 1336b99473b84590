"""ETDumps as the runtime writes them: of the instructions that are in a `.pte`, in ExecuTorch's own schema.

No build of the runtime here has the event tracer, so the times are made up: of run r, instruction i takes
1,000 · (i + 1) + r ns. All else is what the program says: which instructions there are, the ops of kernels,
and the numbers that a backend gave to its parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

RUNS = 4
OVERHEAD = 500


def took(instruction: int, run: int = 0) -> int:
    """Nanoseconds of an instruction."""
    return 1000 * (instruction + 1) + run


def instructions(pte: bytes) -> list[tuple[int, str]]:
    """Number and op of what is called, in order; the op of a delegate is ""."""
    from executorch.exir import schema
    from executorch.exir._serialize._program import deserialize_pte_binary

    plan = deserialize_pte_binary(pte).program.execution_plan[0]
    found = []
    for number, one in enumerate(plan.chains[0].instructions):
        if isinstance(one.instr_args, schema.DelegateCall):
            found.append((number, ""))
        elif isinstance(one.instr_args, schema.KernelCall):
            op = plan.operators[one.instr_args.op_index]
            found.append((number, f"{op.name.partition('::')[2]}.{op.overload}"))
    return found


def etdump(
    called: Sequence[tuple[int, str]],
    parts: Mapping[int, Mapping[int | str, int]] | None = None,
    runs: Sequence[Sequence[tuple[int, str]]] = (),
) -> bytes:
    """RUNS runs of `called`, and `runs` after them; `parts`: by instruction, the ns its backend tells."""
    from executorch.devtools.etdump import schema_flatcc as schema
    from executorch.devtools.etdump.serialize import serialize_to_etdump_flatcc

    data = [
        schema.RunData("Execute", -1, [], _events(schema, one, run, parts or {}))
        for run, one in enumerate([called] * RUNS + list(runs))
    ]
    load = _event(schema, "Program::load_method", -1, 0, 10)
    dump = serialize_to_etdump_flatcc(
        schema.ETDumpFlatCC(0, [schema.RunData("Default", -1, [], [load]), *data])
    )
    return len(dump).to_bytes(4, "little") + dump  # the runtime writes its size first


def _events(
    schema: Any, called: Sequence[tuple[int, str]], run: int, parts: Mapping[int, Mapping[int | str, int]]
) -> list[Any]:
    """The runtime tells an event when it ends: what is within comes first."""
    now, events = 0, []
    for instruction, op in called:
        end = now + took(instruction, run)
        for number, ns in parts.get(instruction, {}).items():
            events.append(_event(schema, "", instruction, now, now + ns, number))
        if op:
            events.append(_event(schema, f"native_call_{op}", instruction, now, end - 100))
        events.append(_event(schema, "OPERATOR_CALL" if op else "DELEGATE_CALL", instruction, now, end))
        now = end
    return [*events, _event(schema, "Method::execute", -1, 0, now + OVERHEAD)]


def _event(
    schema: Any, name: str, instruction: int, start: int, end: int, number: int | str | None = None
) -> Any:
    as_int = number if isinstance(number, int) else -1
    as_text = number if isinstance(number, str) else ""
    timed = schema.ProfileEvent(name, 0, instruction, as_int, as_text, b"", start, end)
    return schema.Event(timed, None, None)
