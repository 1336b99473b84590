/** Where the values of two programs diverge, by match and by node. Immutable. */
import type { Side } from "../model/changes";
import type { NumberRow, Producer, ValuesRecord } from "./schema";

/** How many are listed. With retrained weights all diverge, so a longer list would not help. */
const MOST_LISTED = 9;

export class ValueDiff {
  private readonly byMatch = new Map<number, NumberRow[]>();
  private readonly byNode: readonly [Map<number, NumberRow>, Map<number, NumberRow>] = [new Map(), new Map()];
  private readonly reasonOf: ReadonlyMap<number, string>;
  /** Pairs that diverge while their inputs do not. */
  readonly origins: readonly NumberRow[];
  /** The origins after the first, as many as can be listed. */
  readonly others: readonly NumberRow[];
  readonly diverged: readonly NumberRow[];
  /** Why matches were not compared, with the count, the most frequent first. */
  readonly left: readonly (readonly [why: string, count: number])[];

  constructor(readonly record: ValuesRecord) {
    for (const row of record.rows) {
      this.byMatch.set(row.match, [...(this.byMatch.get(row.match) ?? []), row]);
      this.byNode[0].set(row.a, worse(row, this.byNode[0].get(row.a)));
      this.byNode[1].set(row.b, worse(row, this.byNode[1].get(row.b)));
    }
    this.diverged = record.rows.filter(({ numbers }) => numbers.diverged);
    this.origins = record.rows.filter(({ origin }) => origin);
    this.others = this.origins.filter((row) => row !== this.first).slice(0, MOST_LISTED);
    const { uncompared = [], reasons = [] } = record;
    this.reasonOf = new Map(uncompared.map(({ match, reason }) => [match, reasons[reason] ?? ""]));
    this.left = counted(this.reasonOf.values());
  }

  /** In the execution order of b. */
  get rows(): readonly NumberRow[] {
    return this.record.rows;
  }

  /**
   * The first pair beyond the tolerance whose match is certain, or is confirmed by the values computed from
   * it.
   */
  get first(): NumberRow | undefined {
    return this.record.rows[this.record.first ?? -1];
  }

  /** For a match: the pair of its nodes that differs most. */
  of(match: number): NumberRow | undefined {
    return this.byMatch.get(match)?.reduce((worst, row) => worse(row, worst));
  }

  /** The pair of a side's node. */
  at(side: Side, node: number): NumberRow | undefined {
    return this.byNode[side].get(node);
  }

  /**
   * Whether a node is the first to diverge, diverges while its inputs do not, or is the first with NaN or
   * Inf.
   */
  firsts(side: Side, node: number): string[] {
    const { first } = this;
    const isCurrent = (row: NumberRow): boolean => (side === 0 ? row.a : row.b) === node;
    const isFirst = first && isCurrent(first);
    const isOther = this.others.some(isCurrent);
    const made = this.producers(side).filter((each) => each.node === node);
    return [
      ...(isFirst ? [firstWords(first)] : []),
      ...(isOther && !isFirst ? ["diverges here"] : []),
      ...made.map(({ trouble }) => (trouble === "nan" ? "first NaN" : "first Inf")),
    ];
  }

  /** Why a match has no compared value; empty if it has one. */
  why(match: number): string {
    return this.reasonOf.get(match) ?? "";
  }

  /** The first nodes of a side that produce NaN or Inf. */
  producers(side: Side): readonly Producer[] {
    return (this.record.producers ?? []).filter((each) => each.side === (side === 0 ? "a" : "b"));
  }
}

/** The difference for ranking: NaN or Inf on one side only counts as more than any number. */
export const distance = ({ numbers }: NumberRow): number =>
  numbers.unlike ? Number.POSITIVE_INFINITY : (numbers.relative ?? Number.MAX_VALUE);

const worse = (row: NumberRow, other: NumberRow | undefined): NumberRow =>
  !other || distance(row) > distance(other) ? row : other;

function counted(texts: Iterable<string>): [text: string, count: number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** The text about the first pair that diverges. */
export const firstWords = ({ probable }: NumberRow): string =>
  probable ? "probably the first to diverge" : "first to diverge";
