/**
 * A `Tree`, indexed once: the children of each group, the leaves below it as one range, edges in both
 * directions.
 *
 * Every later layout of the program shares the resulting `Hierarchy`. The top is one more group, number n
 * (`hierarchy.root`), always open.
 */

import { type Csr, groupBy } from "../csr";
import type { Tree } from "../types";

export interface Hierarchy {
  readonly tree: Tree;
  readonly root: number;
  /** Children of each group in the order in which their first leaf appears; groups without leaves last. */
  readonly children: Csr;
  /** The parent of each item, with `root` instead of -1. */
  readonly parent: Int32Array;
  /** Leaves ordered so that each item has one range: leaf[from[i] … to[i]). */
  readonly leaf: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Edges by number: their ends, and the numbers of those that enter each leaf. */
  readonly source: Int32Array;
  readonly entering: Csr;
}

export function indexTree(tree: Tree): Hierarchy {
  const n = tree.parent.length;
  const parent = new Int32Array(n + 1).fill(-1);
  for (let i = 0; i < n; i++) {
    const p = tree.parent[i]!;
    if (p !== -1 && !tree.isGroup[p]) {
      throw new Error(`Cannot lay out item ${i}: its parent ${p} is not a group. Use -1 for the top.`);
    }
    parent[i] = p === -1 ? n : p;
  }
  const children = childrenByFirstLeaf(tree, parent);
  const ranges = leafRanges(tree, children, n);
  const source = new Int32Array(tree.edgeTarget.length);
  for (let i = 0; i < n; i++) source.fill(i, tree.edgeStart[i]!, tree.edgeStart[i + 1]!);
  return { tree, root: n, children, parent, ...ranges, source, entering: groupBy(n, tree.edgeTarget) };
}

function childrenByFirstLeaf(tree: Tree, parent: Int32Array): Csr {
  const n = parent.length - 1;
  const order = new Int32Array(n);
  const met = new Uint8Array(n + 1);
  let count = 0;
  const climb = (from: number): void => {
    for (let i = from; i !== n && !met[i]; i = parent[i]!) {
      met[i] = 1;
      order[count++] = i;
    }
  };
  for (let i = 0; i < n; i++) if (!tree.isGroup[i]) climb(i);
  for (let i = 0; i < n; i++) climb(i);
  const keys = new Int32Array(n);
  for (let k = 0; k < n; k++) keys[k] = parent[order[k]!]!;
  const byParent = groupBy(n + 1, keys);
  return { start: byParent.start, item: byParent.item.map((k) => order[k]!) };
}

function leafRanges(tree: Tree, children: Csr, root: number) {
  const from = new Int32Array(root + 1);
  const to = new Int32Array(root + 1);
  const leaf = new Int32Array(root);
  const cursor = children.start.slice(0, root + 1);
  const stack = [root];
  let count = 0;
  let seen = 0;
  while (stack.length) {
    const g = stack[stack.length - 1]!;
    if (cursor[g] === children.start[g + 1]) {
      to[g] = count;
      stack.pop();
      continue;
    }
    const child = children.item[cursor[g]!++]!;
    seen++;
    from[child] = count;
    if (tree.isGroup[child]) stack.push(child);
    else {
      leaf[count++] = child;
      to[child] = count;
    }
  }
  if (seen !== root)
    throw new Error(`Cannot lay out the tree: ${root - seen} items are their own ancestors.`);
  return { from, to, leaf: leaf.slice(0, count) };
}
