/**
 * The items of a picture, numbered as in the layout. Leaves are nodes; groups are modules, nodes that hold
 * graphs, those graphs, and inserted groups.
 */
import { type GraphNumber, NONE, type NodeNumber, type ScopeNumber } from "../snapshot";

export const ItemKind = { Node: 0, Module: 1, Holder: 2, Graph: 3, Ours: 4 } as const;

/** A growing table of items in the order of their creation. */
export class Items {
  readonly kind: number[] = [];
  /** Node number; scope number; node number of the holder; graph number; number of the inserted group. */
  readonly ref: number[] = [];
  readonly parent: number[] = [];
  /** The graph of the item. */
  readonly graph: number[] = [];

  add(kind: typeof ItemKind.Module, ref: ScopeNumber, parent: number, graph: GraphNumber): number;
  add(kind: typeof ItemKind.Graph, ref: GraphNumber, parent: number, graph: GraphNumber): number;
  add(
    kind: typeof ItemKind.Node | typeof ItemKind.Holder,
    ref: NodeNumber,
    parent: number,
    graph: GraphNumber,
  ): number;
  add(kind: typeof ItemKind.Ours, ref: number, parent: number, graph: GraphNumber): number;
  add(kind: number, ref: number, parent: number, graph: GraphNumber): number {
    this.kind.push(kind);
    this.ref.push(ref);
    this.graph.push(graph);
    return this.parent.push(parent) - 1;
  }

  get length(): number {
    return this.kind.length;
  }
}

/** What each item represents, read by its kind: what its number counts depends on that. */
export class ItemRefs {
  constructor(
    private readonly kind: ArrayLike<number>,
    private readonly ref: ArrayLike<number>,
  ) {}

  /** The node of a leaf, or of an op that holds graphs; NONE for others. */
  node(item: number): NodeNumber {
    return this.kind[item] === ItemKind.Holder
      ? (this.ref[item] ?? NONE)
      : this.numberOf(item, ItemKind.Node);
  }

  /** The scope of a module; NONE for others. */
  scope(item: number): ScopeNumber {
    return this.numberOf(item, ItemKind.Module);
  }

  /** The graph of a branch, a loop body or a delegate in an op that holds it; NONE for others. */
  graph(item: number): GraphNumber {
    return this.numberOf(item, ItemKind.Graph);
  }

  /** The number of an inserted group; NONE for others. */
  group(item: number): number {
    return this.numberOf(item, ItemKind.Ours);
  }

  /** Items of a kind by what they represent. */
  itemsBy(kind: number): Map<number, number[]> {
    const found = new Map<number, number[]>();
    for (let item = 0; item < this.kind.length; item++) {
      if (this.kind[item] !== kind) continue;
      const number = this.ref[item] ?? NONE;
      const items = found.get(number);
      if (items) items.push(item);
      else found.set(number, [item]);
    }
    return found;
  }

  private numberOf(item: number, kind: number): number {
    return this.kind[item] === kind ? (this.ref[item] ?? NONE) : NONE;
  }
}

/** Edges leaf → leaf, added in any order and then sorted by source. */
export class Edges {
  private readonly from: number[] = [];
  private readonly to: number[] = [];

  add(from: number, to: number): void {
    this.from.push(from);
    this.to.push(to);
  }

  /** Each pair once; targets of one source in ascending order of their leaves. */
  bySource(items: number): { edgeStart: Int32Array; edgeTarget: Int32Array } {
    const edgeStart = new Int32Array(items + 1);
    for (const from of this.from) edgeStart[from + 1] = (edgeStart[from + 1] ?? 0) + 1;
    for (let i = 0; i < items; i++) edgeStart[i + 1] = (edgeStart[i + 1] ?? 0) + (edgeStart[i] ?? 0);
    const edgeTarget = new Int32Array(this.to.length);
    const next = edgeStart.slice();
    this.from.forEach((from, e) => {
      const at = next[from] ?? 0;
      edgeTarget[at] = this.to[e] ?? 0;
      next[from] = at + 1;
    });
    return { edgeStart, edgeTarget };
  }
}
