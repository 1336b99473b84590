/**
 * All changes of all pairs in one order: that of reading the columns together, minor changes after all
 * others. A change of an earlier pair is at the position of its result in the last column. Computed when
 * first needed.
 */
import type { Pair } from "../model/pair";
import type { Row } from "../model/row";
import type { PairState } from "../model/state";

interface Stop {
  readonly at: number;
  readonly match: number;
}

export class ChangeStops {
  private stopsNow: readonly Stop[] | undefined;
  private readonly places = new Map<number, Int32Array>();

  constructor(private readonly row: Row) {}

  get count(): number {
    return this.row.pairs.reduce((sum, { changes }) => sum + changes.list.length, 0);
  }

  /** The index of a match among the stops; -1 if it is not one. */
  position({ at, match }: Stop): number {
    return match < 0 ? -1 : this.stops.findIndex((stop) => stop.match === match && stop.at === at);
  }

  /** The next or previous change; wraps around and skips hidden kinds. */
  next({ at, match, without }: Pick<PairState, "at" | "match" | "without">, by: 1 | -1): Stop | undefined {
    const stops = this.stops.filter((stop) => !without.has(this.row.pair(stop.at).changes.kind(stop.match)));
    if (match < 0) return stops.at(by > 0 ? 0 : -1);
    const here = { at, match };
    return by > 0
      ? (stops.find((stop) => this.order(stop, here) > 0) ?? stops[0])
      : (stops.filter((stop) => this.order(stop, here) < 0).at(-1) ?? stops.at(-1));
  }

  private get stops(): readonly Stop[] {
    this.stopsNow ??= this.row.pairs
      .flatMap(({ at, changes }) => changes.list.map((match): Stop => ({ at, match })))
      .sort((x, y) => this.order(x, y));
    return this.stopsNow;
  }

  /** State drawn on an op comes after the op's own changes in all pairs. */
  private order(x: Stop, y: Stop): number {
    const [own, other] = [this.opOf(x), this.opOf(y)];
    return (
      Number(this.isMinor(x)) - Number(this.isMinor(y)) ||
      this.placeOf(own) - this.placeOf(other) ||
      Number(own.match !== x.match) - Number(other.match !== y.match) ||
      x.at - y.at ||
      own.match - other.match ||
      x.match - y.match
    );
  }

  /** Nodes that only moved within their graph, or do no work. Delegated ones moved to another graph. */
  private isMinor({ at, match }: Stop): boolean {
    const { changes } = this.row.pair(at);
    const rule = changes.rule(match);
    return rule ? rule.minor === true : changes.kind(match) === "moved";
  }

  private opOf({ at, match }: Stop): Stop {
    return { at, match: this.row.pair(at).changes.readAt(match) };
  }

  /** The position in the last pair's reading order. */
  private placeOf({ at, match }: Stop): number {
    if (at === this.row.pairs.length - 1) return match;
    const known = this.places.get(at) ?? this.placesOf(this.row.pair(at));
    this.places.set(at, known);
    return known[match] ?? 0;
  }

  /** A removed node has no position of its own: it takes that of the node before it. */
  private placesOf({ at, changes }: Pair): Int32Array {
    const places = new Int32Array(changes.count);
    for (let match = 0; match < places.length; match++)
      places[match] = this.placeOn(at, changes.nodes(match, 1)) ?? places[match - 1] ?? 0;
    return places;
  }

  private placeOn(at: number, nodes: readonly number[]): number | undefined {
    const [next, ...rest] = this.row.pairs.slice(at + 1);
    if (!next || nodes.length === 0) return undefined;
    if (rest.length > 0) return this.placeOn(at + 1, next.across(0, nodes));
    const [match] = next.matchesOf(0, nodes);
    return match === undefined ? undefined : next.changes.readAt(match);
  }
}
