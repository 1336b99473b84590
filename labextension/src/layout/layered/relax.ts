/**
 * Final adjustment of x: each straight part of a line, with the boxes on it, moves towards its other lines as
 * far as its neighbours leave room. Order and distances are kept; no line gets a new bend.
 */

import type { Distance } from "./compact";
import type { Layers } from "./layers";
import type { Proper } from "./proper";

const ROUNDS = 4;
const STRAIGHT = 0.5;

/** Changes x in place. */
export function relax(p: Proper, l: Layers, x: Float64Array, distance: Distance): void {
  for (let round = 0; round < ROUNDS; round++) {
    const pieces = straightPieces(p, x);
    let moved = false;
    for (const piece of round % 2 ? pieces.reverse() : pieces) {
      const by = preferredShift(p, x, piece);
      if (Math.abs(by) <= STRAIGHT) continue;
      const d = allowed(p, l, x, piece, by, distance);
      if (Math.abs(d) <= STRAIGHT) continue;
      for (const v of piece) x[v]! += d;
      moved = true;
    }
    if (!moved) return;
  }
}

const sideways = (p: Proper, x: Float64Array, s: number): number =>
  x[p.to[s]!]! + p.toDx[s]! - x[p.from[s]!]! - p.fromDx[s]!;

/** Sets of nodes joined by vertical segments, in order of their first node. */
function straightPieces(p: Proper, x: Float64Array): Int32Array[] {
  const head = Int32Array.from({ length: p.nodes }, (_, v) => v);
  const find = (v: number): number => {
    let r = v;
    while (head[r] !== r) {
      head[r] = head[head[r]!]!;
      r = head[r]!;
    }
    return r;
  };
  for (let s = 0; s < p.from.length; s++) {
    if (Math.abs(sideways(p, x, s)) > STRAIGHT) continue;
    const a = find(p.from[s]!);
    const b = find(p.to[s]!);
    if (a < b) head[b] = a;
    else head[a] = b;
  }
  const members = new Map<number, number[]>();
  for (let v = 0; v < p.nodes; v++) {
    const r = find(v);
    const list = members.get(r);
    if (list) list.push(v);
    else members.set(r, [v]);
  }
  return Array.from(members.values(), (list) => Int32Array.from(list));
}

/** The median of what its bent lines need; 0 if it has none. */
function preferredShift(p: Proper, x: Float64Array, piece: Int32Array): number {
  const shifts: number[] = [];
  for (const v of piece) {
    for (let q = p.down.start[v]!; q < p.down.start[v + 1]!; q++) {
      const d = sideways(p, x, p.down.item[q]!);
      if (Math.abs(d) > STRAIGHT) shifts.push(d);
    }
    for (let q = p.up.start[v]!; q < p.up.start[v + 1]!; q++) {
      const d = -sideways(p, x, p.up.item[q]!);
      if (Math.abs(d) > STRAIGHT) shifts.push(d);
    }
  }
  if (!shifts.length) return 0;
  shifts.sort((a, b) => a - b);
  const low = shifts[(shifts.length - 1) >> 1]!;
  const high = shifts[shifts.length >> 1]!;
  return low > 0 ? low : high < 0 ? high : 0;
}

/** As much of `by` as the neighbours outside the piece leave room for. */
function allowed(
  p: Proper,
  l: Layers,
  x: Float64Array,
  piece: Int32Array,
  by: number,
  distance: Distance,
): number {
  const inside = new Set(piece);
  let d = by;
  for (const v of piece) {
    const r = p.rank[v]!;
    const at = l.start[r]! + l.place[v]! + (by > 0 ? 1 : -1);
    if (at < l.start[r]! || at >= l.start[r + 1]!) continue;
    const other = l.node[at]!;
    if (inside.has(other)) continue;
    const room = by > 0 ? x[other]! - x[v]! - distance(v, other) : x[other]! - x[v]! + distance(other, v);
    d = by > 0 ? Math.min(d, Math.max(0, room)) : Math.max(d, Math.min(0, room));
    if (d === 0) return 0;
  }
  return d;
}
