/**
 * The corresponding boxes of two graphs, one to one if both are alike. A module that a side draws in several
 * graphs has a box in each of them.
 */
import type { Picture } from "../../picture";
import { NONE } from "../../snapshot";
import { type Counterparts as BoxPairs, counterparts as pairBoxes } from "../../stages";
import { type Changes, otherSide, type Side } from "./changes";
import { pairGraphs } from "./graph_pairs";

export class Counterparts {
  private readonly pairs: BoxPairs;
  /** By index of a's graphs, b's. */
  private readonly graphs: Int32Array;

  constructor(
    private readonly changes: Changes,
    readonly pictures: readonly [Picture, Picture],
  ) {
    this.graphs = pairGraphs(changes);
    this.pairs = pairBoxes(...pictures, nodeCounterparts(changes), (item) => this.wasIn(item));
  }

  /**
   * The other side's box; -1 if there is none. Of several boxes of a module, the one in the corresponding
   * graph.
   */
  of(side: Side, item: number): number {
    const scope = this.scopeLike(side, item);
    if (scope === undefined) return (side === 0 ? this.pairs.after : this.pairs.before)[item] ?? -1;
    const there = this.pictures[otherSide(side)];
    const graph = this.pictures[side].graphAround(item).number;
    const isCounterpart = (each: number): boolean => {
      const other = there.graphAround(each).number;
      return side === 0 ? this.graphs[graph] === other : this.graphs[other] === graph;
    };
    return there.moduleItems(scope).find(isCounterpart) ?? there.firstModule(scope) ?? -1;
  }

  /** The other side's boxes without repeats: for a module all of its boxes. */
  all(side: Side, items: readonly number[]): number[] {
    const there = this.pictures[otherSide(side)];
    const scopes = new Set<number>();
    const found: number[] = [];
    for (const item of items) {
      const scope = this.scopeLike(side, item);
      if (scope === undefined) found.push(this.of(side, item));
      else if (!scopes.has(scope)) found.push(...there.moduleItems(scope));
      if (scope !== undefined) scopes.add(scope);
    }
    return [...new Set(found.filter((item) => item >= 0))];
  }

  /** The other side's scope of a module in the comparison; NONE if it has none. */
  private scopeLike(side: Side, item: number): number | undefined {
    const scope = this.pictures[side].scopeOf(item);
    const change = scope === NONE ? undefined : this.changes.module(side, scope);
    return change && (side === 0 ? change.b : change.a);
  }

  /**
   * The item of a that corresponds to a module or graph of b, as the comparison says. Names count only if it
   * says nothing about either.
   */
  private wasIn(item: number): number | undefined {
    const [a, b] = this.pictures;
    const graph = b.graphOf(item);
    if (graph) return a.graphItem(this.graphs.indexOf(graph.number));
    if (this.scopeLike(1, item) !== undefined) return this.of(1, item);
    const namesake = a.itemAt(b.words.key(item));
    return namesake === undefined || this.scopeLike(0, namesake) !== undefined ? undefined : namesake;
  }
}

/** By node of b, a node of a: for a group the last ones, which produce its result. */
function nodeCounterparts(changes: Changes): Int32Array {
  const counterparts = new Int32Array(changes.snapshots[1].nodeCount).fill(NONE);
  for (let match = 0; match < changes.count; match++) {
    const a = changes.nodes(match, 0).at(-1);
    const b = changes.nodes(match, 1).at(-1);
    if (a !== undefined && b !== undefined) counterparts[b] = a;
  }
  return counterparts;
}
