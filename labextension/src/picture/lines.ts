/**
 * Ops that one line of the user's code made, beside modules or other lines: `apply_rotary_pos_emb(…)` in an
 * attention's forward. A group of them is ours and named by what the line calls.
 *
 * No group feeds itself through what stands outside of it: its ops follow each other in execution order, or, where a
 * memory plan or a backend mixed them with others, nothing that they feed feeds one of them.
 */
import { callFrames, type Detail, type Frame, NONE, type Snapshot } from "../snapshot";
import type { OurGroup } from "./ours";

/** Fewer ops than this are read as quickly as their group's name. */
const LEAST = 8;
/** A line that made more than this part of a module without modules in it says no more than the module does. */
const MOST = 0.7;

export interface LineGroup extends OurGroup {
  /** Below all numbers of scopes and containers. */
  readonly key: number;
}

/** Nodes that are looked at to join what lines made, at most. */
const MOST_STEPS = 300_000;

/**
 * By node: the group of its line, where it has one. `nodes` are calls in execution order; `inputs`: the nodes that one
 * takes values from.
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
  let steps = 0;
  const add = (frame: Frame, scope: number, run: readonly number[]): void => {
    const isMost = run.length > MOST * (direct.get(scope) ?? 0) && !parents.has(scope);
    if (run.length < LEAST || isMost) return;
    const group = { ...titled(frame), key: -1_000_000 - (run[0] ?? 0) };
    for (const node of run) groups.set(node, group);
  };
  for (const { scope, frame: number, count, runs } of lines) {
    const frame = detail.frames?.[number];
    if (!frame || count < LEAST) continue;
    const all = runs.flat();
    if (runs.length > 1) steps += nodes.length;
    const isOne = runs.length > 1 && steps < MOST_STEPS && isClosed(snapshot, scope, all, nodes, inputs);
    for (const run of isOne ? [all] : runs) add(frame, scope, run);
  }
  return groups;
}

interface Line {
  readonly scope: number;
  readonly frame: number;
  count: number;
  /** Ops that follow each other. */
  readonly runs: number[][];
}

/** The calls of each line in each module; of no line, `frame` is -1. */
function byLine(snapshot: Snapshot, detail: Detail, nodes: readonly number[]): Line[] {
  const depths = depthsOf(snapshot);
  const calls = callFrames(detail);
  const lines = new Map<string, Line>();
  let last: Line | undefined;
  for (const node of nodes) {
    const { graph, position } = snapshot.locate(node);
    const scope = snapshot.homeOf(node);
    const trace = detail.graphs[graph.number]?.traces[position] ?? NONE;
    const frame = frameOf(calls[trace] ?? [], depths[scope] ?? 0);
    const key = `${scope} ${frame}`;
    const line = lines.get(key) ?? { scope, frame, count: 0, runs: [] };
    lines.set(key, line);
    if (line !== last) line.runs.push([]);
    line.runs.at(-1)?.push(node);
    line.count++;
    last = line;
  }
  return [...lines.values()];
}

/** Whether some ops of a module feed none of themselves by way of other ops or modules in it. */
function isClosed(
  snapshot: Snapshot,
  scope: number,
  ops: readonly number[],
  nodes: readonly number[],
  inputs: (node: number) => readonly number[],
): boolean {
  const own = new Set(ops);
  const boxes = new Map<number, number>();
  // The box of a node beside the ops: a module in theirs, or the node itself.
  const boxOf = (node: number): number => {
    const home = snapshot.homeOf(node);
    if (home === scope) return node;
    const known = boxes.get(home);
    if (known !== undefined) return known || node;
    const chain = snapshot.scopeChain(home);
    const at = chain.indexOf(scope);
    const box = at < 0 ? 0 : -1 - (chain[at + 1] ?? 0);
    boxes.set(home, box);
    return box || node;
  };
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

/** The frame of the forward of the module at a depth: calls nest as modules do, a frame for each. */
function frameOf(calls: readonly number[], depth: number): number {
  return depth === 0 ? -1 : (calls[Math.min(depth, calls.length) - 1] ?? -1);
}

/** By scope: how many there are from the outermost to it. A scope comes after the one around it. */
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
    reason: `ops that one line made, ${place}: ${code.slice(0, 120)}`,
  };
}
