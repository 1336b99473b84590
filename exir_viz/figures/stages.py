"""The same modules at several stages, side by side: where lowering made them faster or slower."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from exir_viz.compare.noise import Span, are_apart
from exir_viz.extras import needs_extra
from exir_viz.measure.compare import Compared, compare, stage_names
from exir_viz.measure.options import count
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import Basis
from exir_viz.measure.rollup import module_name, span_of
from exir_viz.options import all_of, named_options, refuse
from exir_viz.snapshot.format import plural, ratio_text, time_text
from exir_viz.snapshot.module_attribution import module_of

from .missing_data import HOW
from .style import NESTED, SERIES, dress, lay_out, module_text, safe
from .units import time_unit

if TYPE_CHECKING:
    import plotly.graph_objects as go

WHOLE = "the whole run"
# Maximum characters of a label.
_LONGEST = 34
# Pixels: a module's name, a bar, between groups of bars; text beside a bar, and a bar with text.
_LABEL_PX, _BAR_PX, _GAP_PX, _WORDS_PX, _LINE_PX = 20, 7, 10, 10, 13


@named_options
def stages(profiles: Sequence[Profile], names: Sequence[str] | None = None, *, top: int = 25) -> go.Figure:
    """Draw the times of modules in several profiles, including submodules.

    The ratio to the first profile is in the hover text. Estimated times are hatched. If a module's time is
    not known separately, it has a text and no bar.

    Parameters
    ----------
    profiles
        At least one Profile, such as those of the stages of a session.
    names
        A name for each; by default, the names of the stages.
    top
        How many modules to show.

    Returns
    -------
    plotly.graph_objects.Figure
        A bar per module and profile.

    Raises
    ------
    WrongArgument
        If one is not a Profile, if there is not one name for each, or if `top` is no positive number.
    MissingExtra
        If plotly is not installed.

    Examples
    --------
    >>> figure = exir_viz.figures.stages([profile, profile], names=["before", "after"])
    >>> [trace.name for trace in figure.data][:2]
    ['before', 'after']
    """
    needs_extra("figures.stages()", "charts")
    profiles = all_of("stages", "profiles", profiles, Profile, HOW)
    names = None if names is None else all_of("stages", "names", names, str)
    if names is not None and len(names) != len(profiles):
        refuse("stages", "names", names, f"one name for each of the {len(profiles)} profiles")
    count("top", top)
    import plotly.graph_objects as go

    labels = list(names) if names is not None else stage_names(profiles)
    rows = compare(profiles, labels)
    shown = list(dict.fromkeys(row.module for row in rows))[:top]
    rows = [*_wholes(profiles, labels), *rows]
    shown = [*dict.fromkeys(row.module for row in rows if row.module == WHOLE), *shown]
    unit = time_unit(_alone(row) for row in rows if row.module in shown)
    figure = go.Figure()
    # by position, because two module names may be equal after cutting
    places = {module: place for place, module in enumerate(shown)}
    for number, (label, profile) in enumerate(zip(labels, profiles, strict=True)):
        mine = [row for row in rows if row.stage == label and row.module in places]
        node_ids = {WHOLE: [cost.node.id for cost in profile], **_nodes_by_module(profile)}
        figure.add_bar(
            x=[unit.of(_alone(row)) for row in mine],
            y=[places[row.module] for row in mine],
            orientation="h",
            name=safe(_named(label, profile)),
            marker={
                "color": SERIES[number % len(SERIES)],
                "pattern": {"shape": ["/" if _is_other(row.bases) else "" for row in mine], "size": 5},
                # the outline shows where a hatched bar ends
                "line": {
                    "color": SERIES[number % len(SERIES)],
                    "width": [1 if _alone(row) else 0 for row in mine],
                },
            },
            text=[safe(_in_short(row), _LONGEST) for row in mine],
            textposition="outside",
            textfont_size=_WORDS_PX,
            constraintext="none",
            cliponaxis=False,
            customdata=[node_ids.get(row.module, []) for row in mine],
            hovertext=[_hover(row) for row in mine],
            hoverinfo="text",
            meta=NESTED,
        )
    # top-down order, as in the legend
    figure.update_yaxes(
        tickvals=list(places.values()),
        ticktext=[safe(_ending(module_text(module))) for module in shown],
        range=[len(shown) - 0.5, -0.5],
        automargin=True,
        showgrid=False,
        zeroline=False,
    )
    notes = _notes(profiles, labels)
    dress(figure, _title(profiles, notes), x=f"time including submodules, {unit.name}")
    figure.update_layout(barmode="group", bargap=0.22)
    lay_out(figure, plot=_height(figure, len(shown)), notes=len(notes))
    return figure


def _height(figure: go.Figure, modules: int) -> int:
    """Pixels of a group of bars per module; text beside a bar needs its own line."""
    bar = _LINE_PX if any(any(trace.text) for trace in figure.data) else _BAR_PX
    return modules * max(_LABEL_PX, len(figure.data) * bar + _GAP_PX)


def _alone(row: Compared) -> float | None:
    """The seconds of a row, if they belong to the module alone; else it has no bar."""
    return None if row.mixed else row.time


def _in_short(row: Compared) -> str:
    """Short text in place of a bar: "xnnpack: in lowered_module_0"; the hover text has all of it."""
    return f"{row.stage}: {row.mixed.partition(',')[0]}" if row.mixed else ""


def _ending(module: str) -> str:
    """The end of a long path: paths differ there, their beginnings are equal."""
    if len(module) <= _LONGEST:
        return module
    end = module[1 - _LONGEST :]
    return f"…{end.partition('.')[2] or end}"


def _is_other(bases: Iterable[Basis]) -> bool:
    return any(basis is not Basis.MEASURED for basis in bases)


def _named(label: str, profile: Profile) -> str:
    """The stage's name, with how its times were estimated if they were not measured."""
    bases = {cost.basis for cost in profile if cost.time is not None}
    others = [basis.value for basis in Basis if basis in bases - {Basis.MEASURED}]
    part = " in part" if Basis.MEASURED in bases else ""
    return f"{label}, {' and '.join(others)}{part}" if others else label


