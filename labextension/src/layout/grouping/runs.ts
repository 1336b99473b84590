/**
 * Runs of identical modules: consecutive siblings of one shape, each fed by the one before ("layers.6 –
 * layers.31 ×26"). Identical parallel modules (q, k, v) are not a run.
 */

import type { LocalGraph } from "../scene/local";
import type { Tree } from "../types";

/** Items of one run, in order; at least two. */
export type Run = Int32Array;

/** Of two neighbours in a run. */
export type SplitsRun = (item: number, next: number) => boolean;

export function findRuns(tree: Tree, local: LocalGraph, least = 2): Run[] {
  const { children } = local;
  const fed = new Set<number>(); // a · children + b if child a feeds child b
  for (let e = 0; e < local.from.length; e++) {
    const [a, b] = [local.from[e]!, local.to[e]!];
    if (a < children.length && b < children.length) fed.add(a * children.length + b);
  }
  const follows = (k: number): boolean => {
    const [a, b] = [children[k - 1]!, children[k]!];
    const shape = tree.shape[b]!;
    return (
      tree.isGroup[b] === 1 &&
      shape !== 0 &&
      shape === tree.shape[a] &&
      fed.has((k - 1) * children.length + k)
    );
  };
  const runs: Run[] = [];
  for (let start = 0; start < children.length; ) {
    let end = start + 1;
    while (end < children.length && follows(end)) end++;
    if (end - start >= Math.max(2, least) && !loops(local, start, end)) runs.push(children.slice(start, end));
    start = end;
  }
  return runs;
}

/** Whether a value leaves the run and returns changed by a sibling: as one box the run would feed itself. */
function loops(local: LocalGraph, start: number, end: number): boolean {
  const inRun = (k: number): boolean => k >= start && k < end;
  const { from, to, children } = local;
  const after = new Set<number>();
  for (let e = 0; e < from.length; e++) {
    if (inRun(from[e]!) && !inRun(to[e]!) && to[e]! < children.length) after.add(to[e]!);
  }
  for (let e = 0; e < from.length; e++) if (after.has(from[e]!) && inRun(to[e]!)) return true;
  return false;
}

/** A run split where an item and the next are in separate runs. */
export function partRun(run: Run, splitsRun: SplitsRun): Run[] {
  const starts = Array.from(run.keys()).filter((i) => i === 0 || splitsRun(run[i - 1]!, run[i]!));
  return starts.map((start, i) => run.subarray(start, starts[i + 1]));
}

/** `View.runHead` for these runs: neighbouring closed members become one box; open ones have their own. */
export function foldRuns(items: number, runs: readonly Run[], open: ArrayLike<number>): Int32Array {
  const head = new Int32Array(items);
  for (let i = 0; i < items; i++) head[i] = i;
  for (const run of runs) {
    let first = -1;
    for (const member of run) {
      if (open[member]) first = -1;
      else if (first === -1) first = member;
      else head[member] = first;
    }
  }
  return head;
}
