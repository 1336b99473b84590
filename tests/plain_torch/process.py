"""python -m tests.plain_torch.process session|plain FOLDER NAME …: lower programs, one way or the other.

`session` lowers each program by exir_viz, and writes the code of each last stage. `plain` runs this code, and
never imports exir_viz. Both write what came of it as JSON to FOLDER: the text of each stage, its memory plan,
the hash of its `.pte`.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import io
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from tests.plain_torch.programs import given, given_to_steps, ways

IMPORTED = (
    "executorch.backends.xnnpack.partition.xnnpack_partitioner",
    "executorch.backends.xnnpack.quantizer.xnnpack_quantizer",
    "torchao.quantization.pt2e.quantize_pt2e",
)
_STAGES = ("program", "programs", "edge", "executorch")


class Clock:
    """The time since it was made: "1.2 s, 0.9 s of CPU"."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def __str__(self) -> str:
        wall, processor = time.perf_counter() - self._wall, time.process_time() - self._processor
        return f"{wall:.1f} s, {processor:.1f} s of CPU"


def by_session(name: str) -> Iterator[dict[str, Any]]:
    """What a session makes of a program on each way, and the code of the last stage."""
    from exir_viz import Session

    variables = given(name)
    began = Clock()
    if variables:
        options = {key: one for key, one in variables.items() if key not in ("model", "args")}
        session = Session(variables["model"], *variables["args"], **options)
    elif name == "methods":
        session = Session({method: torch.export.load(f"{method}.pt2") for method in ("first", "second")})
    else:
        session = Session(torch.export.load("model.pt2"))
    for way, steps in ways(name).items():
        stage = last = steps(session.root)
        seconds = str(began)
        chain = []
        body = list(map(ast.dump, statements(last.code())[1]))
        while stage is not None:
            own = list(map(ast.dump, statements(stage.code())[1]))
            if not stage.failed and body[: len(own)] == own:  # a re-export leaves out the export before it
                chain.insert(0, (stage, len(own)))
            stage = stage.parent
        yield {
            "way": way,
            "seconds": seconds,
            "code": last.code(),
            "ends": [end for _, end in chain],
            "stages": [described(one.live.manager or one.programs) for one, _ in chain],
            "failure": None if last.failure is None else last.failure.type,
        }
        began = Clock()


def by_code(name: str, found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What the code of a session makes of the same program."""
    for one in found:
        variables = given(name) | given_to_steps()
        began = Clock()
        stages, failure, last = [], None, None
        try:
            imports, rest = statements(one["code"])
            run(imports, variables)
            for number, statement in enumerate(rest):
                run([statement], variables)
                targets = statement.targets if isinstance(statement, ast.Assign) else []
                names = [target.id for target in targets if isinstance(target, ast.Name)]
                last = next((variables[name] for name in names if name in _STAGES), last)
                if number + 1 in one["ends"]:
                    stages.append(described(last))
        except Exception as error:  # noqa: BLE001  # it is compared with the failure of the session
            cause: BaseException = error
            while cause.__cause__ is not None or cause.__context__ is not None:
                cause = cause.__cause__ or cause.__context__
            failure = [type(error).__name__, type(cause).__name__]
        yield {
            "way": one["way"],
            "seconds": str(began),
            "stages": stages,
            "failure": failure,
        }


def statements(code: str) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The imports of a script, and its other statements: a step adds to the end of both."""
    found = ast.parse(code).body
    imports = [one for one in found if isinstance(one, ast.Import | ast.ImportFrom)]
    return imports, [one for one in found if one not in imports]


def run(found: list[ast.stmt], variables: dict[str, Any]) -> None:
    """Run statements of a script."""
    exec(compile(ast.Module(found, []), "script", "exec"), variables)


def described(programs: Any) -> dict[str, str]:
    """All that is compared: by method its graphs and its memory plan, and the hash of the `.pte`."""
    found = {}
    if hasattr(programs, "methods"):
        methods = {name: programs.exported_program(name) for name in sorted(programs.methods)}
        if hasattr(programs, "buffer"):
            found["pte"] = hashlib.sha256(programs.buffer).hexdigest()
    else:
        methods = programs if isinstance(programs, Mapping) else {"forward": programs}
    for method, program in methods.items():
        found[f"{method} graphs"] = "\n".join(_graphs(program))
        found[f"{method} memory"] = "\n".join(_memory(program))
    return found


def _graphs(program: Any) -> Iterator[str]:
    yield str(program.graph_signature)
    yield str(program.range_constraints)
    yield from _texts(program.graph_module)


def _texts(module: torch.nn.Module) -> Iterator[str]:
    for path, one in module.named_modules():
        graph = getattr(one, "graph", None)
        if graph is not None:
            yield f"{path}: {graph}"
            yield from (f"{node.name}: {node.meta['val']}" for node in graph.nodes if "val" in node.meta)
        elif (inner := getattr(one, "original_module", None)) is not None:
            yield f"{path}: {one.backend_id} {hashlib.sha256(one.processed_bytes).hexdigest()}"
            yield from _texts(inner.graph_module)


def _memory(program: Any) -> Iterator[str]:
    for node in program.graph.nodes:
        specs = node.meta.get("spec")
        for spec in specs if isinstance(specs, list | tuple) else [specs] if specs is not None else []:
            if hasattr(spec, "mem_offset"):
                place = (spec.mem_id, spec.mem_obj_id, spec.mem_offset, spec.allocated_memory, spec.lifetime)
                yield f"{node.name}: {place}"


def main(side: str, folder: str, *names: str) -> None:
    """Write FOLDER/NAME.session.json or FOLDER/NAME.SIDE.json for each program."""
    warnings.filterwarnings("ignore")
    for module in IMPORTED:  # first, as it takes as long on both sides
        importlib.import_module(module)
    os.chdir(folder)
    for name in names:
        file = name.replace(":", "-")
        with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
            torch._dynamo.reset()
            if side == "session":
                found = list(by_session(name))
            else:
                found = list(by_code(name, json.loads(Path(f"{file}.session.json").read_text())))
        Path(f"{file}.{side}.json").write_text(json.dumps(found))
    loaded = any(module.partition(".")[0] == "exir_viz" for module in sys.modules)
    assert loaded == (side == "session"), "exir_viz was imported by the plain side"


if __name__ == "__main__":
    main(*sys.argv[1:])
