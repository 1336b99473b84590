/** How many values cross each gap between neighbouring children, if these were in one row. */

import type { Hierarchy } from "../scene/hierarchy";

/** Position in `kids` of the child that contains each leaf; -1 for other leaves. */
export function positions(h: Hierarchy, kids: Int32Array): Int32Array {
  const position = new Int32Array(h.root).fill(-1);
  kids.forEach((kid, k) => {
    for (let p = h.from[kid]!; p < h.to[kid]!; p++) position[h.leaf[p]!] = k;
  });
  return position;
}

/** costs[i]: values produced before position i and used at or after it. A value counts once. */
export function cutCosts(h: Hierarchy, position: Int32Array, length: number): Float64Array {
  const { edgeStart, edgeTarget } = h.tree;
  const costs = new Float64Array(length + 1);
  for (let s = 0; s < h.root; s++) {
    const from = position[s]!;
    if (from === -1) continue;
    let far = from;
    for (let e = edgeStart[s]!; e < edgeStart[s + 1]!; e++) far = Math.max(far, position[edgeTarget[e]!]!);
    if (far === from) continue;
    costs[from + 1]!++;
    if (far + 1 <= length) costs[far + 1]!--;
  }
  for (let i = 1; i <= length; i++) costs[i]! += costs[i - 1]!;
  return costs;
}
