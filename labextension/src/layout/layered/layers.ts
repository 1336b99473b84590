/** The nodes of each rank from left to right, as one array; and each node's place in its rank. */

import { groupBy } from "../csr";
import type { Proper } from "./proper";

export interface Layers {
  /** Nodes of rank r: node[start[r] … start[r + 1]). */
  readonly start: Int32Array;
  readonly node: Int32Array;
  readonly place: Int32Array;
}

/** Layers whose order within each rank is that of `sequence`, a permutation of all nodes. */
export function layersInOrder(p: Proper, sequence: ArrayLike<number>): Layers {
  const keys = new Int32Array(p.nodes);
  for (let i = 0; i < p.nodes; i++) keys[i] = p.rank[sequence[i]!]!;
  const grouped = groupBy(p.ranks, keys);
  const node = grouped.item.map((i) => sequence[i]!);
  const place = new Int32Array(p.nodes);
  for (let r = 0; r < p.ranks; r++) {
    for (let i = grouped.start[r]!; i < grouped.start[r + 1]!; i++) place[node[i]!] = i - grouped.start[r]!;
  }
  return { start: grouped.start, node, place };
}

export const copyLayers = (l: Layers): Layers => ({
  start: l.start,
  node: l.node.slice(),
  place: l.place.slice(),
});

/** Depth-first from the sources: connected nodes start side by side. `flip` visits users in reverse. */
export function firstOrder(p: Proper, flip: boolean): Layers {
  const sequence = new Int32Array(p.nodes);
  const seen = new Uint8Array(p.nodes);
  const stack: number[] = [];
  let count = 0;
  const visit = (root: number): void => {
    stack.push(root);
    while (stack.length) {
      const u = stack.pop()!;
      if (seen[u]) continue;
      seen[u] = 1;
      sequence[count++] = u;
      const a = p.down.start[u]!;
      const b = p.down.start[u + 1]!;
      for (let i = a; i < b; i++) {
        const v = p.to[p.down.item[flip ? i : a + b - 1 - i]!]!;
        if (!seen[v]) stack.push(v);
      }
    }
  };
  const sources: number[] = [];
  for (let v = 0; v < p.nodes; v++) if (p.up.start[v] === p.up.start[v + 1]) sources.push(v);
  sources.sort((a, b) => p.rank[a]! - p.rank[b]! || a - b);
  if (flip) sources.reverse();
  sources.forEach(visit);
  return layersInOrder(p, sequence);
}
