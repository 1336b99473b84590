/**
 * Ops from one line of the user's code, beside modules or other lines: `apply_rotary_pos_emb(…)` in an
 * attention's forward. Their group is inserted by the picture and named after the called function.
 *
 * No group feeds itself through nodes outside it: its ops are consecutive in execution order, or, if a memory
 * plan or a backend mixed them with others, nothing that they feed feeds one of them.
 */
import { callFrames, type Detail, type Frame, NONE, type Snapshot } from "../snapshot";
import type { OurGroup } from "./auto_groups";

/** Fewer ops need no group. */
const LEAST = 8;
/** A line with more than this share of a module without submodules needs no group. */
const MOST = 0.7;

export interface LineGroup extends OurGroup {
  /** Smaller than all numbers of scopes and containers. */
  readonly key: number;
}

/** The most nodes that are visited to merge groups of lines. */
const MOST_STEPS = 300_000;

/**
 * By node: the group of its line, if it has one. `nodes` are calls in execution order; `inputs`: the nodes
 * whose values a node uses.
 */
export function lineGroups(
  snapshot: Snapshot,
  detail: Detail,
  nodes: readonly number[],
  inputs: (node: number) => readonly number[],
): ReadonlyMap<number, LineGroup> {
  const groups = new Map<number, LineGroup>();
  const direct = new Map<number, number>();
  const parents = new Set(snapshot.scopes.map(({ parent }) => parent));
  const lines = byLine(snapshot, detail, nodes);
  for (const { scope, count } of lines) direct.set(scope, (direct.get(scope) ?? 0) + count);
  const add = (frame: number, scope: number, run: readonly number[]): void => {
    const made = detail.frames?.[frame];
    const isMost = run.length > MOST * (direct.get(scope) ?? 0) && !parents.has(scope);
    if (!made || run.length < LEAST || isMost) return;
    const group = { ...titled(made), key: -1_000_000 - (run[0] ?? 0) };
    for (const node of run) groups.set(node, group);
  };
  const split = lines.filter(({ frame, count, runs }) => frame >= 0 && runs.length > 1 && count >= LEAST);
  const isFew = split.length * nodes.length < MOST_STEPS;
  for (const line of lines) {
    if (isFew && split.includes(line)) continue;
    for (const run of line.runs) add(line.frame, line.scope, run);
  }
  // Existing groups count as one box: two groups may not feed each other either.
  for (const { frame, scope, runs } of isFew ? split : []) {
    const all = runs.flat();
    const boxOf = boxFinder(snapshot, scope, groups);
    for (const run of isClosed(all, nodes, inputs, boxOf) ? [all] : runs) add(frame, scope, run);
  }
  return groups;
}

interface Line {
  readonly scope: number;
  readonly frame: number;
  count: number;
  /** Consecutive ops. */
  readonly runs: number[][];
}

/** The calls of each line in each module; without a line, `frame` is -1. */
function byLine(snapshot: Snapshot, detail: Detail, nodes: readonly number[]): Line[] {
  const depths = depthsOf(snapshot);
  const calls = callFrames(detail);
  const frames = (detail.frames?.length ?? 0) + 1;
  const lines = new Map<number, Line>();
  let last: Line | undefined;
  for (const node of nodes) {
    const { graph, position } = snapshot.locate(node);
    const scope = snapshot.placement(graph).owners[position] ?? NONE;
    const trace = detail.graphs[graph.number]?.traces[position] ?? NONE;
    const frame = frameOf(calls[trace] ?? [], depths[scope] ?? 0);
    const key = (scope + 1) * frames + frame + 1;
    const line = lines.get(key) ?? { scope, frame, count: 0, runs: [] };
    lines.set(key, line);
    if (line !== last) line.runs.push([]);
    line.runs.at(-1)?.push(node);
    line.count++;
    last = line;
  }
  return [...lines.values()];
}

/** The box of a node, seen from inside a module: a group, a submodule, or the node's own. */
function boxFinder(
  snapshot: Snapshot,
  scope: number,
  groups: ReadonlyMap<number, LineGroup>,
): (node: number) => number {
  const known = new Map<number, number>();
  const moduleOf = (owner: number): number => {
    const chain = snapshot.scopeChain(owner);
    const at = chain.indexOf(scope);
    return at < 0 ? 0 : -1 - (chain[at + 1] ?? 0);
  };
  return (node) => {
    const owner = snapshot.ownerOf(node);
    if (owner === scope) return groups.get(node)?.key ?? node;
    const box = known.get(owner) ?? moduleOf(owner);
    known.set(owner, box);
    return box || node;
  };
}

/** Whether no path through other boxes leads from these ops back to them. */
function isClosed(
  ops: readonly number[],
  nodes: readonly number[],
  inputs: (node: number) => readonly number[],
  boxOf: (node: number) => number,
): boolean {
  const own = new Set(ops);
  const fed = new Set<number>();
  for (let before = -1; before !== fed.size; ) {
    before = fed.size;
    for (const node of nodes) {
      if (own.has(node) || fed.has(boxOf(node))) continue;
      if (inputs(node).some((input) => own.has(input) || fed.has(boxOf(input)))) fed.add(boxOf(node));
    }
  }
  return !ops.some((op) => inputs(op).some((input) => !own.has(input) && fed.has(boxOf(input))));
}

/** The frame of the forward of the module at a depth: calls are nested like modules, one frame each. */
function frameOf(calls: readonly number[], depth: number): number {
  return depth === 0 ? -1 : (calls[Math.min(depth, calls.length) - 1] ?? -1);
}

/** By scope: its depth, counted from the outermost. A scope comes after its parent. */
function depthsOf({ scopes }: Snapshot): number[] {
  const depths: number[] = [];
  for (const { parent } of scopes) depths.push((depths[parent] ?? 0) + 1);
  return depths;
}

function titled(frame: Frame): OurGroup {
  const code = (frame.code ?? "").trim();
  const call = /([A-Za-z_]\w*)\s*\(/.exec(code)?.[1];
  const place = `${frame.file.slice(Math.max(frame.file.lastIndexOf("/"), frame.file.lastIndexOf("\\")) + 1)}:${frame.line}`;
  const title = call ?? (code ? code.slice(0, 40) : place);
  return {
    title,
    subtitle: `line ${frame.line}`,
    reason: `ops from one source line, ${place}: ${code.slice(0, 120)}`,
  };
}
