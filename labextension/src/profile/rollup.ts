/**
 * Costs by node, op or module, the hottest first: the rules of `exir_viz/measure/rollup.py`, tested with the
 * same cases. The groups and the overhead add up to the whole. Only modules are nested and have a `total` as
 * well as their own time. Nodes that did not run are in no group.
 */

import { modulePath } from "../picture/rollup";
import { byText, NONE, opName, type Snapshot } from "../snapshot";
import { NOTHING, type Span, spanOf, sum } from "./noise";
import type { Basis, Profile } from "./profile";
import { BASES } from "./schema";

export type By = "node" | "op" | "module";

export interface Share {
  readonly key: string;
  /** Node numbers; of a module its own, without those of submodules. */
  readonly nodes: readonly number[];
  /** Its own nanoseconds; undefined if no node of it was timed. */
  readonly time: number | undefined;
  /** Including everything inside it. */
  readonly total: number | undefined;
  /** Nodes that ran but have no time, its own or inside it: if there are any, the times are lower bounds. */
  readonly untimed: number;
  /** The share of the whole: its own, and cumulative with everything hotter. */
  readonly share: number | undefined;
  readonly cumulative: number;
  /** A module call; NONE for others. */
  readonly scope: number;
  /** The time outside ops. */
  readonly isOverhead: boolean;
  /** The total with its spread. */
  readonly span: Span;
  /** How its numbers were obtained. */
  readonly bases: readonly Basis[];
}

interface Open {
  readonly key: string;
  readonly scope: number;
  readonly nodes: number[];
  readonly bases: Set<Basis>;
  time: number | undefined;
  total: number | undefined;
  /** Its nodes, including those of submodules. */
  within: number;
  untimed: number;
  span: Span;
}

const OVERHEAD = "(overhead)";
const REST = "(rest)";

/** The key as users see it. */
export const moduleText = (key: string): string => (key === NO_MODULE ? "in no module" : key);

const known = new WeakMap<Profile, Map<By, readonly Share[]>>();

/** Cached per profile. */
export function rollup(profile: Profile, by: By): readonly Share[] {
  const of = known.get(profile) ?? new Map<By, readonly Share[]>();
  known.set(profile, of);
  const found = of.get(by) ?? ranked(profile, by === "module" ? byModule(profile) : byName(profile, by));
  of.set(by, found);
  return found;
}

function byName(profile: Profile, by: "node" | "op"): Open[] {
  const { snapshot } = profile;
  const groups = new Map<string, Open>();
  for (const [node, row] of ran(profile)) {
    const key = by === "node" ? snapshot.id(node) : opName(snapshot.target(node));
    put(profile, groupOf(groups, key, NONE), node, row);
  }
  return [...groups.values()];
}

function byModule(profile: Profile): Open[] {
  const { snapshot } = profile;
  const groups = new Map<string, Open>();
  for (const [node, row] of ran(profile)) {
    const chain = snapshot.scopeChain(snapshot.ownerOf(node));
    const own = chain.at(-1);
    const key = own === undefined ? NO_MODULE : moduleName(snapshot, own);
    put(profile, groupOf(groups, key, own ?? NONE), node, row);
    for (const outer of chain.slice(0, -1))
      hold(profile, groupOf(groups, moduleName(snapshot, outer), outer), row);
  }
  return [...groups.values()];
}

function* ran(profile: Profile): Generator<readonly [node: number, row: number]> {
  for (const [row, node] of profile.nodes.entries()) {
    if (node >= 0 && profile.at("calls", row) !== 0) yield [node, row];
  }
}

function groupOf(groups: Map<string, Open>, key: string, scope: number): Open {
  const group = groups.get(key) ?? opened(key, scope);
  groups.set(key, group);
  return group;
}

const opened = (key: string, scope: number): Open => ({
  key,
  scope,
  nodes: [],
  bases: new Set(),
  time: 0,
  total: 0,
  within: 0,
  untimed: 0,
  span: NOTHING,
});

function put(profile: Profile, group: Open, node: number, row: number): void {
  group.time = sumKnown(group.nodes.length > 0 ? group.time : undefined, profile.at("time", row));
  group.nodes.push(node);
  hold(profile, group, row);
}

/** Adds a row to a group, as its own or as part of a submodule. */
function hold(profile: Profile, group: Open, row: number): void {
  const time = profile.at("time", row);
  group.total = sumKnown(group.within > 0 ? group.total : undefined, time);
  group.within++;
  if (time === undefined) {
    group.untimed++;
    return;
  }
  group.span = sum(group.span, profile.span(row));
  group.bases.add(profile.basis(row));
}

/** The sum of numbers that may be unknown; undefined if all are. */
const sumKnown = (known: number | undefined, more: number | undefined): number | undefined =>
  known === undefined || more === undefined ? (known ?? more) : known + more;

function ranked(profile: Profile, groups: Open[]): Share[] {
  const { record, overhead } = profile;
  if (record.overhead) {
    const span = spanOf(record.overhead);
    const key = profile.hasRest ? REST : OVERHEAD;
    groups.push({ ...opened(key, NONE), time: overhead, total: overhead, span });
  }
  groups.sort((a, b) => (b.time ?? 0) - (a.time ?? 0) || byText(a.key, b.key));
  let running = 0;
  return groups.map((group) => {
    running += group.time ?? 0;
    const isOverhead = (group.key === OVERHEAD || group.key === REST) && group.nodes.length === 0;
    return {
      ...group,
      bases: BASES.filter((basis) => group.bases.has(basis)),
      share: group.time === undefined ? undefined : profile.share(group.time),
      cumulative: profile.share(running),
      isOverhead,
    };
  });
}

/** From the outermost module to the hottest op: each step is the most expensive child of the previous one. */
export function hotPath(profile: Profile): readonly Share[] {
  const shares = rollup(profile, "module").filter(({ scope }) => scope !== NONE);
  const path: Share[] = [];
  for (let parent: number = NONE; ; ) {
    const inside = shares.filter(({ scope }) => profile.snapshot.scopes[scope]?.parent === parent);
    const next = inside.reduce<Share | undefined>(
      (best, each) => (best && (best.total ?? 0) >= (each.total ?? 0) ? best : each),
      undefined,
    );
    const before = path.at(-1);
    // The path ends at a module whose own ops take more than any module in it.
    if (!next?.total || next.total < 0 || (before?.time ?? 0) > next.total) return path;
    path.push(next);
    parent = next.scope;
  }
}

const ROOT = "(root)";
/** The name in rollups of ops outside all modules. */
export const NO_MODULE = "(none)";

/** "layers.0", and "layers.0@1" for its second call. */
export function moduleName(snapshot: Snapshot, scope: number): string {
  const { path = "", call = 0 } = snapshot.scopes[scope] ?? {};
  const name = modulePath(path) || ROOT;
  return call ? `${name}@${call}` : name;
}
