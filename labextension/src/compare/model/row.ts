/** Columns from left to right, each compared with the one at its left: the counterparts in all of them. */
import type { Explorer } from "../../explorer";
import type { Changes, Side } from "./changes";
import { Pair } from "./pair";
import type { Tally } from "./tally";

/** By column, the counterparts of something: nodes, or items. */
export type ByColumn = readonly (readonly number[])[];

export class Row {
  readonly pairs: readonly Pair[];

  /** `changes`: from each column to the next; one fewer than there are columns. */
  constructor(
    readonly explorers: readonly Explorer[],
    changes: readonly Changes[],
  ) {
    this.pairs = changes.map((each, at) => {
      const [left, right] = explorers.slice(at, at + 2);
      if (!left || !right) throw new Error("There are more comparisons than pairs of columns.");
      return new Pair(at, each, [left, right]);
    });
    if (this.pairs.length !== explorers.length - 1 || explorers.length < 2)
      throw new Error(`${explorers.length} columns have ${this.pairs.length} comparisons between them.`);
    for (const column of this.columns) {
      this.explorer(column).splitsRun = (picture, item, next) =>
        picture === this.explorer(column).picture && this.splitsRun(column, item, next);
    }
  }

  get columns(): readonly number[] {
    return this.explorers.map((_, column) => column);
  }

  explorer(column: number): Explorer {
    return there(this.explorers[column], column);
  }

  pair(at: number): Pair {
    return there(this.pairs[at], at);
  }

  /** The title of a column's program. */
  title(column: number): string {
    const right = this.pairs[column - 1];
    return right ? right.changes.comparison.b : this.pair(0).changes.comparison.a;
  }

  /** The pair that colours a column: with the column at its left; for the first, with the next. */
  colorPair(column: number): { readonly pair: Pair; readonly side: Side } {
    return column === 0 ? { pair: this.pair(0), side: 0 } : { pair: this.pair(column - 1), side: 1 };
  }

  /** The changes since the column at the left; for the first, until the next. */
  tally(column: number): Tally {
    const { pair, side } = this.colorPair(column);
    return pair.tally(side);
  }

  /** The changes until the column at the right, if the colours show others. */
  nextTally(column: number): Tally | undefined {
    return column === 0 ? undefined : this.pairs[column]?.tally(0);
  }

  /** Whether only one of two identical boxes has changes: then they are in separate runs. */
  private splitsRun(column: number, item: number, other: number): boolean {
    const tallies = [this.tally(column), this.nextTally(column)];
    return tallies.some((tally) => tally?.splitsRun(item, other));
  }

  /** The counterparts of a column's nodes in each column, followed from neighbour to neighbour. */
  nodes(column: number, nodes: readonly number[]): ByColumn {
    return this.spread(column, nodes, (pair, side, here) => pair.across(side, here));
  }

  /** The counterparts of a column's boxes in each column, one to one. */
  counterparts(column: number, items: readonly number[]): ByColumn {
    return this.spread(column, items, (pair, side, here) =>
      here.map((item) => pair.counterparts.of(side, item)).filter((item) => item >= 0),
    );
  }

  /** The counterparts of a column's boxes in each column: for a module all of its boxes. */
  boxes(column: number, items: readonly number[]): ByColumn {
    return this.spread(column, items, (pair, side, here) => pair.counterparts.all(side, here));
  }

  /** The counterpart of a box in another column; -1 if there is none. */
  counterpart(column: number, item: number, to: number): number {
    const by = to > column ? 1 : -1;
    let here = item;
    for (let at = column; at !== to && here >= 0; at += by)
      here = this.pair(by > 0 ? at : at - 1).counterparts.of(by > 0 ? 0 : 1, here);
    return here;
  }

  /** The matches of a pair that contain nodes of its columns. */
  matches(pair: Pair, nodes: ByColumn): number[] {
    const left = pair.matchesOf(0, nodes[pair.at] ?? []);
    const right = pair.matchesOf(1, nodes[pair.at + 1] ?? []);
    return [...new Set([...left, ...right])];
  }

  /** Whether a box and all its content are unchanged in all columns. */
  isSame(column: number, item: number): boolean {
    const towards = (by: 1 | -1): boolean => {
      for (let at = column, here = item; ; at += by) {
        const pair = this.pairs[by > 0 ? at : at - 1];
        if (!pair) return true;
        const side: Side = by > 0 ? 0 : 1;
        if (!isSameOn(pair, side, here)) return false;
        here = pair.counterparts.of(side, here);
        if (here < 0) return false;
      }
    };
    return towards(1) && towards(-1);
  }

  /** The columns other than this one, the nearest first, each with its predecessor on the way. */
  outward(column: number): { readonly from: number; readonly to: number }[] {
    const right = this.columns.slice(column + 1).map((to) => ({ from: to - 1, to }));
    const left = this.columns.slice(0, column).map((to) => ({ from: to + 1, to }));
    return [...right, ...left.reverse()];
  }

  /** The pair of two neighbours, and the side of it that the first one is. */
  between(from: number, to: number): { readonly pair: Pair; readonly side: Side } {
    return { pair: this.pair(Math.min(from, to)), side: from < to ? 0 : 1 };
  }

  private spread(
    column: number,
    first: readonly number[],
    step: (pair: Pair, side: Side, here: readonly number[]) => readonly number[],
  ): ByColumn {
    const found: (readonly number[])[] = this.explorers.map(() => []);
    found[column] = first;
    for (const { from, to } of this.outward(column)) {
      const { pair, side } = this.between(from, to);
      found[to] = [...new Set(step(pair, side, found[from] ?? []))];
    }
    return found;
  }
}

function there<T>(found: T | undefined, at: number): T {
  if (found === undefined) throw new Error(`There is no column ${at}.`);
  return found;
}

function isSameOn(pair: Pair, side: Side, item: number): boolean {
  const { picture } = pair.explorers[side];
  const tally = pair.tally(side);
  return picture.isGroup(item) ? tally.changesIn(item) === 0 : tally.kind(item) === "same";
}
