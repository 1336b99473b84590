/** The cost of each match, rule and module before and after, by number. Immutable. */
import type { CostChange, MatchCost, ModuleCost } from "./schema";

/**
 * Seconds on either side. `ratio`: after divided by before, absent if before is 0 or executors differ. `noise`: the difference is
 * within the noise of two runs of one program. `basis`: what was not measured directly on either side.
 */
export type Cost = Pick<MatchCost, "before" | "after" | "ratio" | "noise" | "basis">;

/** The ends of the colour scales: the largest change beyond noise, in seconds; 0 if there is none. */
export interface Ends {
  /** Of one match. */
  readonly op: number;
  /** The largest of an outermost module or of the whole; if there is none, of one match. */
  readonly module: number;
}

export class CostDiff {
  readonly ends: Ends;
  private readonly byMatch: ReadonlyMap<number, MatchCost>;
  private readonly byModule: ReadonlyMap<number, ModuleCost>;

  constructor(readonly record: CostChange) {
    const op = most(record.matches);
    const modules = record.modules?.length ? record.modules : [this.whole];
    this.ends = { op, module: most(modules) || op };
    this.byMatch = new Map(record.matches.map((each) => [each.match, each]));
    this.byModule = new Map((record.modules ?? []).map((each) => [each.module, each]));
  }

  /** The total of either program, including time outside nodes. */
  get whole(): Cost {
    const { before, after, noise = false, comparable = true } = this.record;
    return { before, after, noise, ...(before > 0 && comparable && { ratio: after / before }) };
  }

  of(match: number): MatchCost | undefined {
    return this.byMatch.get(match);
  }

  /** By its index in the comparison's modules. */
  module(number: number): ModuleCost | undefined {
    return this.byModule.get(number);
  }

  /** Several modules as one. */
  modules(numbers: readonly number[]): Cost | undefined {
    return together(numbers.flatMap((number) => this.byModule.get(number) ?? []));
  }
}

/** The scales of all pairs that are shown side by side, so that a colour means the same in all. */
export const endsOf = (pairs: readonly (CostDiff | undefined)[]): Ends => ({
  op: Math.max(0, ...pairs.map((pair) => pair?.ends.op ?? 0)),
  module: Math.max(0, ...pairs.map((pair) => pair?.ends.module ?? 0)),
});

/** Modules may have a colour if no match has one. */
export const hasColor = ({ module }: Ends): boolean => module > 0;

const most = (costs: readonly Cost[]): number =>
  costs.reduce((all, cost) => (cost.noise ? all : Math.max(all, Math.abs(gain(cost)))), 0);

/** Several costs as one; undefined if there are none. Beyond noise only if each is, in the same direction. */
export function together(costs: readonly Cost[]): Cost | undefined {
  if (costs.length === 0) return undefined;
  const sum = (side: "before" | "after"): number => costs.reduce((all, each) => all + each[side], 0);
  const [before, after] = [sum("before"), sum("after")];
  const ways = new Set(costs.map((cost) => Math.sign(gain(cost))));
  const noise = ways.size > 1 || costs.some((cost) => cost.noise);
  const hasRatios = costs.every((cost) => cost.before === 0 || cost.ratio !== undefined);
  const basis = [0, 1].map((side) => [
    ...new Set(costs.map((cost) => cost.basis?.[side] ?? "").filter(Boolean)),
  ]);
  const [first = "", second = ""] = basis.map((each) => each.join(" and "));
  return {
    before,
    after,
    noise,
    ...(before > 0 && hasRatios && { ratio: after / before }),
    ...((first || second) && { basis: [first, second] as const }),
  };
}

/** "emulated after", "estimated before, emulated after"; empty if all is measured. */
export function basisOf({ basis = ["", ""] }: Cost): string {
  const [before, after] = basis;
  if (before === after) return before;
  return [before && `${before} before`, after && `${after} after`].filter(Boolean).join(", ");
}

/** Seconds more than before; less than 0 if it became faster. */
export const gain = ({ before, after }: Cost): number => after - before;
