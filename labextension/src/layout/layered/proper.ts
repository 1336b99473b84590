/**
 * The proper graph: each edge cut into segments between neighbouring ranks.
 *
 * A line passes ranks through dummies, nodes without height. All edges of one outlet share one chain of
 * dummies, so a value with a hundred users is one line and not a hundred.
 */

import { type Csr, groupBy, IntList } from "../csr";
import { type FlatGraph, nodeCount } from "./flat";
import type { Ranks } from "./ranks";

export interface Proper {
  /** Boxes come first, then ports; the rest, from `real` on, are dummies. */
  readonly boxes: number;
  readonly real: number;
  readonly nodes: number;
  readonly rank: Int32Array;
  readonly ranks: number;
  readonly width: Float64Array;
  /** Segments, from rank r to rank r + 1, with the x of both ends from the node's middle. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly fromDx: Float64Array;
  readonly toDx: Float64Array;
  /** How many edges share each segment: the weight of its crossings. */
  readonly weight: Float64Array;
  /** Segments that leave (down) and that enter (up) a node. */
  readonly down: Side;
  readonly up: Side;
  /** First dummy of each outlet's chain; dummy i of it lies i + 1 ranks below the outlet. */
  readonly chain: Int32Array;
  /** The segment in which each edge ends; -1 where an edge is not routed here (back edges, stubs). */
  readonly lastSegment: Int32Array;
  /** By box, as in `FlatGraph`. */
  readonly previousX?: Float64Array;
}

/** The segments on one side of each node, seen from that node. */
export interface Side extends Csr {
  /** By segment: the node at its other end, and the x of both ends from their nodes' middles. */
  readonly other: Int32Array;
  readonly otherDx: Float64Array;
  readonly ownDx: Float64Array;
  /** The same as a fraction of a place: from -0.45 at the left end of the box to 0.45 at its right end. */
  readonly otherPart: Float64Array;
  readonly ownPart: Float64Array;
}

/** Ports and dummies have no box; this is the width of a line. */
const LINE = 2;

export function properGraph(g: FlatGraph, { rank, count }: Ranks, skip: Uint8Array): Proper {
  const real = nodeCount(g);
  const outlets = g.outletNode.length;
  const byOutlet = groupBy(outlets, g.edgeOutlet);
  const chain = new Int32Array(outlets).fill(-1);
  const lastSegment = new Int32Array(g.edgeTo.length).fill(-1);
  const dummyRank = new IntList();
  const from = new IntList();
  const to = new IntList();
  const fromDx: number[] = [];
  const toDx: number[] = [];
  const weight: number[] = [];
  const segment = (a: number, b: number, dxA: number, dxB: number): number => {
    weight.push(b < real ? 1 : 0);
    from.push(a);
    to.push(b);
    fromDx.push(dxA);
    return toDx.push(dxB) - 1;
  };
  for (let o = 0; o < outlets; o++) {
    const node = g.outletNode[o]!;
    let length = 0;
    for (let p = byOutlet.start[o]!; p < byOutlet.start[o + 1]!; p++) {
      const e = byOutlet.item[p]!;
      if (!skip[e]) length = Math.max(length, rank[g.edgeTo[e]!]! - rank[node]! - 1);
    }
    const first = real + dummyRank.length;
    const at = (i: number): number => (i < 0 ? node : first + i);
    const dx = (i: number): number => (i < 0 ? g.outletDx[o]! : 0);
    chain[o] = first;
    const trunk = weight.length; // the chain's segments come first; the edges that use them are counted
    for (let i = 0; i < length; i++) {
      dummyRank.push(rank[node]! + i + 1);
      segment(at(i - 1), first + i, dx(i - 1), 0);
    }
    for (let p = byOutlet.start[o]!; p < byOutlet.start[o + 1]!; p++) {
      const e = byOutlet.item[p]!;
      if (skip[e]) continue;
      const before = rank[g.edgeTo[e]!]! - rank[node]! - 2;
      lastSegment[e] = segment(at(before), g.edgeTo[e]!, dx(before), g.edgeDx[e]!);
      for (let i = 0; i <= before; i++) weight[trunk + i]!++;
    }
  }
  const nodes = real + dummyRank.length;
  const ranksOf = new Int32Array(nodes);
  ranksOf.set(rank);
  ranksOf.set(dummyRank.toArray(), real);
  const width = new Float64Array(nodes).fill(LINE);
  width.set(g.width);
  const part = (dx: Float64Array, node: Int32Array): Float64Array =>
    dx.map((d, s) => (0.9 * d) / (width[node[s]!]! + 1));
  const ends = { from: from.toArray(), to: to.toArray() };
  const dxs = { fromDx: Float64Array.from(fromDx), toDx: Float64Array.from(toDx) };
  const [fromPart, toPart] = [part(dxs.fromDx, ends.from), part(dxs.toDx, ends.to)];
  const below = {
    other: ends.to,
    otherDx: dxs.toDx,
    ownDx: dxs.fromDx,
    otherPart: toPart,
    ownPart: fromPart,
  };
  const above = {
    other: ends.from,
    otherDx: dxs.fromDx,
    ownDx: dxs.toDx,
    otherPart: fromPart,
    ownPart: toPart,
  };
  return {
    boxes: g.boxes,
    real,
    nodes,
    rank: ranksOf,
    ranks: count,
    width,
    ...ends,
    ...dxs,
    weight: Float64Array.from(weight),
    down: { ...groupBy(nodes, ends.from), ...below },
    up: { ...groupBy(nodes, ends.to), ...above },
    chain,
    lastSegment,
    ...(g.previousX && { previousX: g.previousX }),
  };
}
