/**
 * Ops that one line of the user's code made, in a row, beside modules or other lines: `apply_rotary_pos_emb(…)` in
 * an attention's forward. A group of them is ours and named by what the line calls.
 *
 * A run is unbroken in execution order, so that no group can feed itself through what stands outside of it.
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

/** By node: the group of its line, where it has one. `nodes` are calls in execution order. */
export function lineGroups(
  snapshot: Snapshot,
  detail: Detail,
  nodes: readonly number[],
): ReadonlyMap<number, LineGroup> {
  const groups = new Map<number, LineGroup>();
  const homes = nodes.map((node) => snapshot.homeOf(node));
  const direct = new Map<number, number>();
  for (const home of homes) direct.set(home, (direct.get(home) ?? 0) + 1);
  const depths = depthsOf(snapshot);
  const calls = callFrames(detail);
  const parents = new Set(snapshot.scopes.map(({ parent }) => parent));
  let run: number[] = [];
  let runScope: number = NONE;
  let runFrame = -1;
  const end = (): void => {
    const isMost = run.length > MOST * (direct.get(runScope) ?? 0) && !parents.has(runScope);
    const frame = detail.frames?.[runFrame];
    if (frame && run.length >= LEAST && !isMost) {
      const group = { ...titled(frame), key: -1_000_000 - (run[0] ?? 0) };
      for (const node of run) groups.set(node, group);
    }
    run = [];
  };
  nodes.forEach((node, i) => {
    const { graph, position } = snapshot.locate(node);
    const scope = homes[i] ?? NONE;
    const trace = detail.graphs[graph.number]?.traces[position] ?? NONE;
    const frame = frameOf(calls[trace] ?? [], depths[scope] ?? 0);
    if (scope !== runScope || frame !== runFrame) end();
    runScope = scope;
    runFrame = frame;
    if (frame >= 0) run.push(node);
  });
  end();
  return groups;
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
