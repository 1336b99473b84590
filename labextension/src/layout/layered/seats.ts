/**
 * Orders that keep what stood before: boxes with a seat (their x in another scene of the same module) start in the
 * order of their seats and keep it in every rank; all others are fitted in between, near what they are connected to.
 */

import { UNSEATED } from "../types";
import { firstOrder, type Layers, layersInOrder } from "./layers";
import type { Proper, Side } from "./proper";

export const isSeated = (seats: Float64Array, node: number): boolean =>
  node < seats.length && seats[node] !== UNSEATED;

/** The nodes of some places of a rank: those with seats change places among themselves until they are in order. */
export function reseat(seats: Float64Array, nodes: number[]): void {
  const places: number[] = [];
  for (let i = 0; i < nodes.length; i++) if (isSeated(seats, nodes[i]!)) places.push(i);
  const seated = places.map((i) => nodes[i]!).sort((a, b) => seats[a]! - seats[b]!);
  places.forEach((i, k) => {
    nodes[i] = seated[k]!;
  });
}

export function seatedOrder(p: Proper, seats: Float64Array): Layers {
  const wanted = spread(p, seats);
  const sequence = firstOrder(p, false).node.slice();
  return layersInOrder(
    p,
    sequence.sort((a, b) => wanted[a]! - wanted[b]!),
  );
}

/** An x for every node: its seat, else the mean of what is above it, else of what is below it. */
function spread(p: Proper, seats: Float64Array): Float64Array {
  const wanted = new Float64Array(p.nodes).fill(UNSEATED);
  wanted.set(seats);
  const byRank = Array.from({ length: p.nodes }, (_, v) => v).sort(
    (a, b) => p.rank[a]! - p.rank[b]! || a - b,
  );
  const settle = (nodes: readonly number[], side: Side): void => {
    for (const v of nodes) if (wanted[v] === UNSEATED) wanted[v] = meanOf(side, v, wanted);
  };
  settle(byRank, p.up);
  settle(byRank.reverse(), p.down);
  settle(byRank.reverse(), p.up);
  return wanted;
}

function meanOf({ start, item, other, otherDx, ownDx }: Side, v: number, wanted: Float64Array): number {
  let sum = 0;
  let count = 0;
  for (let q = start[v]!; q < start[v + 1]!; q++) {
    const s = item[q]!;
    const x = wanted[other[s]!]!;
    if (x === UNSEATED) continue;
    sum += x + otherDx[s]! - ownDx[s]!;
    count++;
  }
  return count ? sum / count : UNSEATED;
}
