/**
 * Costs by node, op or module, the hottest first: the rules of `exir_viz/measure/rollup.py`. The groups and the
 * overhead add up to the whole; only modules are within one another, and have a `total` beside their own time.
 */
import { byText, NONE, opName, type Snapshot } from "../snapshot";
import type { Profile } from "./profile";

export type By = "node" | "op" | "module";

export interface Share {
  readonly key: string;
  /** Node numbers; of a module its own, without those of modules within. */
  readonly nodes: readonly number[];
  /** Nanoseconds of its own. */
  readonly time: number;
  /** With all that is within. */
  readonly total: number;
  /** Of the whole: its own, and with all that is hotter. */
  readonly share: number;
  readonly cumulative: number;
  /** A module call; NONE for all others. */
  readonly scope: number;
  /** What was in no op. */
  readonly isOverhead: boolean;
}

interface Open {
  readonly key: string;
  readonly scope: number;
  readonly nodes: number[];
  time: number;
  total: number;
}

const OVERHEAD = "(overhead)";
const NO_MODULE = "(none)";
const ROOT = "(root)";

const known = new WeakMap<Profile, Map<By, readonly Share[]>>();

/** Made once per profile. */
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
  profile.nodes.forEach((node, row) => {
    if (node < 0) return;
    const key = by === "node" ? snapshot.id(node) : opName(snapshot.target(node));
    put(groups, key, NONE, node, profile.at("time", row) ?? 0);
  });
  return [...groups.values()];
}

function byModule(profile: Profile): Open[] {
  const { snapshot } = profile;
  const groups = new Map<string, Open>();
  const modules = new Modules(snapshot);
  profile.nodes.forEach((node, row) => {
    if (node < 0) return;
    const time = profile.at("time", row) ?? 0;
    const chain = snapshot.scopeChain(modules.scopeOf(node));
    const own = chain.at(-1);
    put(groups, own === undefined ? NO_MODULE : modules.name(own), own ?? NONE, node, time);
    for (const outer of chain.slice(0, -1)) groupOf(groups, modules.name(outer), outer).total += time;
  });
  return [...groups.values()];
}

function groupOf(groups: Map<string, Open>, key: string, scope: number): Open {
  const group = groups.get(key) ?? { key, scope, nodes: [], time: 0, total: 0 };
  groups.set(key, group);
  return group;
}

function put(groups: Map<string, Open>, key: string, scope: number, node: number, time: number): void {
  const group = groupOf(groups, key, scope);
  group.nodes.push(node);
  group.time += time;
  group.total += time;
}

function ranked(profile: Profile, groups: Open[]): Share[] {
  const { record, overhead } = profile;
  if (record.overhead) {
    groups.push({ key: OVERHEAD, scope: NONE, nodes: [], time: overhead, total: overhead });
  }
  groups.sort((a, b) => b.time - a.time || byText(a.key, b.key));
  let running = 0;
  return groups.map((group) => {
    running += group.time;
    const isOverhead = group.key === OVERHEAD && group.nodes.length === 0;
    return { ...group, share: profile.share(group.time), cumulative: profile.share(running), isOverhead };
  });
}

/** The module call of each node: of one that names none, that of the node that holds its graph. */
class Modules {
  private readonly ofGraph = new Map<number, number>();

  constructor(private readonly snapshot: Snapshot) {}

  scopeOf(node: number): number {
    const own = this.snapshot.scopeOf(node);
    if (own !== NONE) return own;
    const common = this.commonWithin(node);
    return common === NONE ? this.ofHolder(this.snapshot.locate(node).graph.number) : common;
  }

  /** "layers.0", and "layers.0@1" for its second call. */
  name(scope: number): string {
    const { path = "", call = 0 } = this.snapshot.scopes[scope] ?? {};
    const name = path.replace(/^L\['self'\]/, "").replace(/^\./, "") || ROOT;
    return call ? `${name}@${call}` : name;
  }

  private ofHolder(graph: number): number {
    const found = this.ofGraph.get(graph);
    if (found !== undefined) return found;
    const { parent } = this.snapshot.graph(graph).columns;
    let scope: number = NONE;
    if (parent !== NONE) {
      const outer = this.snapshot.graph(parent);
      const held = (outer.columns.subgraphs ?? []).find((each) => each.graph === graph);
      const holder = held && (outer.usersOf(held.node)[0] ?? held.node);
      if (holder !== undefined) scope = this.scopeOf(outer.base + holder);
    }
    this.ofGraph.set(graph, scope);
    return scope;
  }

  /** Around all that a backend took, for a call of it that names no module itself. */
  private commonWithin(node: number): number {
    const { graph, position } = this.snapshot.locate(node);
    let common: number[] | undefined;
    for (const input of graph.inputsOf(position)) {
      for (const held of graph.heldBy(input)) {
        const inner = this.snapshot.graph(held);
        if (!inner.columns.delegate) continue;
        for (let i = 0; i < inner.count; i++) {
          const scope = inner.columns.scopes[i] ?? NONE;
          if (inner.op(i) !== "call_function" || scope === NONE) continue;
          const chain = this.snapshot.scopeChain(scope);
          const first = common ?? chain;
          const end = first.findIndex((each, at) => chain[at] !== each);
          common = end < 0 ? first : first.slice(0, end);
        }
      }
    }
    return common?.at(-1) ?? NONE;
  }
}

/** From the outermost module to the hottest thing: each step the module with the most time within the one before. */
export function hotPath(profile: Profile): readonly Share[] {
  const shares = rollup(profile, "module").filter(({ scope }) => scope !== NONE);
  const path: Share[] = [];
  for (let parent: number = NONE; ; ) {
    const inside = shares.filter(({ scope }) => profile.snapshot.scopes[scope]?.parent === parent);
    const next = inside.reduce<Share | undefined>(
      (best, each) => (best && best.total >= each.total ? best : each),
      undefined,
    );
    const before = path.at(-1);
    // Where a module's own ops take more than any module in it, the path ends there.
    if (!next || next.total <= 0 || (before && before.time > next.total)) return path;
    path.push(next);
    parent = next.scope;
  }
}
