/** A tree with inserted pseudo-groups: the same items, and one more per group, numbered from the end. */

import type { Tree } from "../types";
import type { PseudoGroup } from "./pseudo";

export interface BoxSize {
  readonly width: number;
  readonly height: number;
}

/** `shape` of the i-th group is that of its pattern, below the smallest used shape; 0 for chunks. */
export function insertGroups(tree: Tree, parent: number, groups: readonly PseudoGroup[], box: BoxSize): Tree {
  const n = tree.parent.length;
  const total = n + groups.length;
  const parents = new Int32Array(total).fill(parent);
  parents.set(tree.parent);
  groups.forEach(({ members }, i) => {
    for (const m of members) parents[m < 0 ? n - 1 - m : m] = n + i;
  });
  const least = tree.shape.reduce((a, b) => Math.min(a, b), 0);
  const edgeStart = new Int32Array(total + 1).fill(tree.edgeTarget.length);
  edgeStart.set(tree.edgeStart);
  const grown = <T extends Uint8Array | Int32Array | Float64Array>(
    made: T,
    old: T,
    value: (i: number) => number,
  ): T => {
    made.set(old);
    for (let i = n; i < total; i++) made[i] = value(i - n);
    return made;
  };
  return {
    parent: parents,
    isGroup: grown(new Uint8Array(total), tree.isGroup as Uint8Array<ArrayBuffer>, () => 1),
    width: grown(new Float64Array(total), tree.width as Float64Array<ArrayBuffer>, () => box.width),
    height: grown(new Float64Array(total), tree.height as Float64Array<ArrayBuffer>, () => box.height),
    shape: grown(new Int32Array(total), tree.shape as Int32Array<ArrayBuffer>, (i) =>
      groups[i]!.pattern ? least - groups[i]!.pattern : 0,
    ),
    edgeStart,
    edgeTarget: tree.edgeTarget,
  };
}
