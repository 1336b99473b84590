/**
 * Which graphs of a and b correspond: those of paired methods, and those that matched nodes hold, in their
 * order. Pure.
 */
import { NONE, type Snapshot } from "../../snapshot";
import type { Changes } from "./changes";

/** By index of a's graphs: b's, or NONE. Holders come before what they hold. */
export function pairGraphs(changes: Changes): Int32Array {
  const [a, b] = changes.snapshots;
  const found = new Int32Array(a.graphs.length).fill(NONE);
  for (const names of changes.comparison.methods ?? []) {
    const [before, after] = [methodGraph(a, names.a), methodGraph(b, names.b)];
    if (before !== NONE && after !== NONE) found[before] = after;
  }
  if (!changes.comparison.methods?.length) found[0] = 0;
  for (const graph of a.graphs) {
    graph.columns.subgraphs?.forEach(({ node, graph: inner }) => {
      const nth = graph.subgraphsOf(node).indexOf(inner);
      found[inner] = subgraphsOfCounterpart(changes, graph.base + node)[nth] ?? NONE;
    });
  }
  return found;
}

const methodGraph = ({ methods }: Snapshot, name: string): number =>
  methods.find((each) => each.name === name)?.graph ?? NONE;

/** The graphs in the counterparts of a node of a. */
function subgraphsOfCounterpart(changes: Changes, node: number): number[] {
  const [, b] = changes.snapshots;
  const match = changes.of(0, node);
  if (match === NONE) return [];
  return changes.nodes(match, 1).flatMap((counterpart) => {
    const { graph, position } = b.locate(counterpart);
    return graph.subgraphsOf(position);
  });
}
