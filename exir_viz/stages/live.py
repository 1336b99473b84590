"""The live programs of one stage, with what else torch or ExecuTorch returned for them.

What enters is a live object; what leaves is a Snapshot of it. Nothing here changes a program: a step works on
a copy (see `program_copies`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from exir_viz.errors import ExirVizError
from exir_viz.extras import needs_extra
from exir_viz.options import by_name
from exir_viz.readers.accepted_inputs import arguments_of, check_inputs_unused, not_started
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import Dialect

if TYPE_CHECKING:
    import torch
    from torch import fx
    from torch.export import ExportedProgram

# Why a step that needs the program as a module cannot run.
GRADIENTS: Final = (
    "it returns gradients, and torch cannot run such a program as a module. Start a session with the program "
    "of the forward pass."
)
_NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True)
class ExportInputs:
    """The arguments of a session's torch.export call, so that it can export again."""

    module: torch.nn.Module
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None
    strict: bool = False


@dataclass(frozen=True)
class LivePrograms:
    """The programs of a stage by method. A stage keeps them in memory, because `from_node` names graphs by
    id.

    manager: the EdgeProgramManager or ExecutorchProgramManager that holds the programs, if there is one.
    exported: module and inputs, if the session itself exported the program. Steps pass it on. pte: the bytes
    of an ExecuTorch program. dialect: the dialect that the step guarantees, if the programs' verifiers do not
    say it. dims: names that the user gave to dimensions; a program does not keep them. Steps pass them on.
    copies: ids of the working copy's graphs → paths of the original graphs. before_edge: the earlier
    stages that hold the same program before edge, by name, the nearest first. Only `StepSpec.failure_of` gets
    these two.
    """

    programs: Mapping[str, ExportedProgram]
    manager: Any = None
    exported: ExportInputs | None = None
    pte: bytes | None = None
    dialect: Dialect | None = None
    dims: Mapping[tuple[str, str], str] = field(default_factory=dict)
    copies: Mapping[int, str] = field(default_factory=dict)
    before_edge: Mapping[str, LivePrograms] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        x: object,
        args: tuple[Any, ...] = (),
        *,
        kwargs: Mapping[str, Any] | None = None,
        dynamic_shapes: Any = None,
        strict: bool = False,
    ) -> LivePrograms:
        """An nn.Module (exported with its inputs), an ExportedProgram, a dict of them, or a manager.

        Raises ExportFailed where a module cannot be exported, and CaptureError for anything else.
        """
        import torch
        from torch.export import ExportedProgram

        if isinstance(x, torch.nn.Module):
            named = by_name("Session", "kwargs", kwargs)
            return cls.export(ExportInputs(x, arguments_of(x, args, named), named, dynamic_shapes, strict))
        given = {"args": args, "kwargs": kwargs, "dynamic_shapes": dynamic_shapes, "strict": strict}
        check_inputs_unused("Session", x, given)
        if isinstance(x, ExportedProgram):
            return cls({"forward": x})
        if isinstance(x, Mapping) and x and all(isinstance(one, ExportedProgram) for one in x.values()):
            return cls({str(name): one for name, one in x.items()})
        if type(x).__name__ in ("EdgeProgramManager", "ExecutorchProgramManager"):
            return cls.managed(x)
        raise not_started(x)

    @classmethod
    def export(cls, exported: ExportInputs) -> LivePrograms:
        """Export a module with these inputs."""
        from exir_viz.readers.exporting import export

        program, dims = export(
            exported.module,
            exported.args,
            kwargs=exported.kwargs,
            dynamic_shapes=exported.dynamic_shapes,
            strict=exported.strict,
        )
        return cls({"forward": program}, exported=exported, dims=dims)

    @classmethod
    def managed(cls, manager: Any, before: LivePrograms | None = None) -> LivePrograms:
        """The programs of an ExecuTorch manager; `before` is the stage it was made from."""
        names = sorted(manager.methods, key=lambda name: (name != "forward", name))
        done = type(manager).__name__ == "ExecutorchProgramManager"
        return cls(
            {name: manager.exported_program(name) for name in names},
            manager=manager,
            exported=before.exported if before else None,
            pte=manager.buffer if done else None,
            dims=before.dims if before else _NOTHING,
        )

    def programs_become(
        self, programs: Mapping[str, ExportedProgram], dialect: Dialect | None = None
    ) -> LivePrograms:
        """The same inputs and names with other programs."""
        return LivePrograms(programs, exported=self.exported, dialect=dialect, dims=self.dims)

    @property
    def program(self) -> ExportedProgram:
        """The only program, or `forward`, or the first."""
        return self.programs.get("forward") or next(iter(self.programs.values()))

    @property
    def has_gradients(self) -> bool:
        """Whether a program returns gradients (a joint graph): torch cannot make a module of it."""
        return any(program.graph_signature.backward_signature for program in self.programs.values())

    def graphs(self) -> Iterator[tuple[str, fx.Graph]]:
        """Every graph of the methods with its path: "forward", "forward/true_graph_0"."""
        for method, program in self.programs.items():
            for path, module in program.graph_module.named_modules():
                graph = getattr(module, "graph", None)
                if graph is not None:
                    yield "/".join([method, *path.split(".")] if path else [method]), graph

    def capture(self) -> Snapshot:
        """Freeze all methods as one Snapshot."""
        from exir_viz.readers import live

        if self.manager is not None:
            return live.capture(self.manager, dialect=self.dialect)
        kind = type(self.program).__name__
        return live.capture_programs(kind, self.programs, self.dialect, dims=self.dims)


def method_of(path: str) -> str:
    """The method that a graph or a node is in, by its path: "forward" of "forward/true_graph_0/sin"."""
    return path.partition("/")[0]


def can_start_session(x: object) -> bool:
    """Whether a session can start from it. A plain GraphModule can only be viewed."""
    needs_extra("explore() of a live program", "torch")
    import torch
    from torch.export import ExportedProgram

    # not `if x`: a tensor or a compiled module has no truth value
    programs = tuple(x.values()) if isinstance(x, Mapping) else (x,)
    if programs and all(isinstance(one, ExportedProgram) for one in programs):
        return True
    is_exported = isinstance(x, torch.nn.Module) and not isinstance(x, torch.fx.GraphModule)
    return is_exported or type(x).__name__ in ("EdgeProgramManager", "ExecutorchProgramManager")


class NotPossible(ExirVizError):
    """Raised for a step that cannot run here, or has invalid options. It says why, and what is possible."""
