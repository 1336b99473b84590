/**
 * The rank (row) of each node: in ports first, out ports last, each edge downwards.
 *
 * Longest path first; then a node moves down towards its users if that shortens the lines in total. A value
 * with many users is one line as long as its farthest use, which is what counts here.
 */
import { type Csr, groupBy } from "../csr";
import { type FlatGraph, isOut, nodeCount } from "./flat";

export interface Ranks {
  readonly rank: Int32Array;
  readonly count: number;
}

export function ranks(g: FlatGraph, back: Uint8Array): Ranks {
  const n = nodeCount(g);
  const from = new Int32Array(g.edgeTo.length);
  const to = new Int32Array(g.edgeTo.length);
  for (let e = 0; e < from.length; e++) {
    from[e] = back[e] ? -1 : g.outletNode[g.edgeOutlet[e]!]!;
    to[e] = back[e] ? -1 : g.edgeTo[e]!;
  }
  const leaving = groupBy(n, from);
  const entering = groupBy(n, to);
  const rank = new Int32Array(n);
  if (g.ins) rank.fill(1, 0, g.boxes);
  const order = longestPath(rank, leaving, entering, to);
  const floating = floats(g, order, entering, from);
  for (let pass = 0; pass < 3; pass++) {
    if (!settle(rank, order, { g, leaving, entering, from, to, floating })) break;
  }
  const alone = withoutLines(g, leaving, entering);
  spread(alone, rank);
  let count = 0;
  for (let v = 0; v < g.boxes + g.ins; v++) count = Math.max(count, rank[v]! + 1);
  // A group without any inputs or outputs, such as unused state, is below everything else.
  const aside = alone.filter((v) => g.isGroup[v]);
  if (aside.length < g.boxes && aside.length < MANY_ALONE) {
    for (const v of aside) rank[v] = count;
    if (aside.length) count++;
  }
  if (g.outs) rank.fill(count++, g.boxes + g.ins);
  return { rank, count };
}

/** Sets `rank` and returns the nodes in topological order. */
function longestPath(rank: Int32Array, leaving: Csr, entering: Csr, to: Int32Array): Int32Array {
  const n = rank.length;
  const order = new Int32Array(n);
  const waiting = new Int32Array(n);
  let count = 0;
  for (let v = 0; v < n; v++) {
    waiting[v] = entering.start[v + 1]! - entering.start[v]!;
    if (!waiting[v]) order[count++] = v;
  }
  for (let i = 0; i < count; i++) {
    const u = order[i]!;
    for (let p = leaving.start[u]!; p < leaving.start[u + 1]!; p++) {
      const v = to[leaving.item[p]!]!;
      if (rank[v]! <= rank[u]!) rank[v] = rank[u]! + 1;
      if (!--waiting[v]!) order[count++] = v;
    }
  }
  return order;
}

/** Fewer boxes without lines than this are in one row. */
const MANY_ALONE = 10;

function withoutLines(g: FlatGraph, leaving: Csr, entering: Csr): number[] {
  const degree = ({ start }: Csr, v: number): number => start[v + 1]! - start[v]!;
  const alone: number[] = [];
  for (let v = 0; v < g.boxes; v++) if (!degree(leaving, v) && !degree(entering, v)) alone.push(v);
  return alone;
}

/** Many boxes without lines, such as unread state, form a block instead of one endless row. */
function spread(alone: readonly number[], rank: Int32Array): void {
  if (alone.length < MANY_ALONE) return;
  // A box is about three times as wide as a row is high: this many per row make a block with ratio 3 : 2.
  const across = Math.ceil(Math.sqrt(alone.length * 0.5));
  alone.forEach((v, i) => {
    rank[v]! += Math.floor(i / across);
  });
}

/** Nodes that no in port leads to (constants and what is computed from them): they may move down together. */
function floats(g: FlatGraph, order: Int32Array, entering: Csr, from: Int32Array): Uint8Array {
  const floating = new Uint8Array(order.length);
  for (const u of order) {
    floating[u] = u < g.boxes ? 1 : 0;
    for (let p = entering.start[u]!; p < entering.start[u + 1]!; p++) {
      floating[u]! &= floating[from[entering.item[p]!]!]!;
    }
  }
  return floating;
}

interface Graph {
  readonly g: FlatGraph;
  readonly leaving: Csr;
  readonly entering: Csr;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly floating: Uint8Array;
}

/** One pass from the bottom up; returns whether anything moved. */
function settle(rank: Int32Array, order: Int32Array, graph: Graph): boolean {
  const { g, leaving, entering, from, to, floating } = graph;
  let moved = false;
  for (let i = order.length - 1; i >= 0; i--) {
    const u = order[i]!;
    if (u >= g.boxes) continue;
    let lowest = Number.POSITIVE_INFINITY;
    for (let p = leaving.start[u]!; p < leaving.start[u + 1]!; p++) {
      const v = to[leaving.item[p]!]!;
      if (!isOut(g, v)) lowest = Math.min(lowest, rank[v]! - 1);
    }
    if (lowest === Number.POSITIVE_INFINITY || lowest <= rank[u]!) continue;
    // Moving down by d saves d on its own line, and costs d on each line of which it becomes the farthest
    // use.
    let gain = lowest - rank[u]!;
    for (let p = entering.start[u]!; p < entering.start[u + 1]!; p++) {
      const s = from[entering.item[p]!]!;
      let far = rank[u]!;
      for (let q = leaving.start[s]!; q < leaving.start[s + 1]!; q++) {
        const v = to[leaving.item[q]!]!;
        if (v !== u && !isOut(g, v)) far = Math.max(far, rank[v]!);
        if (far >= lowest) break;
      }
      gain -= Math.max(0, lowest - far);
    }
    if (gain > 0 || (gain === 0 && floating[u])) {
      rank[u] = lowest;
      moved = true;
    }
  }
  return moved;
}

const UNSEEN = 0;
const OPEN = 1;
const DONE = 2;

/**
 * Which edges run against the flow: a set whose removal leaves no cycle. A data-flow program has none, but
 * groups can (one module called twice, drawn once). Depth-first in input order, so the earlier item stays
 * above.
 */
export function backEdges(nodes: number, from: ArrayLike<number>, to: ArrayLike<number>): Uint8Array {
  const back = new Uint8Array(to.length);
  const leaving: Csr = groupBy(nodes, from, to.length);
  const state = new Uint8Array(nodes);
  const cursor = leaving.start.slice(0, nodes);
  const stack: number[] = [];
  for (let s = 0; s < nodes; s++) {
    if (state[s] !== UNSEEN) continue;
    stack.push(s);
    state[s] = OPEN;
    while (stack.length) {
      const u = stack[stack.length - 1]!;
      if (cursor[u] === leaving.start[u + 1]) {
        state[u] = DONE;
        stack.pop();
        continue;
      }
      const e = leaving.item[cursor[u]!++]!;
      const v = to[e]!;
      if (state[v] === OPEN) back[e] = 1;
      else if (state[v] === UNSEEN) {
        state[v] = OPEN;
        stack.push(v);
      }
    }
  }
  return back;
}
