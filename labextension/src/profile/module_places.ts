/**
 * The graphs with parts of a module: each graph with calls of it, because a backend may delegate only some of
 * its ops. Nodes in a graph that one of its nodes runs are in the module's box there.
 */
import type { Snapshot } from "../snapshot";
import type { Basis, Profile } from "./profile";

export interface Place {
  readonly graph: number;
  /** Nanoseconds of the nodes in its box there. */
  readonly time: number;
  readonly bases: ReadonlySet<Basis>;
}

/** By graph: its box of a module call, and the module's nodes that are in no box. */
interface Places {
  readonly here: Place;
  readonly elsewhere: readonly Place[];
}

/** By module call, its nodes in each graph. A graph inside one of its boxes counts only its own nodes. */
type Parts = ReadonlyMap<number, ReadonlyMap<number, Sum>>;

const known = new WeakMap<Profile, Parts>();

export function placesOf(profile: Profile, scope: number, graph: number): Places {
  const here = new Sum(graph);
  const others = new Map<number, Sum>();
  for (const part of partsOf(profile, scope)) {
    const around = boxesAround(profile.snapshot, scope, part.graph);
    if (around.includes(graph)) here.add(part);
    else if (part.bases.size > 0) sumOf(others, around.at(-1) ?? part.graph).add(part);
  }
  return { here, elsewhere: [...others.values()] };
}

/** The graph with most of its time; if none has a time, the first that contains it. */
export function ownerOf(profile: Profile, scope: number): number {
  const boxes = new Map<number, Sum>();
  for (const part of partsOf(profile, scope)) {
    sumOf(boxes, boxesAround(profile.snapshot, scope, part.graph).at(-1) ?? part.graph).add(part);
  }
  const [first] = [...boxes.values()].sort((a, b) => b.time - a.time || a.graph - b.graph);
  return first?.graph ?? 0;
}

class Sum implements Place {
  time = 0;
  readonly bases = new Set<Basis>();

  constructor(readonly graph: number) {}

  add({ time, bases }: Pick<Place, "time" | "bases">): void {
    this.time += time;
    for (const basis of bases) this.bases.add(basis);
  }
}

function sumOf(sums: Map<number, Sum>, graph: number): Sum {
  const sum = sums.get(graph) ?? new Sum(graph);
  sums.set(graph, sum);
  return sum;
}

function partsOf(profile: Profile, scope: number): Iterable<Sum> {
  const parts = known.get(profile) ?? allParts(profile);
  known.set(profile, parts);
  return parts.get(scope)?.values() ?? [];
}

function allParts(profile: Profile): Parts {
  const parts = new Map<number, Map<number, Sum>>();
  for (const [row, node] of profile.nodes.entries()) {
    if (node < 0) continue;
    const time = profile.at("time", row);
    const cost = { time: time ?? 0, bases: new Set(time === undefined ? [] : [profile.basis(row)]) };
    const seen = new Set<number>();
    for (const [graph, scopes] of scopesAround(profile.snapshot, node)) {
      for (const scope of scopes) {
        if (seen.has(scope)) continue;
        seen.add(scope);
        const of = parts.get(scope) ?? new Map<number, Sum>();
        parts.set(scope, of);
        sumOf(of, graph).add(cost);
      }
    }
  }
  return parts;
}

/** The module calls around a node in its graph, then in each outer graph, from the innermost outwards. */
function* scopesAround(
  snapshot: Snapshot,
  node: number,
): Generator<readonly [graph: number, scopes: readonly number[]]> {
  for (let at: number | undefined = node; at !== undefined; ) {
    const { graph } = snapshot.locate(at);
    yield [graph.number, snapshot.scopeChain(snapshot.ownerOf(at))];
    at = snapshot.holderOf(graph);
  }
}

/** A graph with a box of a module call, and the outer graphs that also have one. */
function boxesAround(snapshot: Snapshot, scope: number, graph: number): readonly number[] {
  const holder = snapshot.holderOf(snapshot.graph(graph));
  if (holder === undefined) return [graph];
  const outer = [...scopesAround(snapshot, holder)].filter(([, scopes]) => scopes.includes(scope));
  return [graph, ...outer.map(([each]) => each)];
}
