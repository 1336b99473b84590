"""Each node's part of a measured run, for what weighs a program by time, such as coverage."""

from __future__ import annotations

from exir_viz.options import described, instance, refuse
from exir_viz.snapshot import Snapshot

from .profile import Profile


def time_shares(verb: str, profile: object, snapshot: Snapshot) -> dict[str, float]:
    """By node: its part of the run, 0 to 1. Raises WrongArgument for a profile of another program.

    The nodes of another stage's profile have other names.
    """
    measured = instance(verb, "profile", profile, Profile)
    found = {cost.node.id: measured.share(cost.time) for cost in measured if cost.time is not None}
    known = {f"{graph.path}/{name}" for graph in snapshot.graphs for name in graph.columns.names}
    if not found.keys() <= known:
        refuse(
            verb,
            "profile",
            profile,
            "a profile of the same program",
            f"Measure {described(snapshot)} with exir_viz.profile.",
        )
    return found
