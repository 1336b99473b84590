"""Live: the programs of one stage, with what else torch or ExecuTorch gave for them.

What enters is a live object; what leaves is a Snapshot of it. Nothing here changes a program: a step works
on a copy (see `program_copies`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from exir_viz.errors import ExirVizError
from exir_viz.extras import needs_extra
from exir_viz.options import by_name
from exir_viz.readers.accepted_inputs import check_inputs_unused, not_started
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import Dialect

if TYPE_CHECKING:
    import torch
    from torch import fx
    from torch.export import ExportedProgram

_NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True)
class ExportInputs:
    """What a session gave to torch.export, so that it can export again."""

    module: torch.nn.Module
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None
    strict: bool = False


@dataclass(frozen=True)
class LivePrograms:
    """The programs of a stage by method. Held for as long as the stage lives: `from_node` names graphs by id.

    manager: the EdgeProgramManager or ExecutorchProgramManager that holds the programs, if one does.
    exported: module and inputs, where the session itself exported the program. Steps pass it on.
    pte: the bytes of an ExecuTorch program.
    dialect: what the step that made the programs promises, where their verifiers do not say it.
    dims: names that the user gave to dimensions; a program forgets them. Steps pass them on.
    copies: ids of the graphs of the copy that a step works on → paths of those they are copies of.
    """

    programs: Mapping[str, ExportedProgram]
    manager: Any = None
    exported: ExportInputs | None = None
    pte: bytes | None = None
    dialect: Dialect | None = None
    dims: Mapping[tuple[str, str], str] = field(default_factory=dict)
    copies: Mapping[int, str] = field(default_factory=dict)

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
            return cls.export(
                ExportInputs(x, args, by_name("Session", "kwargs", kwargs), dynamic_shapes, strict)
            )
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
        """Export a module as it is described."""
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
        """What a manager of ExecuTorch holds; `before` is what it was made from."""
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


def can_start_session(x: object) -> bool:
    """Can a session begin with it? A plain graph can be looked at only."""
    needs_extra("explore() of a live program", "torch")
    import torch
    from torch.export import ExportedProgram

    # not `if x`: a tensor or a compiled module has no truth value
    programs = tuple(x.values()) if isinstance(x, Mapping) else (x,)
    if programs and all(isinstance(one, ExportedProgram) for one in programs):
        return True
    is_module = isinstance(x, torch.nn.Module) and not isinstance(x, torch.fx.GraphModule)
    return is_module or type(x).__name__ in ("EdgeProgramManager", "ExecutorchProgramManager")


class NotPossible(ExirVizError):
    """A step that cannot be done here, or was asked for in a way that it has not: says why and what can."""
