/**
 * One graph with the nodes of two: b's nodes in their order, and between them a's nodes without a counterpart
 * at their positions. Returns which node of which side is where, and the edges. Pure.
 */
import { type Graph, NONE } from "../../snapshot";
import { type Changes, otherSide, type Side } from "../model/changes";
import { stablePositions } from "./stable_positions";

/** A node of one side, by its position in that side's graph. */
export interface SidedNode {
  readonly side: Side;
  readonly position: number;
}

export interface UnitedGraph {
  readonly nodes: readonly SidedNode[];
  /** By node: positions in `nodes` of its inputs, in order. */
  readonly inputs: readonly (readonly number[])[];
  /** The position of a side's node, or of its last counterpart; NONE if neither is here. */
  readonly placeOf: (side: Side, position: number) => number;
}

/** `graphs`: a's and b's; at least one exists. */
export function uniteGraphs(
  changes: Changes,
  graphs: readonly [Graph | undefined, Graph | undefined],
): UnitedGraph {
  const [a, b] = graphs;
  const isGhost = (position: number): boolean => a !== undefined && isRemoved(changes, a.base + position);
  const counterparts = (position: number): { first: number; last: number } | undefined =>
    a && counterpartsIn(changes, 0, a.base + position, b);
  const nodes = ordered(b?.count ?? 0, a ? stablePositions(a, isGhost, counterparts) : new Map());
  const at: readonly Map<number, number>[] = [new Map(), new Map()];
  nodes.forEach(({ side, position }, i) => {
    at[side]?.set(position, i);
  });
  const placeOf = (side: Side, position: number): number => {
    const counterpart = side === 0 ? counterparts(position)?.last : undefined;
    return at[side]?.get(position) ?? at[1]?.get(counterpart ?? NONE) ?? NONE;
  };
  const inputs = nodes.map(({ side, position }) =>
    Array.from(graphs[side]?.inputsOf(position) ?? [], (input) => placeOf(side, input)),
  );
  // A removed node feeds its users' counterparts, unless these now run before it.
  nodes.forEach(({ side, position }, i) => {
    if (side === 1 || !a) return;
    for (const user of a.usersOf(position)) {
      const counterpart = isGhost(user) ? undefined : counterparts(user);
      const to = counterpart && at[1]?.get(counterpart.first);
      if (to !== undefined && to > i) inputs[to]?.push(i);
    }
  });
  return { nodes, placeOf, inputs: inputs.map((each, i) => each.filter((from) => from >= 0 && from < i)) };
}

/** Whether a node of a has no counterpart. */
const isRemoved = (changes: Changes, node: number): boolean => changes.kindOf(0, node) === "removed";

function ordered(count: number, afterOf: ReadonlyMap<number, number>): SidedNode[] {
  const behind = new Map<number, number[]>();
  for (const [position, after] of afterOf) {
    const those = behind.get(after);
    if (those) those.push(position);
    else behind.set(after, [position]);
  }
  const nodes: SidedNode[] = [];
  for (let after = -1; after < count; after++) {
    if (after >= 0) nodes.push({ side: 1, position: after });
    for (const position of behind.get(after) ?? []) nodes.push({ side: 0, position });
  }
  return nodes;
}

/** The first and last position of a node's counterparts in the other side's graph. */
function counterpartsIn(
  changes: Changes,
  side: Side,
  node: number,
  graph: Graph | undefined,
): { first: number; last: number } | undefined {
  const match = changes.of(side, node);
  if (match === NONE || !graph) return undefined;
  const there = changes
    .nodes(match, otherSide(side))
    .map((each) => each - graph.base)
    .filter((position) => position >= 0 && position < graph.count);
  return there.length ? { first: Math.min(...there), last: Math.max(...there) } : undefined;
}
