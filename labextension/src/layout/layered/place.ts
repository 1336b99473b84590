/**
 * The x of each node: of the four Brandes–Köpf alignments and their mean, the one with the fewest bends in
 * the smallest width; then relaxed. Neighbours in a rank keep their distance in all of them.
 */
import { align, conflicts } from "./align";
import { compact, type Distance } from "./compact";
import { type FlatGraph, isOut } from "./flat";
import type { Layers } from "./layers";
import type { Proper } from "./proper";
import { relax } from "./relax";

interface Gaps {
  readonly boxGap: number;
  readonly laneGap: number;
}

/** x of the middle of each node, in pixels, from any origin. Yields between alignments. */
export function* place(p: Proper, l: Layers, gaps: Gaps): Generator<void, Float64Array> {
  const distance = distances(p, gaps);
  const conflict = conflicts(p, l);
  const found: Float64Array[] = [];
  for (const above of [true, false]) {
    for (const fromLeft of [true, false]) {
      found.push(compact(p, l, align(p, l, conflict, above, fromLeft), distance, fromLeft));
      yield;
    }
  }
  const candidates = [...found, mean(p, found)];
  let best = candidates[0]!;
  let least = Number.POSITIVE_INFINITY;
  for (const x of candidates) {
    relax(p, l, x, distance);
    yield;
    const now = cost(p, x);
    if (now < least - 1e-6) {
      least = now;
      best = x;
    }
  }
  return best;
}

function distances(p: Proper, { boxGap, laneGap }: Gaps): Distance {
  return (a, b) => {
    const boxes = (a < p.boxes ? 1 : 0) + (b < p.boxes ? 1 : 0);
    const gap = boxes === 2 ? boxGap : boxes === 1 ? (boxGap + laneGap) / 2 : laneGap;
    return (p.width[a]! + p.width[b]!) / 2 + gap;
  };
}

/** The mean of the middle two of four, each first aligned with the narrowest. */
function mean(p: Proper, found: Float64Array[]): Float64Array {
  const extents = found.map((x) => extent(p, x));
  let narrow = extents[0]!;
  for (const e of extents) if (e.right - e.left < narrow.right - narrow.left) narrow = e;
  const by = extents.map((e, i) => (i % 2 === 0 ? narrow.left - e.left : narrow.right - e.right));
  const x = new Float64Array(p.nodes);
  for (let v = 0; v < p.nodes; v++) {
    const [a, b, c, d] = found.map((f, i) => f[v]! + by[i]!) as [number, number, number, number];
    const all = a + b + c + d;
    x[v] = (all - Math.min(a, b, c, d) - Math.max(a, b, c, d)) / 2;
  }
  return x;
}

function extent(p: Proper, x: Float64Array): { left: number; right: number } {
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (let v = 0; v < p.nodes; v++) {
    left = Math.min(left, x[v]! - p.width[v]! / 2);
    right = Math.max(right, x[v]! + p.width[v]! / 2);
  }
  return { left, right };
}

/** Pixels of horizontal distance, a fixed price per bend, and a little for the width. */
function cost(p: Proper, x: Float64Array): number {
  let total = 0;
  for (let s = 0; s < p.from.length; s++) {
    const d = Math.abs(x[p.to[s]!]! + p.toDx[s]! - x[p.from[s]!]! - p.fromDx[s]!);
    const isLong = p.from[s]! >= p.real && p.to[s]! >= p.real;
    if (d > 0.5) total += (d + 40) * (isLong ? 2 : 1);
  }
  const { left, right } = extent(p, x);
  return total + (right - left) * 0.5;
}

/** The in port whose value is used first (the earliest of several); -1 if there is none. */
function mainIn(g: FlatGraph, p: Proper): number {
  let main = -1;
  let first = Number.POSITIVE_INFINITY;
  for (let e = 0; e < g.edgeTo.length; e++) {
    const u = g.outletNode[g.edgeOutlet[e]!]!;
    const rank = p.rank[g.edgeTo[e]!]!;
    if (u < g.boxes || rank > first || (rank === first && u > main)) continue;
    main = u;
    first = rank;
  }
  return main;
}

/** The out port whose value is produced last. */
function mainOut(g: FlatGraph, p: Proper): number {
  let main = -1;
  let last = -1;
  for (let e = 0; e < g.edgeTo.length; e++) {
    const rank = p.rank[g.outletNode[g.edgeOutlet[e]!]!]!;
    if (!isOut(g, g.edgeTo[e]!) || rank <= last) continue;
    main = g.edgeTo[e]!;
    last = rank;
  }
  return main;
}

/**
 * Puts the main out port below the main in port (or the first node), so that a chain of groups forms one
 * straight line. The other out ports keep their order and distance; nothing else is in their rank.
 */
export function straightenSpine(g: FlatGraph, p: Proper, l: Layers, x: Float64Array, gap: number): void {
  const end = mainOut(g, p);
  if (end < 0) return;
  const start = mainIn(g, p);
  x[end] = x[start < 0 ? l.node[0]! : start]!;
  const first = l.start[p.ranks - 1]!;
  const middle = first + l.place[end]!;
  const left = (i: number): number => x[l.node[i]!]!;
  for (let i = middle - 1; i >= first; i--) x[l.node[i]!] = Math.min(left(i), left(i + 1) - gap);
  for (let i = middle + 1; i < l.start[p.ranks]!; i++) x[l.node[i]!] = Math.max(left(i), left(i - 1) + gap);
}
