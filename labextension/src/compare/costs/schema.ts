/**
 * What each match of a diff cost before and after. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

export const SCHEMA = 1;

/**
 * Seconds of all nodes of one match on either side; `ratio` is after to before, None where that was 0.
 *
 * `noise`: the two differ by no more than two runs of one program do. `basis`: what of either side was not
 * measured itself ("emulated", "estimated"), absent where all was.
 */
export interface MatchCost {
  readonly match: number;
  readonly before: number;
  readonly after: number;
  readonly ratio?: number;
  readonly noise?: boolean;
  readonly basis?: readonly [string, string];
}

/** Seconds of all matches of one rule, as of one match; "" stands for what is the same. */
export interface RuleCost {
  readonly rule: string;
  readonly matches: number;
  readonly before: number;
  readonly after: number;
  readonly ratio?: number;
  readonly noise?: boolean;
  readonly basis?: readonly [string, string];
}

/**
 * Seconds of one module call with all within it, as of one match.
 *
 * `module` is its place in `Comparison.modules`.
 */
export interface ModuleCost {
  readonly module: number;
  readonly before: number;
  readonly after: number;
  readonly ratio?: number;
  readonly noise?: boolean;
  readonly basis?: readonly [string, string];
}

/**
 * All of it: the matches that took time, in reading order; the rules, what changed most in time first.
 *
 * The modules that took time stand as the comparison has them; what is in no module is in none of them.
 *
 * `before` and `after` are the wholes, seconds of one run; `overhead` is what of them was in no node.
 * `untold` is what a side has in matches of which one side does not tell the time: it timed a delegate as
 * one, or did not tell an op apart. They are in no entry of `matches`, nor of `rules` and `modules`.
 * `runs` says how either was measured, and `doubts` what makes the two hard to compare.
 */
export interface CostChange {
  readonly schema: number;
  readonly before: number;
  readonly after: number;
  readonly overhead: readonly [number, number];
  readonly matches: readonly MatchCost[];
  readonly rules: readonly RuleCost[];
  readonly modules?: readonly ModuleCost[];
  readonly noise?: boolean;
  readonly untold?: readonly [number, number];
  readonly runs?: readonly [string, string];
  readonly doubts?: readonly string[];
}
