/**
 * Where a module stands: once in each graph that holds calls of it, for a backend may take some of its ops and leave
 * others. What is in a graph that one of its nodes runs is in its box there.
 */
import { Modules } from "./modules";
import type { Basis, Profile } from "./profile";

export interface Place {
  readonly graph: number;
  /** Nanoseconds of what is in its box there. */
  readonly time: number;
  readonly bases: ReadonlySet<Basis>;
}

/** The box that a graph has of a module call, and what of the module is in none of it, by graph. */
export interface Places {
  readonly here: Place;
  readonly elsewhere: readonly Place[];
}

const known = new WeakMap<Profile, Modules>();

export function placesOf(profile: Profile, scope: number, graph: number): Places {
  const here = new Sum(graph);
  const others = new Map<number, Sum>();
  for (const [node, row] of timed(profile)) {
    const around = graphsAround(profile, node, scope);
    const outermost = around.at(-1);
    if (outermost === undefined) continue;
    const other = others.get(outermost) ?? new Sum(outermost);
    if (around.includes(graph)) here.add(profile, row);
    else others.set(outermost, other.add(profile, row));
  }
  return { here, elsewhere: [...others.values()] };
}

/** The graph where most of its time is. */
export function homeOf(profile: Profile, scope: number): number {
  const boxes = new Map<number, Sum>();
  for (const [node, row] of timed(profile)) {
    const graph = graphsAround(profile, node, scope).at(-1);
    if (graph !== undefined) boxes.set(graph, (boxes.get(graph) ?? new Sum(graph)).add(profile, row));
  }
  const [first] = [...boxes.values()].sort((a, b) => b.time - a.time || a.graph - b.graph);
  return first?.graph ?? 0;
}

class Sum implements Place {
  time = 0;
  readonly bases = new Set<Basis>();

  constructor(readonly graph: number) {}

  add(profile: Profile, row: number): this {
    this.time += profile.at("time", row) ?? 0;
    this.bases.add(profile.basis(row));
    return this;
  }
}

function* timed(profile: Profile): Generator<readonly [node: number, row: number]> {
  for (const [row, node] of profile.nodes.entries()) {
    if (node >= 0 && profile.at("time", row) !== undefined) yield [node, row];
  }
}

/** The graphs in which a node stands in the box of a module, from the innermost out. */
function graphsAround(profile: Profile, node: number, scope: number): readonly number[] {
  const { snapshot } = profile;
  const modules = known.get(profile) ?? new Modules(snapshot);
  known.set(profile, modules);
  const found: number[] = [];
  for (let at: number | undefined = node; at !== undefined; ) {
    const { graph } = snapshot.locate(at);
    if (snapshot.scopeChain(modules.scopeOf(at)).includes(scope)) found.push(graph.number);
    at = snapshot.holderOf(graph);
  }
  return found;
}
