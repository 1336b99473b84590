/**
 * Compaction: the x of each block, so that neighbours in a rank keep their distance.
 *
 * Neighbouring blocks form an acyclic graph. Each block moves as far to one side as possible; then, in
 * reverse order, towards the mean of the blocks that it has lines to, within its free room.
 */

import { groupBy } from "../csr";
import type { Blocks } from "./align";
import type { Layers } from "./layers";
import type { Proper } from "./proper";

/** Least distance in pixels between the middles of two neighbours. */
export type Distance = (left: number, right: number) => number;

/** x of each node. */
export function compact(
  p: Proper,
  l: Layers,
  blocks: Blocks,
  distance: Distance,
  fromLeft: boolean,
): Float64Array {
  const { root, shift } = blocks;
  const graph = neighbours(p, l, blocks, distance);
  const x = new Float64Array(p.nodes);
  const order = topological(p, root, graph, fromLeft);
  const ahead = fromLeft ? graph.leaving : graph.entering;
  const behind = fromLeft ? graph.entering : graph.leaving;
  const end = fromLeft ? graph.right : graph.left;
  const start = fromLeft ? graph.left : graph.right;
  const sign = fromLeft ? 1 : -1;
  for (const u of order) {
    let far = Number.NEGATIVE_INFINITY;
    for (let q = behind.start[u]!; q < behind.start[u + 1]!; q++) {
      const e = behind.item[q]!;
      far = Math.max(far, sign * x[start[e]!]! + graph.gap[e]!);
    }
    x[u] = far === Number.NEGATIVE_INFINITY ? 0 : sign * far;
  }
  // In reverse order: a block without a left neighbour moves up to its right neighbour.
  for (let i = order.length - 1; i >= 0; i--) {
    const u = order[i]!;
    let room = Number.POSITIVE_INFINITY;
    for (let q = ahead.start[u]!; q < ahead.start[u + 1]!; q++) {
      const e = ahead.item[q]!;
      room = Math.min(room, sign * x[end[e]!]! - graph.gap[e]!);
    }
    if (room !== Number.POSITIVE_INFINITY && room > sign * x[u]!) x[u] = sign * room;
  }
  for (let v = 0; v < p.nodes; v++) if (root[v] !== v) x[v] = x[root[v]!]! + shift[v]!;
  return x;
}

function neighbours(p: Proper, l: Layers, { root, shift }: Blocks, distance: Distance) {
  const left = new Int32Array(p.nodes);
  const right = new Int32Array(p.nodes);
  const gap = new Float64Array(p.nodes);
  let count = 0;
  for (let r = 0; r < p.ranks; r++) {
    for (let i = l.start[r]!; i + 1 < l.start[r + 1]!; i++) {
      const a = l.node[i]!;
      const b = l.node[i + 1]!;
      left[count] = root[a]!;
      right[count] = root[b]!;
      gap[count++] = distance(a, b) + shift[a]! - shift[b]!;
    }
  }
  return {
    left,
    right,
    gap,
    leaving: groupBy(p.nodes, left, count),
    entering: groupBy(p.nodes, right, count),
  };
}

function topological(
  p: Proper,
  root: Int32Array,
  graph: ReturnType<typeof neighbours>,
  fromLeft: boolean,
): Int32Array {
  const { leaving, entering, left, right } = graph;
  const [ahead, behind, end] = fromLeft ? [leaving, entering, right] : [entering, leaving, left];
  const waiting = new Int32Array(p.nodes);
  const order = new Int32Array(p.nodes);
  let count = 0;
  for (let v = 0; v < p.nodes; v++) {
    waiting[v] = behind.start[v + 1]! - behind.start[v]!;
    if (root[v] === v && !waiting[v]) order[count++] = v;
  }
  for (let i = 0; i < count; i++) {
    const u = order[i]!;
    for (let q = ahead.start[u]!; q < ahead.start[u + 1]!; q++) {
      const v = end[ahead.item[q]!]!;
      if (!--waiting[v]!) order[count++] = v;
    }
  }
  return order.slice(0, count);
}
