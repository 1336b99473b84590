/**
 * The y of each rank: its band contains its boxes, the gap below it the bends of the lines. Boxes are only in
 * bands, bends only in gaps, and in bands lines run straight down: so no line touches another box.
 *
 * Ranks may flow in columns, as text in a newspaper; a column's bands start at the top again.
 */

import { snap, snapUp } from "../snap";
import type { FlatGraph } from "./flat";
import type { Proper } from "./proper";

export interface Rows {
  /** Pixels from the top of the group's box. */
  readonly top: Float64Array;
  readonly bottom: Float64Array;
  /** Room below each rank. */
  readonly gap: Float64Array;
}

/** The gap grows with the widest bend in it, so that bends stay steep enough to follow. */
export function rows(g: FlatGraph, p: Proper, x: Float64Array, ends: Float64Array, rankGap: number): Rows {
  const height = new Float64Array(p.ranks);
  for (let v = 0; v < g.boxes; v++) height[p.rank[v]!] = Math.max(height[p.rank[v]!]!, g.height[v]!);
  const bend = new Float64Array(p.ranks);
  for (let s = 0; s < ends.length; s++) {
    const r = p.rank[p.from[s]!]!;
    bend[r] = Math.max(bend[r]!, Math.abs(ends[s]! - x[p.from[s]!]! - p.fromDx[s]!));
  }
  const top = new Float64Array(p.ranks);
  const bottom = new Float64Array(p.ranks);
  const gap = bend.map((dx) => rankGap + Math.min(64, Math.max(0, dx - 60) * 0.09));
  const last = p.ranks - 1;
  // A port rank has no band; its lines need a gap of their own only if they bend.
  if (g.ins && (bend[0] ?? 0) < 0.5) gap[0] = 6;
  if (g.outs && last > 0 && bend[last - 1]! < 0.5) gap[last - 1] = 0;
  let y = snap(g.header);
  for (let r = 0; r < p.ranks; r++) {
    top[r] = y;
    bottom[r] = y + snapUp(height[r]!);
    y = snap(bottom[r]! + gap[r]!);
  }
  return { top, bottom, gap };
}
