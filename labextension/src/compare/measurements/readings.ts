/**
 * The measurements of the boxes of a graph, of one program or of both: how much values in a box differ, what
 * it costs now. Read by slot in every frame. Immutable.
 */
import type { Explorer } from "../../explorer";
import type { Scene } from "../../layout";
import { itemsAt, type Picture } from "../../picture";
import { grouped, NONE } from "../../snapshot";
import { basisOf, type Cost, type CostDiff, type Ends, endsOf, together } from "../costs/cost_diff";
import type { Changes, Side } from "../model/changes";
import { apartText, costText, ratioText, snrText } from "../values/number_text";
import type { Health, NumberRow } from "../values/schema";
import { distance, type ValueDiff } from "../values/value_diff";

export interface Subject {
  readonly explorer: Explorer;
  /** The graph shows `side` of these changes; measurements use its numbers of matches and modules. */
  readonly changes: Changes;
  readonly side: Side;
}

export interface Reading {
  /** The pair of values in the box with the largest difference; absent if none was compared. */
  readonly worst: NumberRow | undefined;
  readonly compared: number;
  readonly diverged: number;
  /** "first to diverge", "first NaN". */
  readonly firsts: readonly string[];
  /** What this side's value contains and the other's does not: "NaN", "Inf". */
  readonly troubles: readonly string[];
  readonly cost: Cost | undefined;
}

const NOTHING: Reading = {
  worst: undefined,
  compared: 0,
  diverged: 0,
  firsts: [],
  troubles: [],
  cost: undefined,
};

export class Readings {
  private readonly known = new WeakMap<Picture, Map<number, Reading>>();
  private readonly slots = new WeakMap<Scene, Map<number, Reading>>();
  private readonly folded = new WeakMap<Picture, ReadonlyMap<number, readonly number[]>>();
  private readonly moduleOf: ReadonlyMap<unknown, number>;

  /** `ends`: the ends of the cost scales, shared by side-by-side graphs. */
  constructor(
    private readonly subject: Subject,
    readonly values: ValueDiff | undefined,
    readonly costs: CostDiff | undefined,
    private readonly ends: Ends = endsOf([costs]),
  ) {
    const { modules = [] } = subject.changes.comparison;
    this.moduleOf = new Map(modules.map((module, number) => [module, number]));
  }

  /** Whether it was made from exactly these. */
  isOf(values: ValueDiff | undefined, costs: CostDiff | undefined, { op, module }: Ends): boolean {
    const { ends } = this;
    return this.values === values && this.costs === costs && ends.op === op && ends.module === module;
  }

  /** The reading of a slot: one item, or several if a run is folded. */
  at(slot: number): Reading {
    if (!this.isThere) return NOTHING;
    const { picture, scene } = this.subject.explorer.state;
    return remembered(this.slots, scene, slot, () =>
      itemsAt(picture, scene, slot)
        .map((item) => this.of(item))
        .reduce(both, NOTHING),
    );
  }

  of(item: number): Reading {
    const { picture } = this.subject.explorer.state;
    const { values, costs } = this;
    if (!this.isThere) return NOTHING;
    return remembered(this.known, picture, item, () => ({
      ...(values ? this.valuesIn(values, picture, item) : NOTHING),
      cost: costs && this.costOf(costs, picture, item),
    }));
  }

  private get isThere(): boolean {
    return this.values !== undefined || this.costs !== undefined;
  }

  /** The change in seconds that has the full colour. */
  most(isGroup: boolean): number {
    return isGroup ? this.ends.module : this.ends.op;
  }

  private valuesIn(values: ValueDiff, picture: Picture, item: number): Reading {
    const found = this.nodesIn(picture, item).map((node) => this.valuesOf(values, node));
    return found.reduce(both, NOTHING);
  }

  private valuesOf(values: ValueDiff, node: number): Reading {
    const { side } = this.subject;
    const row = values.at(side, node);
    const { nan = 0, inf = 0 } = (row?.numbers.unlike && healthOf(row, side)) || {};
    return {
      worst: row,
      compared: row ? 1 : 0,
      diverged: row?.numbers.diverged ? 1 : 0,
      firsts: values.firsts(side, node),
      troubles: [...(nan ? ["NaN"] : []), ...(inf ? ["Inf"] : [])],
      cost: undefined,
    };
  }

