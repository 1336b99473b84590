/** Reachability in one graph: ancestors, descendants, all paths between two nodes. Pure. */
import type { Graph } from "../snapshot";

type Step = (position: number) => Int32Array;

/** Positions within `steps` of the start, including it. */
function reached(start: readonly number[], step: Step, steps: number): Set<number> {
  const found = new Set(start);
  let front = [...start];
  for (let distance = 0; distance < steps && front.length; distance++) {
    const next: number[] = [];
    for (const position of front) {
      for (const other of step(position)) {
        if (found.has(other)) continue;
        found.add(other);
        next.push(other);
      }
    }
    front = next;
  }
  return found;
}

export const ancestors = (graph: Graph, start: readonly number[], steps: number): Set<number> =>
  reached(start, (position) => graph.inputsOf(position), steps);

export const descendants = (graph: Graph, start: readonly number[], steps: number): Set<number> =>
  reached(start, (position) => graph.usersOf(position), steps);

/** Every node on a path from one set to the other, in either direction. */
export function between(graph: Graph, a: readonly number[], b: readonly number[]): Set<number> {
  const all = Number.POSITIVE_INFINITY;
  const forward = common(descendants(graph, a, all), ancestors(graph, b, all));
  return forward.size ? forward : common(descendants(graph, b, all), ancestors(graph, a, all));
}

const common = (a: ReadonlySet<number>, b: ReadonlySet<number>): Set<number> =>
  new Set([...a].filter((each) => b.has(each)));
