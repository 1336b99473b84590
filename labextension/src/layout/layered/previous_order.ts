/**
 * Keeps a previous order: boxes with a previous position (their x in another scene of the same module) start
 * in that order and keep it in every rank; others are placed between them, near what they are connected to.
 */

import { NO_POSITION } from "../types";
import { firstOrder, type Layers, layersInOrder } from "./layers";
import type { Proper, Side } from "./proper";

export const hasPrevious = (previousX: Float64Array, node: number): boolean =>
  node < previousX.length && previousX[node] !== NO_POSITION;

/** The nodes at some places of a rank: those with a previous position swap places until they are in order. */
export function restoreOrder(previousX: Float64Array, nodes: number[]): void {
  const places: number[] = [];
  for (let i = 0; i < nodes.length; i++) if (hasPrevious(previousX, nodes[i]!)) places.push(i);
  const sorted = places.map((i) => nodes[i]!).sort((a, b) => previousX[a]! - previousX[b]!);
  places.forEach((i, k) => {
    nodes[i] = sorted[k]!;
  });
}

export function previousOrder(p: Proper, previousX: Float64Array): Layers {
  const wanted = spread(p, previousX);
  const sequence = firstOrder(p, false).node.slice();
  return layersInOrder(
    p,
    sequence.sort((a, b) => wanted[a]! - wanted[b]!),
  );
}

/** An x for every node: its previous one, else the mean of what is above it, else of what is below it. */
function spread(p: Proper, previousX: Float64Array): Float64Array {
  const wanted = new Float64Array(p.nodes).fill(NO_POSITION);
  wanted.set(previousX);
  const byRank = Array.from({ length: p.nodes }, (_, v) => v).sort(
    (a, b) => p.rank[a]! - p.rank[b]! || a - b,
  );
  const settle = (nodes: readonly number[], side: Side): void => {
    for (const v of nodes) if (wanted[v] === NO_POSITION) wanted[v] = meanOf(side, v, wanted);
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
    if (x === NO_POSITION) continue;
    sum += x + otherDx[s]! - ownDx[s]!;
    count++;
  }
  return count ? sum / count : NO_POSITION;
}
