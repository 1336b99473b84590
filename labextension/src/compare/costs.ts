/**
 * What each match of a diff cost before and after. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

export const SCHEMA = 1;

/** Seconds of all nodes of one match on either side; `ratio` is after to before, None where that was 0. */
export interface MatchCost {
  readonly match: number;
  readonly before: number;
  readonly after: number;
  readonly ratio?: number;
}

/** Seconds of all matches of one rule; "" stands for what is the same. */
export interface RuleCost {
  readonly rule: string;
  readonly matches: number;
  readonly before: number;
  readonly after: number;
  readonly ratio?: number;
}

/** Seconds of one module call with all within it; `module` is its place in `Comparison.modules`. */
export interface ModuleCost {
  readonly module: number;
  readonly before: number;
  readonly after: number;
  readonly ratio?: number;
}

/**
 * All of it: the matches that took time, in reading order; the rules, what changed most in time first.
 *
 * The modules that took time stand as the comparison has them; what is in no module is in none of them.
 *
 * `before` and `after` are the wholes, seconds of one run; `overhead` is what of them was in no node.
 */
export interface CostChange {
  readonly schema: number;
  readonly before: number;
  readonly after: number;
  readonly overhead: readonly [number, number];
  readonly matches: readonly MatchCost[];
  readonly rules: readonly RuleCost[];
  readonly modules?: readonly ModuleCost[];
}
