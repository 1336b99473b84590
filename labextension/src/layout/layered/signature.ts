/**
 * The identity of a `FlatGraph` with given options: all numbers in one array, and a hash of them. Layouts are
 * cached under the hash and compared by the numbers, so a collision costs time and never a wrong picture.
 */

import { defaults, type LayoutOptions } from "../types";
import type { FlatGraph, FlatLayout } from "./flat";

const NONE = new Float64Array(0);
const optionNames = Object.keys(defaults).sort() as (keyof LayoutOptions)[];

export function signature(g: FlatGraph, options: LayoutOptions): Float64Array {
  const chosen = optionNames.map((name) => options[name]);
  const { previousX = NONE } = g;
  const parts = [
    g.width,
    g.height,
    g.pinned,
    g.isGroup,
    g.outletNode,
    g.outletDx,
    g.edgeOutlet,
    g.edgeTo,
    g.edgeDx,
    previousX,
  ];
  const fixed = [
    ...chosen,
    g.boxes,
    g.ins,
    g.outs,
    g.outletNode.length,
    g.edgeTo.length,
    g.header,
    g.minWidth,
    previousX.length,
  ];
  let length = fixed.length;
  for (const part of parts) length += part.length;
  const all = new Float64Array(length);
  all.set(fixed);
  let at = fixed.length;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const asFloat = new Float64Array(1);
const asInts = new Int32Array(asFloat.buffer);

/** FNV-1a over the 32-bit halves of each number, two lanes, 53 bits. */
export function hash(numbers: Float64Array): number {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (let i = 0; i < numbers.length; i++) {
    asFloat[0] = numbers[i]!;
    a = Math.imul(a ^ asInts[0]!, 0x01000193);
    a = Math.imul(a ^ asInts[1]!, 0x01000193);
    b = Math.imul(b ^ asInts[1]! ^ (asInts[0]! << 7), 0x85ebca6b) ^ (b >>> 13);
  }
  return (a >>> 0) * 0x200000 + ((b >>> 0) & 0x1fffff);
}

interface Kept {
  readonly numbers: Float64Array;
  readonly layout: FlatLayout;
}

/** Layouts of groups, shared by equal groups and across calls while the cache exists. */
export class LayoutCache {
  private readonly byHash = new Map<number, Kept[]>();
  hits = 0;
  misses = 0;

  find(key: number, numbers: Float64Array): FlatLayout | undefined {
    const kept = this.byHash.get(key)?.find((k) => equal(k.numbers, numbers));
    if (kept) this.hits++;
    else this.misses++;
    return kept?.layout;
  }

  keep(key: number, numbers: Float64Array, layout: FlatLayout): void {
    const list = this.byHash.get(key);
    if (list) list.push({ numbers, layout });
    else this.byHash.set(key, [{ numbers, layout }]);
  }

  clear(): void {
    this.byHash.clear();
  }
}

function equal(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
