/**
 * The main line of a group enters and leaves at one x, so that a chain of groups forms one straight line.
 * Changes only the x of out ports; nothing else is in their rank.
 */

import { type FlatGraph, isOut } from "./flat";
import type { Layers } from "./layers";
import type { Proper } from "./proper";

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

/** Puts the main out port below the main in port (or the first node); the others keep order and distance. */
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
