/**
 * Moves whole chains at once. Sweeps move one node at a time, so a long line that changes sides stays that
 * way; here each chain of dummies is tried at both ends of all its ranks and kept where it crosses least.
 */

import { between } from "./crossings";
import type { Layers } from "./layers";
import type { Proper } from "./proper";

/** Limits the nodes that are tried, so that a graph with thousands of long lines does not take seconds. */
const BUDGET = 400_000;

/** Changes the order in place; returns whether crossings went down. */
export function sift(p: Proper, l: Layers): boolean {
  let improved = false;
  let spent = 0;
  for (const chain of chains(p)) {
    const first = Math.max(0, p.rank[chain[0]!]! - 1);
    const last = Math.min(p.ranks - 2, p.rank[chain[chain.length - 1]!]!);
    for (let r = first; r <= last; r++) spent += 3 * (l.start[r + 1]! - l.start[r]!);
    if (spent > BUDGET) return improved;
    const count = (): number => {
      let total = 0;
      for (let r = first; r <= last; r++) total += between(p, l, r);
      return total;
    };
    let least = count();
    for (const toLeft of [true, false]) {
      if (least === 0) break;
      const before = chain.map((d) => l.place[d]!);
      for (const d of chain)
        moveTo(p, l, d, toLeft ? 0 : l.start[p.rank[d]! + 1]! - l.start[p.rank[d]!]! - 1);
      const now = count();
      if (now < least) {
        least = now;
        improved = true;
      } else {
        chain.forEach((d, i) => {
          moveTo(p, l, d, before[i]!);
        });
      }
    }
  }
  return improved;
}

/** Consecutive dummies of one line, at least two, in order of their first. */
function chains(p: Proper): number[][] {
  const found: number[][] = [];
  for (let d = p.real; d < p.nodes; d++) {
    const above = p.from[p.up.item[p.up.start[d]!]!]!;
    if (above < p.real) found.push([d]);
    else found[found.length - 1]!.push(d);
  }
  return found.filter((chain) => chain.length > 1);
}

/** Moves a node to a place of its rank; those between move by one. */
function moveTo(p: Proper, l: Layers, node: number, place: number): void {
  const start = l.start[p.rank[node]!]!;
  const step = place > l.place[node]! ? 1 : -1;
  for (let i = l.place[node]!; i !== place; i += step) {
    const other = l.node[start + i + step]!;
    l.node[start + i] = other;
    l.place[other] = i;
  }
  l.node[start + place] = node;
  l.place[node] = place;
}
