/** From a measurement of a box to the strength of its colour, 0 … 1. Pure. */
import { gain } from "../costs/cost_diff";
import { distance } from "../values/value_diff";
import type { Reading } from "./readings";

/** Relative differences, from rounding to entirely different values. */
export const RANGE = { least: 1e-8, most: 1 } as const;

/** By order of magnitude; undefined if nothing differs. */
export function apartness(relative: number): number | undefined {
  if (relative === 0) return undefined;
  const { least, most } = RANGE;
  return within(Math.log(relative / least) / Math.log(most / least));
}

/** Undefined if no value was compared, or all are equal. */
export const apartOf = ({ worst }: Reading): number | undefined => worst && apartness(distance(worst));

interface Costly {
  readonly part: number;
  readonly is: "slower" | "faster";
}

/** By the square root, so that small changes are visible; undefined if the cost is equal or within noise. */
export function costly({ cost }: Reading, most: number): Costly | undefined {
  const more = cost && !cost.noise ? gain(cost) : 0;
  if (more === 0 || most === 0) return undefined;
  return { part: within(Math.sqrt(Math.abs(more) / most)), is: more > 0 ? "slower" : "faster" };
}

const within = (part: number): number => Math.min(1, Math.max(0, part));
