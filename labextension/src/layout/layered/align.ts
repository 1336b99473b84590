/**
 * Brandes–Köpf: nodes grouped into blocks that form one vertical line.
 *
 * One of four variants (medians above or below, from the left or from the right). Inner segments, between two
 * dummies, have priority, so that long lines stay straight. A block is a root and each member's shift from
 * it, because a line may meet a box at a port beside its middle.
 */

import type { Layers } from "./layers";
import type { Proper } from "./proper";

export interface Blocks {
  readonly root: Int32Array;
  /** x of a node from the x of its root, in pixels. */
  readonly shift: Float64Array;
}

/** Segments that cross an inner one and so must not be straightened. */
export function conflicts(p: Proper, l: Layers): Uint8Array {
  const marked = new Uint8Array(p.from.length);
  const inner = (s: number): boolean => p.from[s]! >= p.real && p.to[s]! >= p.real;
  for (let r = 1; r < p.ranks; r++) {
    const first = l.start[r]!;
    const size = l.start[r + 1]! - first;
    let done = 0;
    let left = -1;
    for (let i = 0; i < size; i++) {
      const v = l.node[first + i]!;
      const s = p.up.start[v] === p.up.start[v + 1] ? -1 : p.up.item[p.up.start[v]!]!;
      const isInner = s >= 0 && inner(s);
      if (!isInner && i + 1 < size) continue;
      const right = isInner ? l.place[p.from[s]!]! : Number.POSITIVE_INFINITY;
      for (; done <= i; done++) {
        const w = l.node[first + done]!;
        for (let q = p.up.start[w]!; q < p.up.start[w + 1]!; q++) {
          const t = p.up.item[q]!;
          const at = l.place[p.from[t]!]!;
          if ((at < left || at > right) && !inner(t)) marked[t] = 1;
        }
      }
      left = right;
    }
  }
  return marked;
}

export function align(p: Proper, l: Layers, conflict: Uint8Array, above: boolean, fromLeft: boolean): Blocks {
  const root = Int32Array.from({ length: p.nodes }, (_, v) => v);
  const taken = new Uint8Array(p.nodes); // has a partner in the previous rank
  const shift = new Float64Array(p.nodes);
  const side = above ? p.up : p.down;
  for (let z = 1; z < p.ranks; z++) {
    const r = above ? z : p.ranks - 1 - z;
    const a = l.start[r]!;
    const b = l.start[r + 1]!;
    let limit = fromLeft ? -1 : Number.POSITIVE_INFINITY;
    for (let i = 0; i < b - a; i++) {
      const v = l.node[fromLeft ? a + i : b - 1 - i]!;
      for (const s of medians(p, l, v, above, fromLeft)) {
        const u = side.other[s]!;
        const place = l.place[u]!;
        if (conflict[s] || taken[u] || (fromLeft ? place <= limit : place >= limit)) continue;
        if (yields(p, v, u, above)) continue;
        taken[u] = 1;
        root[v] = root[u]!;
        shift[v] = shift[u]! + side.otherDx[s]! - side.ownDx[s]!;
        limit = place;
        break;
      }
    }
  }
  return { root, shift };
}

/** Whether a passing line leaves the place below (or above) a box to another box. */
function yields(p: Proper, v: number, u: number, above: boolean): boolean {
  if (v < p.real || u >= p.real) return false;
  const side = above ? p.down : p.up;
  for (let q = side.start[u]!; q < side.start[u + 1]!; q++)
    if (side.other[side.item[q]!]! < p.real) return true;
  return false;
}

/**
 * The segments of v to straighten, at most two, the preferred first: the middle one of those that lead to a
 * box that leads on, else to a box, else of all. So the main line stays straight; constants, dead ends and
 * passing lines are bent instead.
 */
function medians(p: Proper, l: Layers, v: number, above: boolean, fromLeft: boolean): number[] {
  const side = above ? p.up : p.down;
  const a = side.start[v]!;
  const degree = side.start[v + 1]! - a;
  if (degree === 0) return [];
  if (degree === 1) return [side.item[a]!];
  const all = Array.from(side.item.subarray(a, a + degree));
  const far = above ? p.up : p.down;
  const boxes = all.filter((s) => side.other[s]! < p.real);
  const through = boxes.filter((s) => far.start[side.other[s]!]! < far.start[side.other[s]! + 1]!);
  const sorted = through.length ? through : boxes.length ? boxes : all;
  sorted.sort(
    (s, t) => l.place[side.other[s]!]! - l.place[side.other[t]!]! || side.otherDx[s]! - side.otherDx[t]!,
  );
  const low = sorted[(sorted.length - 1) >> 1]!;
  const high = sorted[sorted.length >> 1]!;
  return low === high ? [low] : fromLeft ? [low, high] : [high, low];
}
