/** The columns of one graph of both programs, from its merged nodes. Pure. */

import { stateLetter } from "../../picture";
import {
  type Graph,
  type GraphColumns,
  type InputSpec,
  NONE,
  type Scope,
  type Signature,
} from "../../snapshot";
import type { Changes, Side } from "../model/changes";
import { isChange, signOf } from "../view/change_colors";
import type { SidedNode, UnitedGraph } from "./united_graph";

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
    const scope = graph ? changes.snapshots[side].ownerOf(graph.base + position) : NONE;
    return side === 0 && scope !== NONE ? (scopes.ofA[scope] ?? NONE) : scope;
  };
  const names = namesOf(nodes, graphs);
  const subgraphs = ([1, 0] as const).flatMap((side) =>
    (graphs[side]?.columns.subgraphs ?? []).flatMap(({ node, graph }) => {
      const inner = side === 1 ? graph : (unitedGraphOf[graph] ?? NONE);
      // A graph that b has too is already there.
      const isMatched = side === 0 && inner < changes.snapshots[1].graphs.length;
      const place = placeOf(side, node);
      return isMatched || place === NONE ? [] : [{ node: place, graph: inner }];
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

/**
 * Specs in the order of the placeholders; a removed one has its name in the united graph. A chip has no
 * outline of its own, so the sign of changed state is part of its name: "−W 64×64".
 */
function uniteSignatures(
  changes: Changes,
  graphs: readonly [Graph | undefined, Graph | undefined],
  nodes: readonly SidedNode[],
  names: readonly string[],
): { readonly signature?: Signature } {
  const inputs = nodes.flatMap(({ side, position }, i): InputSpec[] => {
    const graph = graphs[side];
    if (graph?.op(position) !== "placeholder") return [];
    const spec = changes.snapshots[side].inputSpec(graph.base + position);
    return spec ? [signed(changes, side, graph.base + position, renamed(spec, names[i] ?? ""))] : [];
  });
  const outputs = graphs[1]?.columns.signature?.outputs;
  const signature = { ...(inputs.length && { inputs }), ...(outputs && { outputs }) };
  return Object.keys(signature).length ? { signature } : {};
}

const renamed = (spec: InputSpec, name: string): InputSpec => ({ ...spec, arg: { ...spec.arg, name } });

function signed(changes: Changes, side: Side, node: number, spec: InputSpec): InputSpec {
  const kind = changes.kindOf(side, node);
  if (!spec.target || !isChange(kind)) return spec;
  const path = spec.target.slice(0, spec.target.lastIndexOf(".") + 1);
  return { ...spec, target: `${path}${signOf(kind)}${stateLetter(spec.target)}` };
}

/** The modules of both programs as one list: b's with their numbers, then those that only a calls. */
export interface UnitedScopes {
  readonly scopes: readonly Scope[];
  /** By scope of a: its number in the list. */
  readonly ofA: Int32Array;
}

export function uniteScopes(changes: Changes): UnitedScopes {
  const [a, b] = changes.snapshots;
  const scopes: Scope[] = [...b.scopes];
  const ofA = new Int32Array(a.scopes.length).fill(NONE);
  const known = new Map(b.scopes.map((scope, number) => [keyOf(scope), number]));
  // The parent of a scope comes before it.
  a.scopes.forEach((scope, number) => {
    const paired = changes.module(0, number)?.b ?? NONE;
    const counterpart = paired !== NONE ? paired : known.get(keyOf(scope));
    const parent = scope.parent === NONE ? NONE : (ofA[scope.parent] ?? NONE);
    ofA[number] = counterpart ?? scopes.push({ ...scope, parent }) - 1;
  });
  return { scopes, ofA };
}

const keyOf = ({ path, call = 0 }: Scope): string => `${call} ${path}`;