  /** Including the parameters that are folded into its ops. */
  private nodesIn(picture: Picture, item: number): readonly number[] {
    const folded = this.foldedIn(picture);
    return leavesOf(picture, item).flatMap((leaf) =>
      [picture.nodeOf(leaf), ...(folded.get(leaf) ?? [])].filter((node) => node >= 0),
    );
  }

  private foldedIn(picture: Picture): ReadonlyMap<number, readonly number[]> {
    const known = this.folded.get(picture);
    if (known) return known;
    const found = new Map<number, number[]>();
    for (let node = 0; node < picture.snapshot.nodeCount; node++) {
      const box = picture.boxOf(node) < 0 ? this.subject.explorer.boxShowing(node) : -1;
      if (box >= 0) found.set(box, [...(found.get(box) ?? []), node]);
    }
    this.folded.set(picture, found);
    return found;
  }

  private costOf(costs: CostDiff, picture: Picture, item: number): Cost | undefined {
    const { changes, side } = this.subject;
    const scope = picture.isGroup(item) ? picture.scopeOf(item) : NONE;
    const module = scope === NONE ? undefined : changes.module(side, scope);
    // One of several boxes of a module has only the part of its own ops.
    if (module && picture.moduleItems(scope).length === 1)
      return costs.module(this.moduleOf.get(module) ?? NONE);
    const nodes = leavesOf(picture, item).map((leaf) => picture.nodeOf(leaf));
    const matches = new Set(nodes.map((node) => (node < 0 ? NONE : changes.of(side, node))));
    return together([...matches].flatMap((match) => costs.of(match) ?? []));
  }
}

const leavesOf = (picture: Picture, item: number): readonly number[] =>
  picture.isGroup(item) ? Array.from(picture.leavesOf(item)) : [item];

const healthOf = (row: NumberRow, side: Side): Health => (side === 0 ? row.health_a : row.health_b) ?? {};

function both(a: Reading, b: Reading): Reading {
  const isWorse = !a.worst || (b.worst && distance(b.worst) > distance(a.worst));
  return {
    worst: isWorse ? b.worst : a.worst,
    compared: a.compared + b.compared,
    diverged: a.diverged + b.diverged,
    firsts: joined(a.firsts, b.firsts),
    troubles: joined(a.troubles, b.troubles),
    cost: a.cost && b.cost ? together([a.cost, b.cost]) : (a.cost ?? b.cost),
  };
}

const joined = (a: readonly string[], b: readonly string[]): readonly string[] =>
  b.length ? [...new Set([...a, ...b])] : a;

function remembered<K extends object>(
  of: WeakMap<K, Map<number, Reading>>,
  key: K,
  number: number,
  make: () => Reading,
): Reading {
  const known = of.get(key) ?? new Map<number, Reading>();
  of.set(key, known);
  const found = known.get(number) ?? make();
  known.set(number, found);
  return found;
}

/** "≠ 0.02 apart, 3.2 dB; 5 ms → 1 ms ×0.2"; empty if nothing was measured. */
export function readingWords(reading: Reading, isGroup: boolean): string {
  const { cost, firsts } = reading;
  const costs = cost && cost.before !== cost.after ? changeWords(cost) : "";
  return [firsts.join(", "), isGroup ? manyWords(reading) : oneWords(reading), costs]
    .filter(Boolean)
    .join("; ");
}

function changeWords(cost: Cost): string {
  const notes = [cost.noise ? "within noise" : "", basisOf(cost)].filter(Boolean);
  return [`${costText(cost)} ${ratioText(cost)}`, ...notes].join(", ");
}

function oneWords({ worst }: Reading): string {
  if (!worst) return "";
  const { numbers } = worst;
  const apart = apartText(numbers);
  if (apart === "equal") return "values equal";
  const snr = numbers.snr === undefined ? "" : `, ${snrText(numbers)}`;
  return `${numbers.diverged ? "≠ " : "within tolerance: "}${numbers.unlike ? apart : `${apart} apart`}${snr}`;
}

function manyWords({ compared, diverged, worst }: Reading): string {
  if (!compared || !worst) return "";
  const values = `${grouped(compared)} ${compared === 1 ? "value" : "values"}`;
  return diverged
    ? `≠ ${grouped(diverged)} of ${values} diverge; largest difference: ${apartText(worst.numbers)}`
    : `${values} within tolerance`;
}
