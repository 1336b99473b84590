/**
 * Which groups are identical: a structural hash of each, from the kinds of its leaves and groups and the
 * edges inside it. Names and numbers of layers are ignored, so 32 identical layers have one number. Whether
 * sizes count depends on the kinds.
 */

import type { Hierarchy } from "../scene/hierarchy";

/**
 * `kind`: one number per item (op target, with shapes or without; module class). Returns the hash of each
 * item, never 0.
 */
export function shapes(h: Hierarchy, kind: ArrayLike<number>): Int32Array {
  const { tree, root, children, from, to, leaf } = h;
  const shape = new Int32Array(root + 1);
  const position = new Int32Array(root); // of each leaf in the order of the hierarchy
  leaf.forEach((item, p) => {
    position[item] = p;
  });
  const order = [root];
  for (let i = 0; i < order.length; i++) {
    const g = order[i]!;
    for (let c = children.start[g]!; c < children.start[g + 1]!; c++) {
      const child = children.item[c]!;
      if (tree.isGroup[child]) order.push(child);
      else shape[child] = settle(mix(0x2545f491, kind[child]!));
    }
  }
  for (let i = order.length - 1; i >= 0; i--) {
    const g = order[i]!;
    let value = mix(0x9e3779b9, g === root ? 0 : kind[g]!);
    for (let c = children.start[g]!; c < children.start[g + 1]!; c++)
      value = mix(value, shape[children.item[c]!]!);
    for (let p = from[g]!; p < to[g]!; p++) {
      const s = leaf[p]!;
      let leaves = false; // how often a value is used outside does not matter inside
      for (let e = tree.edgeStart[s]!; e < tree.edgeStart[s + 1]!; e++) {
        const q = position[tree.edgeTarget[e]!]!;
        if (q >= from[g]! && q < to[g]!) value = mix(value, q - p);
        else leaves = true;
      }
      if (leaves) value = mix(value, 0x7fffffff);
    }
    shape[g] = settle(value);
  }
  return shape.slice(0, root);
}

const mix = (h: number, v: number): number => {
  const x = Math.imul(h ^ v, 0x85ebca6b);
  return Math.imul(x ^ (x >>> 15), 0xc2b2ae35) ^ (h << 5);
};

const settle = (h: number): number => (h ^ (h >>> 16)) | 0 || 1;
