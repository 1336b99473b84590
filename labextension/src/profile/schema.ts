/**
 * What each node cost, and under which conditions. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

export const SCHEMA = 1;

/** In a column of numbers: not known. */
export const UNKNOWN = -1;

/** `Columns.basis` holds positions in this list. */
export const BASES = ["measured", "emulated", "estimated"] as const;

/** What ran the program. */
export type Executor = "cpu" | "executorch" | "executorch.ops" | "etdump";

/** One input of the run: where the user passes it, and what it was ("f32[8, 3]", "7"). */
export interface GivenInput {
  readonly path: string;
  readonly value: string;
}

/**
 * What the numbers depend on. `load` is the machine's one-minute load average before and after.
 *
 * `inputs_from` is "given", "example" (kept by the program), "made" (from the metadata of its inputs) or
 * "unknown". What nobody knows of a measurement that was made elsewhere: 0 `threads` and `cores`, UNKNOWN
 * `warmup`, empty texts.
 */
export interface Conditions {
  readonly executor: Executor;
  readonly threads: number;
  readonly repeats: number;
  readonly warmup: number;
  readonly inputs?: readonly GivenInput[];
  readonly inputs_from?: string;
  readonly symbols?: Readonly<Record<string, number>>;
  readonly torch?: string;
  readonly executorch?: string;
  readonly python?: string;
  readonly cpu?: string;
  readonly cores?: number;
  readonly load?: readonly [number, number];
  readonly started?: string;
}

/**
 * Nanoseconds over `n` runs. `time` is a mean, which adds up; see `Columns`.
 *
 * What is the difference of two measurements has no quartiles: `n` is 0, and `min` to `p75` are UNKNOWN.
 */
export interface Times {
  readonly n: number;
  readonly time: number;
  readonly min: number;
  readonly p25: number;
  readonly median: number;
  readonly p75: number;
}

/**
 * One entry a node that computes, in execution order; UNKNOWN where a number is not known.
 *
 * The quiet runs are the half of all runs whose whole took least: what else the machine did meanwhile is
 * least in them. `time` is the mean over them, so that nodes and overhead add up to the whole exactly. It is
 * the mean over all runs where they took different paths, or where long runs were evidently the program's
 * own (remarks "paths" and "varied"). What another program evidently took of a run is left out of op and
 * whole, see `statistic.settled`. `min` to `p75` are over the `n` runs in which the node ran, as the clock
 * said; `calls` is the mean where runs differ, and at least 1 of what ran at all. `output_bytes` are those
 * of the elements of what the node yields, `allocated_bytes` of memory that was not there before,
 * `live_bytes` of all such memory alive when the node has run, without state and inputs, `bytes_moved` the
 * bytes read and written at least once. What did not run (a branch that was not taken) has `calls` 0 and no
 * times.
 */
export interface Columns {
  readonly nodes: readonly string[];
  readonly basis: readonly number[];
  readonly calls: readonly number[];
  readonly n: readonly number[];
  readonly time: readonly number[];
  readonly min: readonly number[];
  readonly p25: readonly number[];
  readonly median: readonly number[];
  readonly p75: readonly number[];
  readonly output_bytes: readonly number[];
  readonly allocated_bytes: readonly number[];
  readonly live_bytes: readonly number[];
  readonly flops: readonly number[];
  readonly bytes_moved: readonly number[];
}

/** Something a reader of the numbers must know: what is emulated, estimated, left out, cut short. */
export interface Remark {
  readonly code: string;
  readonly text: string;
}

/**
 * A whole Profile. `overhead` is what was in no node: the executor's own work, dispatch, freeing memory.
 *
 * `state_bytes` and `input_bytes` are alive throughout and no part of `live_bytes`. `complete` is False
 * where the run was interrupted or failed.
 */
export interface ProfileRecord {
  readonly schema: number;
  readonly method: string;
  readonly dialect: string;
  readonly conditions: Conditions;
  readonly columns: Columns;
  readonly whole?: Times;
  readonly overhead?: Times;
  readonly state_bytes?: number;
  readonly input_bytes?: number;
  readonly complete?: boolean;
  readonly remarks?: readonly Remark[];
}
