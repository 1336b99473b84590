/**
 * Counts crossings. The end of a segment is at its node's place plus a fraction for its port, so that two
 * lines into different ports of one box can cross too. Equal ends do not cross.
 */

import type { Layers } from "./layers";
import type { Proper } from "./proper";

export function countCrossings(p: Proper, l: Layers): number {
  let total = 0;
  for (let r = 0; r + 1 < p.ranks; r++) total += between(p, l, r);
  return total;
}

/**
 * Crossings of the segments that leave rank r: inversions of their lower ends, sorted by their upper ends.
 */
export function between(p: Proper, l: Layers, r: number): number {
  const { start, item, other, otherPart, ownPart } = p.down;
  let count = 0;
  for (let i = l.start[r]!; i < l.start[r + 1]!; i++) count += start[l.node[i]! + 1]! - start[l.node[i]!]!;
  if (count < 2) return 0;
  const lower = new Float64Array(count);
  const upper = new Float64Array(count);
  const weight = new Float64Array(count);
  let n = 0;
  for (let i = l.start[r]!; i < l.start[r + 1]!; i++) {
    const u = l.node[i]!;
    const first = n;
    for (let q = start[u]!; q < start[u + 1]!; q++) {
      const s = item[q]!;
      const at = l.place[other[s]!]! + otherPart[s]!;
      const own = ownPart[s]!;
      let k = n++;
      for (; k > first && (upper[k - 1]! > own || (upper[k - 1]! === own && lower[k - 1]! > at)); k--) {
        lower[k] = lower[k - 1]!;
        upper[k] = upper[k - 1]!;
        weight[k] = weight[k - 1]!;
      }
      lower[k] = at;
      upper[k] = own;
      weight[k] = p.weight[s]!;
    }
  }
  return inversions(lower, weight);
}

/**
 * The sum of weight[i] · weight[j] over i < j with keys[i] > keys[j]; by pairs if few, by merging if many.
 */
export function inversions(keys: Float64Array, weight: Float64Array): number {
  return keys.length < 32 ? comparing(keys, weight) : merging(keys, weight);
}

function comparing(keys: Float64Array, weight: Float64Array): number {
  let total = 0;
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!;
    let above = 0;
    for (let j = 0; j < i; j++) if (keys[j]! > key) above += weight[j]!;
    total += above * weight[i]!;
  }
  return total;
}

function merging(keys: Float64Array, weight: Float64Array): number {
  let total = 0;
  let [a, b]: [Float64Array, Float64Array] = [keys, new Float64Array(keys.length)];
  let [wa, wb]: [Float64Array, Float64Array] = [weight, new Float64Array(keys.length)];
  for (let width = 1; width < a.length; width *= 2) {
    for (let lo = 0; lo < a.length; lo += 2 * width) {
      const mid = Math.min(lo + width, a.length);
      const hi = Math.min(lo + 2 * width, a.length);
      let left = 0; // weight of the rest of the first half
      for (let i = lo; i < mid; i++) left += wa[i]!;
      let i = lo;
      let j = mid;
      for (let k = lo; k < hi; k++) {
        const takeFirst = i < mid && (j >= hi || a[i]! <= a[j]!);
        const from = takeFirst ? i++ : j++;
        if (takeFirst) left -= wa[from]!;
        else total += left * wa[from]!;
        b[k] = a[from]!;
        wb[k] = wa[from]!;
      }
    }
    [a, b] = [b, a];
    [wa, wb] = [wb, wa];
  }
  return total;
}
