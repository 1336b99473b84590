/**
 * The items of a picture, numbered as in the layout. Leaves are nodes; groups are modules, nodes that hold
 * graphs, those graphs, and inserted groups.
 */
export const ItemKind = { Node: 0, Module: 1, Holder: 2, Graph: 3, Ours: 4 } as const;

/** A growing table of items in the order of their creation. */
export class Items {
  readonly kind: number[] = [];
  /** Node number; scope number; node number of the holder; graph number; number of the inserted group. */
  readonly ref: number[] = [];
  readonly parent: number[] = [];
  /** The graph of the item. */
  readonly graph: number[] = [];

  add(kind: number, ref: number, parent: number, graph: number): number {
    this.kind.push(kind);
    this.ref.push(ref);
    this.graph.push(graph);
    return this.parent.push(parent) - 1;
  }

  get length(): number {
    return this.kind.length;
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
