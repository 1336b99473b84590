/** What each match, rule and module of a comparison cost before and after, asked by number. Immutable. */
import type { CostChange, MatchCost, ModuleCost } from "./schema";

/**
 * Seconds on either side; `ratio` is after to before, absent where that was nothing; `noise` where they differ by no more
 * than two runs of one program do; `basis` is what of either side was not measured itself.
 */
export type Cost = Pick<MatchCost, "before" | "after" | "ratio" | "noise" | "basis">;

/** Where the scales of colours end: the largest change, in seconds, that is beyond noise; 0 where none is. */
export interface Ends {
  /** Of one match. */
  readonly op: number;
  /** Of one module, the outermost among them, or of the whole; where none of these is, that of one match. */
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

  /** All of either program, with what was in no node. */
  get whole(): Cost {
    const { before, after, noise = false } = this.record;
    return { before, after, noise, ...(before > 0 && { ratio: after / before }) };
  }

  of(match: number): MatchCost | undefined {
    return this.byMatch.get(match);
  }

  /** By its place in the comparison's modules. */
  module(number: number): ModuleCost | undefined {
    return this.byModule.get(number);
  }

  /** Of several modules as one. */
  modules(numbers: readonly number[]): Cost | undefined {
    return together(numbers.flatMap((number) => this.byModule.get(number) ?? []));
  }
}

/** Of pairs that are seen side by side, so that a colour means the same in all. */
export const endsOf = (pairs: readonly (CostDiff | undefined)[]): Ends => ({
  op: Math.max(0, ...pairs.map((pair) => pair?.ends.op ?? 0)),
  module: Math.max(0, ...pairs.map((pair) => pair?.ends.module ?? 0)),
});

/** Modules may have a colour where no match has one. */
export const hasColor = ({ module }: Ends): boolean => module > 0;

const most = (costs: readonly Cost[]): number =>
  costs.reduce((all, cost) => (cost.noise ? all : Math.max(all, Math.abs(gain(cost)))), 0);

/** Several as one; undefined where there is none. Beyond noise only where each of them is, and the same way. */
export function together(costs: readonly Cost[]): Cost | undefined {
  if (costs.length === 0) return undefined;
  const sum = (side: "before" | "after"): number => costs.reduce((all, each) => all + each[side], 0);
  const [before, after] = [sum("before"), sum("after")];
  const ways = new Set(costs.map((cost) => Math.sign(gain(cost))));
  const noise = ways.size > 1 || costs.some((cost) => cost.noise);
  const basis = [0, 1].map((side) => [
    ...new Set(costs.map((cost) => cost.basis?.[side] ?? "").filter(Boolean)),
  ]);
  const [first = "", second = ""] = basis.map((each) => each.join(" and "));
  return {
    before,
    after,
    noise,
    ...(before > 0 && { ratio: after / before }),
    ...((first || second) && { basis: [first, second] as const }),
  };
}

/** "emulated after", "estimated before, emulated after"; empty where all is measured. */
export function basisOf({ basis = ["", ""] }: Cost): string {
  const [before, after] = basis;
  if (before === after) return before;
  return [before && `${before} before`, after && `${after} after`].filter(Boolean).join(", ");
}

/** Seconds more than before; less than 0 where it became faster. */
export const gain = ({ before, after }: Cost): number => after - before;
