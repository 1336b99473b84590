/** Builds a `Tree` item by item, with box sizes from labels. */

import { indexTree, shapes, type Tree } from "../../src/layout";

export class TreeBuilder {
  readonly labels: string[] = [];
  private readonly parents: number[] = [];
  private readonly groups: number[] = [];
  private readonly edges: [number, number][] = [];

  leaf(parent: number, label: string): number {
    return this.item(parent, label, 0);
  }

  group(parent: number, label: string): number {
    return this.item(parent, label, 1);
  }

  edge(source: number, target: number): void {
    this.edges.push([source, target]);
  }

  /** The innermost group with all of these items; -1 for the top. */
  commonGroup(of: readonly number[]): number {
    const chain = (g: number): number[] => (g === -1 ? [] : [...chain(this.parents[g] ?? -1), g]);
    const [first = [], ...rest] = of.map(chain);
    let k = 0;
    while (k < first.length && rest.every((c) => c[k] === first[k])) k++;
    return first[k - 1] ?? -1;
  }

  tree(): Tree {
    const n = this.parents.length;
    const edgeStart = new Int32Array(n + 1);
    for (const [s] of this.edges) edgeStart[s + 1] = (edgeStart[s + 1] ?? 0) + 1;
    for (let i = 0; i < n; i++) edgeStart[i + 1] = (edgeStart[i + 1] ?? 0) + (edgeStart[i] ?? 0);
    const sorted = this.edges.map((e, i) => ({ e, i })).sort((a, b) => a.e[0] - b.e[0] || a.i - b.i);
    const tree = {
      parent: Int32Array.from(this.parents),
      isGroup: Uint8Array.from(this.groups),
      width: Float64Array.from(this.labels, (l, i) =>
        this.groups[i] ? Math.max(200, l.length * 7 + 60) : Math.max(96, l.length * 7 + 24),
      ),
      height: new Float64Array(n).fill(38),
      shape: new Int32Array(n),
      edgeStart,
      edgeTarget: Int32Array.from(sorted, ({ e }) => e[1]),
    };
    const kinds = new Map<string, number>();
    const kind = this.labels.map((l, i) => {
      const key = this.groups[i] ? `${l.split(" ").pop()}` : l;
      if (!kinds.has(key)) kinds.set(key, kinds.size + 1);
      return kinds.get(key) ?? 0;
    });
    return { ...tree, shape: shapes(indexTree(tree), kind) };
  }

  private item(parent: number, label: string, group: number): number {
    this.parents.push(parent);
    this.groups.push(group);
    return this.labels.push(label) - 1;
  }
}
