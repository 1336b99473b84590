"""exir_viz: see torch.export programs and the ExecuTorch pipeline.

Eight verbs, in reading order:

    explore(x)      show a program as an interactive picture in a notebook
    load(x)         save a program as a Snapshot: plain data, without torch
    Session(x)      lower a program step by step; each stage can be explored
    diff(a, b)      what changed from one program to another
    profile(x)      measure what each node costs
    check(x)        find the rules of the IR that a program breaks
    doctor(model)   find what keeps a module from export
    explain(op)     describe an operator, and where a program uses it

And modules: `reports` (what analyses say, yours too), `figures` (charts), `tables` (rows for pandas),
`errors`, `backends` (what packages add for theirs), `measure` (sweeps, profiles of files), `types` (the
classes that verbs return, for annotations).

A name is imported when it is first asked for, and a verb imports what it needs when it is called. So
importing exir_viz costs nothing: neither torch nor pandas nor plotly is touched.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from exir_viz import backends, errors, figures, measure, reports, tables, types
    from exir_viz.compare.diff import diff
    from exir_viz.export_doctor import doctor
    from exir_viz.measure.live import profile
    from exir_viz.readers.load import load
    from exir_viz.reports.registry import check
    from exir_viz.stages.explain import explain
    from exir_viz.stages.session import Session
    from exir_viz.widget.explore import explore

__version__ = "0.1.0"

__all__ = [
    "Session",
    "__version__",
    "backends",
    "check",
    "diff",
    "doctor",
    "errors",
    "explain",
    "explore",
    "figures",
    "load",
    "measure",
    "profile",
    "reports",
    "tables",
    "types",
]

# Where a verb is written, with its documentation.
_VERBS: Final = {
    "explore": "widget.explore",
    "load": "readers.load",
    "Session": "stages.session",
    "diff": "compare.diff",
    "profile": "measure.live",
    "check": "reports.registry",
    "doctor": "export_doctor",
    "explain": "stages.explain",
}
# What IPython calls for `%load_ext exir_viz`.
_IPYTHON: Final = ("load_ipython_extension", "unload_ipython_extension")


if not TYPE_CHECKING:  # a checker knows the names that there are, and that there are no others

    def __getattr__(name: str) -> object:
        """A verb or a module, imported when it is asked for."""
        if name in _VERBS:
            return getattr(import_module(f"{__name__}.{_VERBS[name]}"), name)
        if name in _IPYTHON:
            return getattr(import_module(f"{__name__}.jupyter.ipython_extension"), name)
        if name in __all__:
            return import_module(f"{__name__}.{name}")
        hint = f": it is exir_viz.types.{name}" if name in import_module("exir_viz.types").__all__ else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    """All that is public, imported or not."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
