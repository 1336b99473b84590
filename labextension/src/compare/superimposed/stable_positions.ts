/**
 * Positions in a graph of b for nodes that only a has: directly after their predecessor, as far as their
 * inputs and users allow. Pure.
 */
import type { Graph } from "../../snapshot";

/**
 * By position of a: the first and last position in b's graph of its counterpart; undefined if it has none
 * there.
 */
type CounterpartRange = (position: number) => { readonly first: number; readonly last: number } | undefined;

/**
 * By position of a's graph: the position in b's graph after which a removed node is placed (-1: before all);
 * other nodes have none.
 */
export function stablePositions(
  graph: Graph,
  isGhost: (position: number) => boolean,
  counterparts: CounterpartRange,
): Map<number, number> {
  const latest = latestOf(graph, isGhost, counterparts);
  const afterOf = new Map<number, number>();
  let behind = -1;
  for (let position = 0; position < graph.count; position++) {
    if (!isGhost(position)) {
      behind = counterparts(position)?.last ?? behind;
      continue;
    }
    let earliest = -1;
    for (const input of graph.inputsOf(position)) {
      earliest = Math.max(earliest, afterOf.get(input) ?? counterparts(input)?.last ?? -1);
    }
    const after = Math.max(earliest, Math.min(behind, latest.get(position) ?? behind));
    afterOf.set(position, after);
    behind = after;
  }
  return afterOf;
}

/** The last position from which a removed node still precedes all its users. */
function latestOf(
  graph: Graph,
  isGhost: (position: number) => boolean,
  counterparts: CounterpartRange,
): Map<number, number> {
  const latest = new Map<number, number>();
  for (let position = graph.count - 1; position >= 0; position--) {
    if (!isGhost(position)) continue;
    let last = Number.POSITIVE_INFINITY;
    for (const user of graph.usersOf(position)) {
      const after = isGhost(user)
        ? latest.get(user)
        : (counterparts(user)?.first ?? Number.POSITIVE_INFINITY) - 1;
      last = Math.min(last, after ?? Number.POSITIVE_INFINITY);
    }
    latest.set(position, last);
  }
  return latest;
}
