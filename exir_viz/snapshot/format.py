"""Numbers as text, the same everywhere: counts, bytes, times, shares, ratios, rates of computation, amounts.

Every table, chart, page and message uses these functions. The front end has the same ones in
`labextension/src/snapshot/format.ts`; the tests of both sides read `tests/cases/format.json`.

Numbers have three significant digits and a unit. "–" means unknown, "−" is the
sign of a negative number. A share is "0%" or "100%" only if it is exactly that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

_UNKNOWN = "–"
_BYTES = ("B", "KB", "MB", "GB", "TB")
_TIMES = ("ns", "µs", "ms", "s")
_FLOPS = ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP")


def plural(count: int, one: str, many: str = "") -> str:
    """A count with its noun; `many` if the plural is not `one` with an s.

    >>> plural(1, "call"), plural(3_912, "node"), plural(2, "match", "matches")
    ('1 call', '3,912 nodes', '2 matches')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def time_text(seconds: float | None) -> str:
    """A duration in the unit that suits it.

    >>> time_text(0.00125), time_text(0.00034), time_text(0.0), time_text(None)
    ('1.25 ms', '340 µs', '0 s', '–')
    """
    if seconds is None:
        return _UNKNOWN
    if seconds == 0:
        return "0 s"
    # Times are whole nanoseconds in records: what is a float in seconds is one of these again.
    nanoseconds = seconds * 1e9
    near = round(nanoseconds)
    return _scaled(near if math.isclose(near, nanoseconds) else nanoseconds, 1000, _TIMES)


def byte_text(count: float | None) -> str:
    """A size; 1 KB is 1024 bytes.

    >>> byte_text(4096), byte_text(5_300_000), byte_text(None)
    ('4 KB', '5.05 MB', '–')
    """
    return _UNKNOWN if count is None else _scaled(count, 1024, _BYTES)


def flop_text(count: float) -> str:
    """A count of floating-point operations; with "/s" a rate of them.

    >>> flop_text(840), flop_text(131_072)
    ('840 FLOP', '131 kFLOP')
    """
    return _scaled(count, 1000, _FLOPS)


def share_text(share: float | None) -> str:
    """A part of a whole, such as of a run's time.

    >>> share_text(0.1234), share_text(0.0002), share_text(0.9999), share_text(1)
    ('12.3%', '<0.1%', '99.9%', '100%')
    """
    if share is None:
        return _UNKNOWN
    if share < 0:
        return f"−{share_text(-share)}"
    if math.isclose(share, 1, abs_tol=1e-6) or share == 0:
        return "100%" if share else "0%"
    if share < 0.001:
        return "<0.1%"
    percent = _rounded(100 * share, 1)
    return f"{percent if share > 1 else min(percent, Decimal('99.9'))}%"


def percent(count: float, whole: float) -> int:
    """A part of a count in whole percent; 0 and 100 only if it is exactly that.

    >>> percent(16, 23), percent(999, 1000)
    (70, 99)
    """
    if count in (0, whole):
        return 100 if count else 0
    return min(99, max(1, math.floor(100 * count / whole + 0.5)))


def ratio_text(ratio: float) -> str:
    """How many times as much; as exact on either side of 1.

    >>> ratio_text(1.0371), ratio_text(0.9642), ratio_text(0.00001)
    ('×1.04', '×0.96', '<×0.001')
    """
    return "<×0.001" if 0 < ratio < 0.001 else f"×{_significant(ratio, 2 if ratio < 1 else 3)}"


def amount_text(amount: float | None) -> str:
    """A number that may be of any magnitude, such as how far two values differ.

    >>> amount_text(2.38e-7), amount_text(0.0031), amount_text(12.51), amount_text(0.0)
    ('2.4e-7', '0.0031', '12.5', '0')
    """
    if amount is None:
        return _UNKNOWN
    if not math.isfinite(amount):
        return str(amount)
    if amount < 0:
        return f"−{amount_text(-amount)}"
    if amount == 0:
        return "0"
    if 1e-3 <= amount < 1e5:
        return _significant(amount, 3)
    power = _power(amount)
    mantissa = _rounded(Decimal(amount).scaleb(-power), 1)
    if mantissa >= 10:
        mantissa, power = Decimal(1), power + 1
    return f"{_plain(mantissa)}e{power}"


def decibel_text(decibels: float | None) -> str:
    """A signal-to-noise ratio.

    >>> decibel_text(121.4), decibel_text(7.25)
    ('121 dB', '7.3 dB')
    """
    if decibels is None:
        return _UNKNOWN
    if decibels < 0:
        return f"−{decibel_text(-decibels)}"
    return f"{_rounded(decibels, 1 if decibels < 10 else 0)} dB"


def _scaled(amount: float, step: int, units: Sequence[str]) -> str:
    """In the first unit in which it is less than the next one, after rounding: 999,999 ns are "1 ms"."""
    if amount < 0:
        return f"−{_scaled(-amount, step, units)}"
    *smaller, last = units
    for unit in smaller:
        if _round_three(amount) < step:
            return f"{_plain(_round_three(amount))} {unit}"
        amount /= step
    return f"{_plain(_round_three(amount))} {last}"


def _round_three(amount: float) -> Decimal:
    return _rounded(amount, max(0, 2 - _power(amount)))


def _significant(amount: float, digits: int) -> str:
    return _plain(_rounded(amount, max(0, digits - 1 - _power(amount))))


def _rounded(amount: float | Decimal, places: int) -> Decimal:
    """Half up, as JavaScript's `toFixed` rounds."""
    return Decimal(amount).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _power(amount: float) -> int:
    """Of ten, of the first digit."""
    return Decimal(amount).adjusted() if amount else 0


def _plain(amount: Decimal) -> str:
    """Without an exponent and without zeros at the end; thousands apart."""
    text = f"{amount:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
