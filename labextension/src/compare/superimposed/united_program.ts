/**
 * Two programs as one: all of b, and what only a has at its position. Returns a comparison of a with the
 * result, so that all facts about nodes and modules apply to it; removed nodes are included.
 */
import { NONE, type PageSkeleton, Snapshot } from "../../snapshot";
import { Changes, type Side } from "../model/changes";
import type { Comparison } from "../model/schema";
import { pairGraphs } from "./graph_pairs";
import { columnsOf, type NodeColumns, type UnitedScopes, uniteScopes } from "./node_columns";
import { uniteGraphs } from "./united_graph";

/** A node of one of the two programs. */
export interface Origin {
  readonly side: Side;
  readonly node: number;
}

export class UnitedProgram {
  /** From a to both: a removed node is on both sides. */
  readonly changes: Changes;
  private readonly origins: readonly Origin[];

  constructor(changes: Changes) {
    const united = unite(changes);
    this.origins = united.origins;
    const snapshots = [changes.snapshots[0], united.snapshot] as const;
    this.changes = new Changes(withUnited(changes, united), snapshots);
  }

  get snapshot(): Snapshot {
    return this.changes.snapshots[1];
  }

  /** The node that a node of the united program represents. */
  originOf(node: number): Origin | undefined {
    return this.origins[node];
  }

  isGhost(node: number): boolean {
    return this.origins[node]?.side === 0;
  }
}

interface United {
  readonly snapshot: Snapshot;
  readonly origins: readonly Origin[];
  readonly scopes: UnitedScopes;
  /** By node of b, and by removed node of a: the node of the united program. */
  readonly ofSide: readonly [Int32Array, Int32Array];
}

function unite(changes: Changes): United {
  const [a, b] = changes.snapshots;
  const pairs = pairGraphs(changes);
  const sheets: NodeColumns[] = b.graphs.map((graph, number) => ({
    graphs: [a.graphs[pairs.indexOf(number)], graph],
    parent: graph.columns.parent,
  }));
  const unitedGraphOf = Array.from(pairs);
  a.graphs.forEach((graph, number) => {
    if (pairs[number] !== NONE) return;
    const parent = unitedGraphOf[graph.columns.parent] ?? NONE;
    unitedGraphOf[number] = sheets.push({ graphs: [graph, undefined], parent }) - 1;
  });
  const scopes = uniteScopes(changes);
  const origins: Origin[] = [];
  const ofSide = [new Int32Array(a.nodeCount).fill(NONE), new Int32Array(b.nodeCount).fill(NONE)] as const;
  const columns = sheets.map((sheet) => {
    const united = uniteGraphs(changes, sheet.graphs);
    for (const { side, position } of united.nodes) {
      const node = (sheet.graphs[side]?.base ?? 0) + position;
      ofSide[side][node] = origins.push({ side, node }) - 1;
    }
    return columnsOf(changes, sheet, united, { scopes, unitedGraphOf });
  });
  const skeleton: PageSkeleton = {
    ...b.skeleton,
    graphs: columns,
    scopes: scopes.scopes,
    targets: [...b.skeleton.targets, ...a.skeleton.targets],
    values: [...b.skeleton.values, ...a.skeleton.values],
  };
  return { snapshot: new Snapshot(skeleton, noDetail), origins, scopes, ofSide };
}

/** Details of a node come from the program that it belongs to. */
const noDetail = (): Promise<never> =>
  Promise.reject(new Error("A superimposed graph has no details of its own: ask the program of the node."));

/** The comparison with the united program in place of b. */
function withUnited(changes: Changes, { scopes, ofSide }: United): Comparison {
  const { matches, modules = [] } = changes.comparison;
  const groups = matches.kinds.map((_, match) => {
    const side = changes.kind(match) === "removed" ? 0 : 1;
    return changes.nodes(match, side).map((node) => ofSide[side][node] ?? NONE);
  });
  return {
    ...changes.comparison,
    matches: { ...matches, b_counts: groups.map((each) => each.length), b_nodes: groups.flat() },
    modules: modules.map((each) =>
      each.b === NONE && each.a !== NONE ? { ...each, b: scopes.ofA[each.a] ?? NONE } : each,
    ),
  };
}
