/**
 * What each match of a diff cost before and after. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

export const SCHEMA = 1;

/**
 * Seconds of all nodes of one match on either side; `ratio` is after to before, None if that was 0.
 *
 * `noise`: the two differ by no more than two runs of one program do. `basis`: which times of either side
 * were not measured directly ("emulated", "estimated"), absent if all were.
 */
export interface MatchCost {
  readonly match: number;
  readonly before: number;
  readonly after: number;
  readonly ratio?: number;
  readonly noise?: boolean;
  readonly basis?: readonly [string, string];
}

/** Seconds of all matches of one rule; "" is for what is the same. */
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
 * Seconds of one module call including submodules.
 *
 * `module` is its index in `Comparison.modules`.
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
 * The matches that took time, in reading order; the rules, the largest change of time first.
 *
 * The modules that took time are in the order of the comparison; time outside modules is in none of them.
 *
 * `before` and `after` are the totals, seconds of one run; `overhead` is the part of them outside nodes.
 * `untimed` is a side's time in matches whose time one side does not know: it timed a delegate as one block,
 * or an op not separately. They are in no entry of `matches`, `rules` and `modules`. `runs` says how either
 * was measured, and `doubts` what makes the two hard to compare. `comparable` is False if different
 * executors measured the two: then there are no ratios.
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
  readonly untimed?: readonly [number, number];
  readonly runs?: readonly [string, string];
  readonly doubts?: readonly string[];
  readonly comparable?: boolean;
}