def _hover(row: Compared) -> str:
    lines = [f"<b>{safe(module_text(row.module))}</b>", safe(row.stage)]
    if row.mixed:
        lines.append(safe(row.mixed, 96))
    if row.time is not None:
        ops = "" if row.module == WHOLE else f", {plural(row.ops, 'op')} of its own"
        lines.append(f"{time_text(row.time)}{' in other ops' if row.mixed else ''}{ops}")
    if row.ratio is not None:
        lines.append(f"{ratio_text(row.ratio)} of the first" + ("" if row.apart else ", within noise"))
    if _is_other(row.bases):
        lines.append(" and ".join(basis.value for basis in row.bases))
    return "<br>".join(lines)


def _notes(profiles: Sequence[Profile], labels: Sequence[str]) -> list[str]:
    """Remarks that make the stages hard to compare, a line each, with the stages' names if there are
    several.
    """
    found: dict[str, list[str]] = {}
    for other, label in zip(profiles[1:], labels[1:], strict=True):
        for text in profiles[0].differences(other):
            found.setdefault(text, []).append(label)
    return [
        safe(f"{', '.join(whose)}: {text}" if profiles[2:] else text, 96) for text, whose in found.items()
    ]


def _title(profiles: Sequence[Profile], notes: Sequence[str]) -> str:
    title = f"Modules at {len(profiles)} stage{'s' if profiles[1:] else ''}"
    return "<br>".join([title, *(f"<sub>{note}</sub>" for note in notes)])


def _wholes(profiles: Sequence[Profile], labels: Sequence[str]) -> list[Compared]:
    """The time of each stage's whole run, if it is complete: the only time that all stages have."""
    found: list[Compared] = []
    first: Profile | None = None
    base: Span | None = None
    is_busy = any(profile.is_busy for profile in profiles)
    for label, profile in zip(labels, profiles, strict=True):
        if profile.whole is None:
            continue
        took = span_of(profile.whole)
        is_alike = first is not None and first.has_same_executor(profile)
        ratio = took.time / base.time if is_alike and base is not None and base.time else None
        is_apart = base is not None and is_alike and not is_busy and are_apart(base, took)
        found.append(
            Compared(WHOLE, "", label, took.time, None, ratio, 0, apart=is_apart, bases=profile.bases)
        )
        if first is None:
            first, base = profile, took
    return found


def _nodes_by_module(profile: Profile) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for cost in profile:
        for scope in module_of(cost.node):
            found.setdefault(module_name(scope), []).append(cost.node.id)
    return found
