/**
 * Which nodes hold graphs: a control-flow op (through the get_attr nodes of its branches) or a delegate call.
 *
 * Returns, for one graph, the graphs that each holder shows inside it and the get_attr nodes that it
 * replaces. A graph of two nodes is shown in the first.
 */
import type { Graph } from "../snapshot";

export interface Holders {
  /** By position of the holder: numbers of its graphs, in the order of its arguments. */
  readonly graphs: ReadonlyMap<number, readonly number[]>;
  /** get_attr positions that are not drawn: the node that uses them shows their graph. */
  readonly swallowed: ReadonlySet<number>;
}

export function holders(graph: Graph, shown: ReadonlySet<number>): Holders {
  const graphs = new Map<number, number[]>();
  const swallowed = new Set<number>();
  const inlined = new Set<number>();
  for (const { node, graph: inner } of graph.columns.subgraphs ?? []) {
    const user = graph.op(node) === "get_attr" ? graph.usersOf(node)[0] : undefined;
    if (user !== undefined) swallowed.add(node);
    if (shown.has(inner) || inlined.has(inner)) continue;
    inlined.add(inner);
    const holder = user ?? node;
    graphs.set(holder, [...(graphs.get(holder) ?? []), inner]);
  }
  return { graphs, swallowed };
}
