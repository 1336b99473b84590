"""The colors of categories: Okabe and Ito's, which are safe for the color-blind.

Black is replaced by a grey that is visible on a dark ground too. The front end has the same list, generated.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

PALETTE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "blue": "#0072B2",
        "orange": "#E69F00",
        "green": "#009E73",
        "pink": "#CC79A7",
        "red": "#D55E00",
        "sky": "#56B4E9",
        "grey": "#8A8F98",
        "yellow": "#F0E442",
    }
)
