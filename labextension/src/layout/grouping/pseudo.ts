/**
 * Groups where there are none: for programs without a module stack, or thousands of nodes in one module.
 *
 * Repeated patterns come first (the same ops again and again: a layer); the rest is cut into chunks where few
 * values cross. The groups are marked as ours (`ours`, `reason`): they say nothing about the program.
 */
import type { Hierarchy } from "../scene/hierarchy";
import type { Tree } from "../types";
import { repeats } from "./repeats";

export interface PseudoGroup {
  /** Children of the split group, or indices of earlier pseudo-groups as -1 - index. In order. */
  readonly members: readonly number[];
  readonly ours: true;
  readonly reason: string;
  /** Equal for the repeats of one pattern; 0 for a chunk. */
  readonly pattern: number;
}

interface SplitOptions {
  /** A group with at most this many children is not split. */
  readonly most: number;
  /** The least number of children in a chunk. */
  readonly leastChunk: number;
  readonly mostChunk: number;
}

const splitDefaults: SplitOptions = { most: 160, leastChunk: 50, mostChunk: 100 };

/** `kind`: one number per item (the op target; for groups their shape). Returns groups, inner ones first. */
export function split(
  h: Hierarchy,
  group: number,
  kind: ArrayLike<number>,
  options: Partial<SplitOptions> = {},
): PseudoGroup[] {
  const o = { ...splitDefaults, ...options };
  const children = h.children.item.subarray(h.children.start[group]!, h.children.start[group + 1]!);
  if (children.length <= o.most) return [];
  const costs = cutCosts(h, positions(h, children), children.length);
  const made: PseudoGroup[] = [];
  const add = (members: number[], reason: string, pattern: number): number =>
    -made.push({ members, ours: true, reason, pattern });
  const slice = (from: number, to: number): number[] => Array.from(children.subarray(from, to));
  /** The top level: children or pseudo-groups, each with the position at which it ends. */
  let top: { member: number; end: number }[] = [];
  const chunks = (from: number, to: number): void => {
    for (const [a, b] of chunked(from, to, costs, o)) {
      const reason = `${b - a} consecutive nodes, not a module`;
      top.push({ member: add(slice(a, b), reason, 0), end: b });
    }
  };
  let done = 0;
  repeats(
    children.map((k) => kind[k]!),
    costs,
  ).forEach(({ start, period, count }, i) => {
    chunks(done, start);
    for (let k = 0; k < count; k++) {
      const a = start + k * period;
      const reason = `1 of ${count} repeats of the same ${period} nodes`;
      top.push({ member: add(slice(a, a + period), reason, i + 1), end: a + period });
    }
    done = start + count * period;
  });
  chunks(done, children.length);
  while (top.length > o.most) {
    const ends = [0, ...top.map((t) => t.end)].map((end) => costs[end]!);
    const level = chunked(0, top.length, Float64Array.from(ends), o);
    top = level.map(([a, b]) => {
      const members = top.slice(a, b).map((t) => t.member);
      return { member: add(members, `${b - a} consecutive groups, not a module`, 0), end: top[b - 1]!.end };
    });
  }
  return made;
}

/** Cuts a range into pieces of similar size, each at the cheapest cut within the allowed sizes. */
function chunked(
  from: number,
  to: number,
  costs: ArrayLike<number>,
  { leastChunk, mostChunk }: Pick<SplitOptions, "leastChunk" | "mostChunk">,
): [number, number][] {
  const pieces: [number, number][] = [];
  let start = from;
  while (to - start > mostChunk) {
    let best = start + leastChunk;
    for (let i = best; i <= start + mostChunk && i <= to - leastChunk; i++)
      if (costs[i]! < costs[best]!) best = i;
    pieces.push([start, best]);
    start = best;
  }
  if (to > start) pieces.push([start, to]);
  return pieces;
}

/** Position in `children` of the child that contains each leaf; -1 for other leaves. */
function positions(h: Hierarchy, children: Int32Array): Int32Array {
  const position = new Int32Array(h.root).fill(-1);
  children.forEach((child, k) => {
    for (let p = h.from[child]!; p < h.to[child]!; p++) position[h.leaf[p]!] = k;
  });
  return position;
}

/** costs[i]: values produced before position i and used at or after it. A value counts once. */
function cutCosts(h: Hierarchy, position: Int32Array, length: number): Float64Array {
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
