/**
 * Where the picture puts nodes, as Python derived it: the module call of each, the op that each is a part of,
 * and how delegates are connected. A Snapshot without this has only what its nodes name themselves.
 */
import type { Graph } from "./graph";
import { type DelegateCall, NONE, type Placement, type ScopeNumber } from "./schema";

export class GraphPlacement {
  /** By position: the number of the innermost module call. */
  readonly owners: readonly ScopeNumber[];
  /** By position: the op that a node is a part of. */
  readonly into: ReadonlyMap<number, number>;
  /** Nodes that the output names only to write them back. */
  readonly written: ReadonlySet<number>;
  /** By position of the call. */
  readonly delegates: ReadonlyMap<number, DelegateCall>;
  /** By number of a node: its position in the order before lowering; empty if the graph has that order. */
  readonly ranks: ReadonlyMap<number, number>;
  private readonly inferred: ReadonlySet<number>;

  constructor(graph: Graph, placement: Placement = {}) {
    const {
      inferred = [],
      owners = [],
      folded = [],
      into = [],
      written = [],
      delegates = [],
      order = [],
    } = placement;
    const found = inferred.length ? [...graph.columns.scopes] : graph.columns.scopes;
    inferred.forEach((position, i) => {
      (found as ScopeNumber[])[position] = owners[i] ?? NONE;
    });
    this.owners = found;
    this.inferred = new Set(inferred);
    this.into = new Map(folded.map((position, i) => [position, into[i] ?? position]));
    this.written = new Set(written);
    this.ranks = new Map(order.map((node, rank) => [node, rank]));
    this.delegates = new Map(delegates.map((call) => [call.call, call]));
  }

  /** Whether a node's module is inferred, not recorded. */
  isInferred(position: number): boolean {
    return this.inferred.has(position);
  }
}
