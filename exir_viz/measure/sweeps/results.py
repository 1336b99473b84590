"""The result of a sweep: a Profile for each setting, or an error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from exir_viz.errors import MeasureError, WrongArgument
from exir_viz.extras import needs_extra
from exir_viz.measure.frames import rest_column
from exir_viz.measure.profile import Profile
from exir_viz.options import described

if TYPE_CHECKING:
    import pandas as pd

Setting: TypeAlias = dict[str, Any]
Outcome: TypeAlias = Profile | MeasureError


class Sweep:
    """The profiles of a sweep: one per setting, or the error of the setting.

    If the sweep was interrupted, `complete` is False, and the missing settings are among `failed`.

    Parameters
    ----------
    results
        The settings, each with its Profile or its MeasureError.
    complete
        Whether all settings were tried.

    Examples
    --------
    >>> sweep = exir_viz.types.Sweep([({"program": "", "threads": 1, "symbols": {}}, profile)])
    >>> [setting["threads"] for setting, profile in sweep]
    [1]
    """

    def __init__(self, results: Sequence[tuple[Setting, Outcome]], *, complete: bool = True) -> None:
        self.results = tuple(results)
        self.complete = complete

    def __iter__(self) -> Iterator[tuple[Setting, Profile]]:
        """The settings that were measured."""
        return ((setting, found) for setting, found in self.results if isinstance(found, Profile))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        cut = "" if self.complete else ", interrupted"
        return f"<Sweep: {len(self)} of {len(self.results)} measured{cut}>"

    def by_size(self, program: str = "", threads: int | None = None) -> Profile:
        """Return the profiles over sizes as one, which the explorer follows while you try sizes.

        Parameters
        ----------
        program
            Which program, by its name in the sweep. The default is the first that was measured.
        threads
            Which number of threads. The default is the first that was measured.

        Returns
        -------
        Profile
            The profile for the sizes of the example inputs, or else the first one; `.other_sizes` has the
            others.

        Raises
        ------
        WrongArgument
            If nothing was measured for these.

        Examples
        --------
        >>> sweep = exir_viz.types.Sweep([({"program": "", "threads": 1, "symbols": {}}, profile)])
        >>> sweep.by_size().other_sizes
        ()
        """
        found = [
            (setting, profile)
            for setting, profile in self
            if (not program or setting["program"] == program) and threads in (None, setting["threads"])
        ]
        if not found:
            measured = dict.fromkeys((one["program"], one["threads"]) for one, _ in self)
            known = ", ".join(f"{name!r} with threads={count}" for name, count in measured) or "none"
            is_known = not program or any(name == program for name, _ in measured)
            wrong, given = ("threads", threads) if is_known else ("program", program)
            raise WrongArgument("by_size", wrong, described(given), f"one that was measured: {known}")
        first = found[0][0]
        same = ("program", "threads")
        profiles = [one for setting, one in found if all(setting[name] == first[name] for name in same)]
        main = min(profiles, key=lambda one: not _has_example_sizes(one))
        return Profile(main.record, main.snapshot, [one for one in profiles if one is not main])

    @property
    def failed(self) -> list[tuple[Setting, MeasureError]]:
        """The settings that could not be measured, and why."""
        return [(setting, found) for setting, found in self.results if isinstance(found, MeasureError)]

    @property
    def frame(self) -> pd.DataFrame:
        """One row per setting: its values, then time_us, min_us (the whole), overhead_us, peak_bytes.

        Then basis (how the whole was found: "measured"; "measured, emulated" if eager torch ran delegated
        ops), remarks (the codes of the profile's: "emulated, busy"; `profile.remarks` has their
        text), and error. If the runtime did not time each op, rest_us replaces overhead_us: it
        includes these ops.
        """
        needs_extra("sweep.frame", "pandas")
        import pandas as pd

        rest = rest_column(next((profile for _, profile in self), None))
        rows = [_row(self._flat(setting), found, rest) for setting, found in self.results]
        return pd.DataFrame.from_records(rows)

    @property
    def nodes(self) -> pd.DataFrame:
        """`profile.frame` of every setting, concatenated, with the setting's values as the first columns."""
        needs_extra("sweep.nodes", "pandas")
        import pandas as pd

        frames = []
        for setting, profile in self:
            frame = profile.frame
            for at, (name, value) in enumerate(self._flat(setting).items()):
                frame.insert(at, name, value)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def _flat(self, setting: Setting) -> Setting:
        """A setting as columns; a symbol that its program does not have is None."""
        symbols = {**self._symbols, **setting["symbols"]}
        return {"program": setting["program"], "threads": setting["threads"], **symbols}

    @cached_property
    def _symbols(self) -> dict[str, None]:
        return dict.fromkeys(name for one, _ in self.results for name in one["symbols"])


def _has_example_sizes(profile: Profile) -> bool:
    """Whether the symbols had the sizes of the example inputs."""
    hints = {one.name: one.hint for one in profile.method.symbols}
    return all(hints.get(name) == str(size) for name, size in profile.conditions.symbols.items())


def _row(setting: Setting, found: Outcome, rest: str) -> Setting:
    columns = ("time_us", "min_us", rest, "peak_bytes", "basis", "remarks", "error")
    row = setting | dict.fromkeys(columns)
    if isinstance(found, MeasureError):
        return {**row, "error": str(found)}
    if found.whole is None or found.overhead is None:
        return {**row, "error": "no run completed"}
    peak = found.peak
    return {
        **row,
        "time_us": found.whole.time / 1e3,
        "min_us": found.whole.min / 1e3,
        rest: found.overhead.time / 1e3,
        "peak_bytes": None if peak is None else peak.live_bytes,
        "basis": ", ".join(found.bases),
        "remarks": ", ".join(dict.fromkeys(remark.code for remark in found.remarks)) or None,
    }
