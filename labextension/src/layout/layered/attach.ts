/**
 * Where lines meet boxes, if the ends are free: a single line in the middle; several side by side in their
 * order, each straight down if it comes from above the box.
 */

import type { FlatGraph } from "./flat";
import type { Proper } from "./proper";

/** Free pixels at both ends of a box's top, and between two arrow heads. */
const CORNER = 12;
const APART = 14;

/** x of the end of each segment that ends at a box or port. */
export function attachments(g: FlatGraph, p: Proper, x: Float64Array): Float64Array {
  const at = new Float64Array(p.from.length);
  for (let s = 0; s < at.length; s++) at[s] = x[p.to[s]!]! + p.toDx[s]!;
  for (let v = 0; v < g.boxes; v++) {
    const a = p.up.start[v]!;
    const b = p.up.start[v + 1]!;
    if (g.pinned[v] || b - a < 2) continue;
    const segments = Array.from(p.up.item.subarray(a, b));
    const comes = (s: number): number => x[p.from[s]!]! + p.fromDx[s]!;
    segments.sort((s, t) => comes(s) - comes(t) || s - t);
    const half = Math.max(0, g.width[v]! / 2 - CORNER);
    const places = spread(segments.map(comes), x[v]!, half);
    segments.forEach((s, i) => {
      at[s] = places[i]!;
    });
  }
  return at;
}

/** Ascending positions moved into middle ± half, at least `APART` from each other while there is room. */
export function spread(preferred: readonly number[], middle: number, half: number): number[] {
  const n = preferred.length;
  const apart = Math.min(APART, (2 * half) / (n - 1));
  const before = preferred.filter((w) => w < middle - half).length;
  const after = preferred.filter((w) => w > middle + half).length;
  // A line from the side ends near the middle, not at the corner, unless others need that room.
  const wanted = preferred.map((w, i) => {
    if (w < middle - half) return middle - apart * (before - i);
    if (w > middle + half) return middle + apart * (after - (n - 1 - i));
    return w;
  });
  const places = wanted.slice();
  for (let i = 1; i < n; i++) places[i] = Math.max(places[i]!, places[i - 1]! + apart);
  const over = Math.max(0, places[n - 1]! - (middle + half));
  places[n - 1]! -= over;
  for (let i = n - 2; i >= 0; i--) places[i] = Math.min(places[i]!, places[i + 1]! - apart);
  return places.map((x) => Math.min(middle + half, Math.max(middle - half, x)));
}
