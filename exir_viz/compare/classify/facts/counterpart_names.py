"""Names of state and inputs in the other method, by matched nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from exir_viz.compare.align.pairing import Pairing
from exir_viz.snapshot import Method
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.index import index_of


class Called(NamedTuple):
    """By name in b: the name in a; of state, and of input nodes. `names_in_a`: all names in a."""

    states: Mapping[str, str]
    inputs: Mapping[str, str]
    names_in_a: frozenset[str]

    def state(self, name: str) -> str:
        return self._in_a(self.states, name)

    def input(self, name: str) -> str:
        return self._in_a(self.inputs, name)

    def _in_a(self, names: Mapping[str, str], name: str) -> str:
        """Its own name if it has no counterpart, marked if a uses that name for something else."""
        return names.get(name) or (f"{name} (new)" if name in self.names_in_a else name)


AS_IT_IS = Called({}, {}, frozenset())


def called(a: Method, b: Method, pairing: Pairing) -> Called:
    """The names of all inputs of b that have a counterpart among those of a."""
    states, inputs = {}, {}
    before, after = index_of(a.graph), index_of(b.graph)
    start_a, start_b = pairing.a.bases[a.graph.number], pairing.b.bases[b.graph.number]
    for position in after.roles:
        at = pairing.of_b[start_b + position] - start_a
        if pairing.of_b[start_b + position] == NONE or at not in before.roles:
            continue
        inputs[b.graph.columns.names[position]] = a.graph.columns.names[at]
        if position in after.states and at in before.states:
            states[after.states[position]] = before.states[at]
    names_in_a = frozenset((*states.values(), *inputs.values()))
    return Called(states, inputs, names_in_a)
