/**
 * A Profile for the views: the record joined with the Snapshot whose nodes it names. Times are nanoseconds of
 * one run, as in the record. Immutable.
 */
import type { Snapshot } from "../snapshot";
import { type Span, spanOf } from "./noise";
import { BASES, type Columns, type Conditions, type ProfileRecord, UNKNOWN } from "./schema";

export type Basis = (typeof BASES)[number];

/** Columns with one number per node. */
export type Column = Exclude<keyof Columns, "nodes" | "basis">;

export class Profile {
  /** By row: the number of the node; -1 if the Snapshot does not have it. */
  readonly nodes: Int32Array;
  /** What shares are relative to: the whole run; if none was completed, the measured part. */
  readonly whole: number;
  /** The time outside nodes; 0 if unknown. */
  readonly overhead: number;
  private readonly rows = new Map<number, number>();

  constructor(
    readonly record: ProfileRecord,
    readonly snapshot: Snapshot,
  ) {
    this.nodes = numbersOf(record.columns.nodes, snapshot);
    this.nodes.forEach((node, row) => {
      if (node >= 0) this.rows.set(node, row);
    });
    this.overhead = record.overhead?.time ?? 0;
    const inNodes = record.columns.time.reduce((sum, time) => sum + Math.max(0, time), 0);
    this.whole = record.whole?.time ?? inNodes + this.overhead;
  }

  get conditions(): Conditions {
    return this.record.conditions;
  }

  get count(): number {
    return this.nodes.length;
  }

  row(node: number): number | undefined {
    return this.rows.get(node);
  }

  /** Undefined if unknown. */
  at(column: Column, row: number): number | undefined {
    const value = this.record.columns[column][row];
    return value === undefined || value === UNKNOWN ? undefined : value;
  }

  /** For a node; undefined if unknown. */
  of(column: Column, node: number): number | undefined {
    const row = this.rows.get(node);
    return row === undefined ? undefined : this.at(column, row);
  }

  basis(row: number): Basis {
    return BASES[this.record.columns.basis[row] ?? 0] ?? "measured";
  }

  /** A time with its spread. */
  span(row: number): Span {
    const [time = 0, p25, p75, n = 0] = (["time", "p25", "p75", "n"] as const).map((each) =>
      this.at(each, row),
    );
    return spanOf({ time, p25, p75, n });
  }

  /** How the times of its nodes were obtained. */
  get bases(): readonly Basis[] {
    return BASES.filter((_, i) =>
      this.record.columns.basis.some((basis, row) => basis === i && this.at("time", row) !== undefined),
    );
  }

  /**
   * Whether the overhead contains ops that were not timed separately, because the runtime times only
   * delegates.
   */
  get hasRest(): boolean {
    return this.conditions.executor === "executorch";
  }

  share(time: number): number {
    return this.whole > 0 ? time / this.whole : 0;
  }
}

/** Node names in the whole Snapshot → their numbers. */
function numbersOf(names: readonly string[], snapshot: Snapshot): Int32Array {
  const graphs = new Map(snapshot.graphs.map((graph) => [graph.path, graph]));
  return Int32Array.from(names, (name) => {
    const slash = name.lastIndexOf("/");
    const graph = graphs.get(name.slice(0, slash));
    const position = graph?.position(name.slice(slash + 1));
    return graph && position !== undefined ? graph.base + position : -1;
  });
}
