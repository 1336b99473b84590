/** The order in which changes are listed: program order, or by a measurement. Pure. */
import { type Cost, type CostDiff, gain } from "../costs/cost_diff";
import { distance, type ValueDiff } from "../values/value_diff";

export interface Known {
  readonly values: ValueDiff | undefined;
  readonly costs: CostDiff | undefined;
}

export const ORDERS = {
  program: "in program order",
  slower: "slowest change first",
  faster: "fastest change first",
  ratio: "by time ratio",
  apart: "largest value difference first",
} as const;

export type Order = keyof typeof ORDERS;

/** The orders for which there are measurements. */
export const ordersOf = ({ values, costs }: Known): Order[] => [
  "program",
  ...(costs ? (["slower", "faster", "ratio"] as const) : []),
  ...(values ? (["apart"] as const) : []),
];

/** Matches in the wanted order. Unmeasured ones come last; equal ones stay in program order. */
export function sorted(order: Order, known: Known, matches: readonly number[]): readonly number[] {
  const rank = ranking(order, known);
  if (!rank) return matches;
  const ranks = new Map(matches.map((match) => [match, rank(match) ?? Number.NEGATIVE_INFINITY]));
  const of = (match: number): number => ranks.get(match) ?? 0;
  return [...matches].sort((a, b) => (of(a) === of(b) ? 0 : of(b) > of(a) ? 1 : -1));
}

/** Largest first. */
function ranking(
  order: Order,
  { values, costs }: Known,
): ((match: number) => number | undefined) | undefined {
  const cost = (rank: (cost: Cost) => number | undefined) => (match: number) => {
    const found = costs?.of(match);
    return found && rank(found);
  };
  switch (order) {
    case "program":
      return undefined;
    case "slower":
      return cost(gain);
    case "faster":
      return cost((found) => -gain(found));
    case "ratio":
      return cost(({ ratio, after }) => ratio ?? (after > 0 ? Number.POSITIVE_INFINITY : undefined));
    case "apart":
      return (match) => {
        const row = values?.of(match);
        return row && distance(row);
      };
  }
}
