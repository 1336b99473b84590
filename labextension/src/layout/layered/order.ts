/**
 * The order of the nodes in each rank, for few crossings: barycentre sweeps down and up from two starts, each
 * followed by exchanges of neighbours; the best order is kept. Ends early without crossings. Boxes with a
 * previous position start in that order and keep it.
 */

import { countCrossings } from "./crossings";
import { copyLayers, firstOrder, type Layers } from "./layers";
import { previousOrder, restoreOrder } from "./previous_order";
import type { Proper } from "./proper";
import { sift } from "./sift";
import { transpose } from "./transpose";

/** Above this many nodes only the first start is tried, and exchanges only come last. */
const LARGE = 4000;
/** Sweeps without a gain before a start is abandoned, and rounds of moving chains. */
const PATIENCE = 4;
const SIFTS = 3;

/** Yields between sweeps, so that a caller may pause. */
export function* order(p: Proper, sweeps: number): Generator<void, Layers> {
  const large = p.nodes > LARGE;
  if (p.previousX) return (yield* improve(p, previousOrder(p, p.previousX), large, sweeps)).layers;
  let best = firstOrder(p, false);
  let fewest = countCrossings(p, best);
  for (const flip of large ? [false] : [false, true]) {
    if (fewest === 0) break;
    const { layers, crossings } = yield* improve(p, firstOrder(p, flip), large, sweeps);
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = layers;
  }
  return best;
}

/** Sweeps until there is no gain for a while; then moves whole chains while that helps. */
function* improve(p: Proper, start: Layers, large: boolean, sweeps: number): Generator<void, Found> {
  let layers = copyLayers(start);
  let crossings = countCrossings(p, layers);
  let stale = 0;
  for (let s = 0; s < sweeps && crossings > 0 && stale < PATIENCE; s++) {
    sweep(p, start, s % 2 === 0);
    if (!large) transpose(p, start);
    const now = countCrossings(p, start);
    stale++;
    if (now < crossings) {
      crossings = now;
      layers = copyLayers(start);
      stale = 0;
    }
    yield;
  }
  if (large && crossings > 0) transpose(p, layers);
  for (let round = 0; round < SIFTS && crossings > 0; round++) {
    yield;
    if (!sift(p, layers)) break;
    transpose(p, layers);
    crossings = countCrossings(p, layers);
  }
  return { layers, crossings: countCrossings(p, layers) };
}

interface Found {
  readonly layers: Layers;
  readonly crossings: number;
}

function sweep(p: Proper, l: Layers, downwards: boolean): void {
  for (let z = 1; z < p.ranks; z++) sortRank(p, l, downwards ? z : p.ranks - 1 - z, downwards);
}

/**
 * Sorts the nodes that have neighbours in the fixed rank by their mean position; the others keep their
 * places.
 */
function sortRank(p: Proper, l: Layers, r: number, downwards: boolean): void {
  const a = l.start[r]!;
  const b = l.start[r + 1]!;
  if (b - a < 2) return;
  const { start, item, other, otherPart, ownPart } = downwards ? p.up : p.down;
  const means = new Float64Array(b - a);
  const nodes: number[] = []; // places in the rank before sorting
  for (let i = 0; i < b - a; i++) {
    const node = l.node[a + i]!;
    const degree = start[node + 1]! - start[node]!;
    if (!degree) continue;
    let sum = 0;
    for (let q = start[node]!; q < start[node + 1]!; q++) {
      const s = item[q]!;
      sum += l.place[other[s]!]! + otherPart[s]! - 1e-3 * ownPart[s]!;
    }
    means[i] = sum / degree;
    nodes.push(i);
  }
  const sorted = nodes
    .slice()
    .sort((i, j) => means[i]! - means[j]! || i - j)
    .map((i) => l.node[a + i]!);
  if (p.previousX) restoreOrder(p.previousX, sorted);
  sorted.forEach((node, k) => {
    l.node[a + nodes[k]!] = node;
    l.place[node] = nodes[k]!;
  });
}
