/** Swaps neighbours in a rank while that removes a crossing, for a few rounds at most. */

import type { Layers } from "./layers";
import { hasPrevious } from "./previous_order";
import type { Proper, Side } from "./proper";

const ROUNDS = 8;

export function transpose(p: Proper, l: Layers): void {
  let stale = new Uint8Array(p.ranks).fill(1); // ranks with changes near them since they were checked
  for (let round = 0; round < ROUNDS && stale.includes(1); round++) {
    const next = new Uint8Array(p.ranks);
    for (let r = 0; r < p.ranks; r++) {
      if (!stale[r] || !exchange(p, l, r)) continue;
      next[r] = 1;
      if (r > 0) next[r - 1] = 1;
      if (r + 1 < p.ranks) next[r + 1] = 1;
    }
    stale = next;
  }
}

function exchange(p: Proper, l: Layers, r: number): boolean {
  let improved = false;
  for (let i = l.start[r]!; i + 1 < l.start[r + 1]!; i++) {
    const u = l.node[i]!;
    const v = l.node[i + 1]!;
    if (p.previousX && hasPrevious(p.previousX, u) && hasPrevious(p.previousX, v)) continue;
    if (oneSide(p, l, p.up, u, v) + oneSide(p, l, p.down, u, v) <= 0) continue;
    l.node[i] = v;
    l.node[i + 1] = u;
    l.place[v]!--;
    l.place[u]!++;
    improved = true;
  }
  return improved;
}

/** Comparing all pairs costs too much if a value has thousands of users; only sweeps place those. */
const MOST_PAIRS = 4096;

/** How many crossings are saved on one side if u, v become v, u. */
function oneSide(p: Proper, l: Layers, side: Side, u: number, v: number): number {
  const { start, item, other, otherPart } = side;
  const [u0, u1, v0, v1] = [start[u]!, start[u + 1]!, start[v]!, start[v + 1]!];
  if ((u1 - u0) * (v1 - v0) > MOST_PAIRS) return 0;
  let difference = 0;
  for (let i = u0; i < u1; i++) {
    const s = item[i]!;
    const a = l.place[other[s]!]! + otherPart[s]!;
    for (let j = v0; j < v1; j++) {
      const t = item[j]!;
      const b = l.place[other[t]!]! + otherPart[t]!;
      const w = p.weight[s]! * p.weight[t]!;
      difference += a > b ? w : a < b ? -w : 0;
    }
  }
  return difference;
}
