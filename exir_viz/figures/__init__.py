"""Charts: functions from Profiles to plotly Figures. plotly is imported when a figure is made; torch never.

Each point of each trace carries in `customdata` the names of the nodes that it stands for, so that a host can
select them in the picture when it is clicked, and find the point of a node that is selected there.
"""

from __future__ import annotations

from .bars import bars
from .memory import arenas, memory
from .modules import modules
from .node_points import point_of
from .roofline import roofline
from .stages import stages

__all__ = ["arenas", "bars", "memory", "modules", "point_of", "roofline", "stages"]
