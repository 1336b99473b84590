/** The columns of one graph of both programs, from its merged nodes. Pure. */
import { type Graph, type GraphColumns, NONE } from "../../snapshot";
import type { Changes } from "../model/changes";
import type { SidedNode, UnitedGraph } from "./united_graph";
import type { UnitedScopes } from "./united_modules";
import { uniteSignatures } from "./united_signatures";

/** One graph of both. */
export interface NodeColumns {
  readonly graphs: readonly [Graph | undefined, Graph | undefined];
  readonly parent: number;
}

interface Numbering {
  readonly scopes: UnitedScopes;
  /** By graph of a: the merged graph. */
  readonly unitedGraphOf: readonly number[];
}

export function columnsOf(
  changes: Changes,
  { graphs, parent }: NodeColumns,
  { nodes, inputs, placeOf }: UnitedGraph,
  { scopes, unitedGraphOf }: Numbering,
): GraphColumns {
  const [a, b] = graphs;
  const shape = b ?? a;
  if (!shape) throw new Error("A graph of neither program.");
  const { targets, values } = changes.snapshots[1].skeleton;
  const column = (name: "ops" | "targets" | "values", offset = 0): number[] =>
    nodes.map(({ side, position }) => {
      const number = graphs[side]?.columns[name][position] ?? NONE;
      return side === 0 && number !== NONE ? number + offset : number;
    });
  const scopeOf = ({ side, position }: SidedNode): number => {
    const graph = graphs[side];
    const scope = graph ? changes.snapshots[side].homeOf(graph.base + position) : NONE;
    return side === 0 && scope !== NONE ? (scopes.ofA[scope] ?? NONE) : scope;
  };
  const names = namesOf(nodes, graphs);
  const subgraphs = ([1, 0] as const).flatMap((side) =>
    (graphs[side]?.columns.subgraphs ?? []).flatMap(({ node, graph }) => {
      const inner = side === 1 ? graph : (unitedGraphOf[graph] ?? NONE);
      // A graph that b has too is already there.
      const isKnown = side === 0 && inner < changes.snapshots[1].graphs.length;
      const place = placeOf(side, node);
      return isKnown || place === NONE ? [] : [{ node: place, graph: inner }];
    }),
  );
  return {
    name: shape.columns.name,
    type: shape.columns.type,
    parent,
    names,
    ops: column("ops"),
    targets: column("targets", targets.length),
    values: column("values", values.length),
    scopes: nodes.map(scopeOf),
    arity: inputs.map((each) => each.length),
    inputs: inputs.flatMap((each, i) => each.map((from) => i - from)),
    ...(subgraphs.length && { subgraphs }),
    ...uniteSignatures(changes, graphs, nodes, names),
    ...(shape.columns.delegate && { delegate: shape.columns.delegate }),
  };
}

/** Nodes of b keep their names; nodes that only a has keep theirs unless b uses the name. */
function namesOf(nodes: readonly SidedNode[], [a, b]: NodeColumns["graphs"]): string[] {
  const taken = new Set(b?.columns.names);
  return nodes.map(({ side, position }) => {
    if (side === 1) return b?.name(position) ?? "";
    let name = a?.name(position) ?? "";
    while (taken.has(name)) name += " (before)";
    taken.add(name);
    return name;
  });
}
