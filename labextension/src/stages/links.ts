/** The lineage between a stage and its parent, in both directions. Nodes are numbers of either Snapshot. */
import { type Csr, groupBy } from "../layout/csr";
import type { Evidence, Lineage } from "./schema";

export interface Link {
  readonly node: number;
  readonly evidence: Evidence;
}

export class Links {
  private readonly up: Csr;
  private readonly down: Csr;
  private readonly reasons: ReadonlyMap<number, string>;

  constructor(private readonly lineage: Lineage) {
    const { nodes = [], ancestors = [], orphans = [] } = lineage;
    this.up = groupBy(most(nodes) + 1, nodes);
    this.down = groupBy(most(ancestors) + 1, ancestors);
    this.reasons = new Map(orphans.map(({ node, reason }) => [node, reason]));
  }

  /** The ancestors, in the parent, of a node of the stage. */
  ancestors(node: number): Link[] {
    return this.read(this.up, node, this.lineage.ancestors);
  }

  /** The descendants, in the stage, of a node of the parent. */
  descendants(node: number): Link[] {
    return this.read(this.down, node, this.lineage.nodes);
  }

  /** The same without evidence, for use with all nodes. */
  numbers(node: number, way: "up" | "down"): number[] {
    const { start, item } = this[way];
    const others = (way === "up" ? this.lineage.ancestors : this.lineage.nodes) ?? [];
    const found: number[] = [];
    for (let i = start[node] ?? 0; i < (start[node + 1] ?? 0); i++) found.push(others[item[i] ?? 0] ?? 0);
    return found;
  }

  /** Why a node without an ancestor exists; undefined if unknown. */
  reason(node: number): string | undefined {
    return this.reasons.get(node);
  }

  private read({ start, item }: Csr, node: number, others: readonly number[] = []): Link[] {
    const { evidence = [], kinds = [] } = this.lineage;
    return Array.from(item.subarray(start[node] ?? 0, start[node + 1] ?? 0), (at) => ({
      node: others[at] ?? 0,
      evidence: kinds[evidence[at] ?? 0] ?? "name",
    }));
  }
}

function most(numbers: readonly number[]): number {
  let found = -1;
  for (const each of numbers) if (each > found) found = each;
  return found;
}
