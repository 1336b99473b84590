/**
 * What each node cost, and under which conditions. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

export const SCHEMA = 1;

/** In a column of numbers: not known. */
export const UNKNOWN = -1;

/** `Columns.basis` holds positions in this list. */
export const BASES = ["measured", "emulated", "estimated"] as const;

/** The executor that ran the program. */
export type Executor = "cpu" | "executorch" | "etdump";

/** One input of the run: the user's path to it, and its description ("f32[8, 3]", "7"). */
export interface GivenInput {
  readonly path: string;
  readonly value: string;
}

/**
 * The conditions of a measurement. `load` is the machine's one-minute load average before and after.
 *
 * `inputs_from` is "given", "example" (kept by the program), "made" (generated from the metadata of its
 * inputs) or "unknown". Unknown conditions of a measurement made elsewhere: 0 `threads` and `cores`, UNKNOWN
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
 * Nanoseconds over `n` runs. `time` is a mean, so that times add up; see `Columns`.
 *
 * A difference of two measurements has no quartiles: `n` is 0, and `min` to `p75` are UNKNOWN.
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
 * One entry per node that computes, in execution order; UNKNOWN if a number is unknown.
 *
 * The quiet runs are the fastest half of all runs, which other programs disturbed least. `time` is the mean
 * over them, so that nodes and overhead add up to the total exactly. It is the mean over all runs if they
 * took different paths, or if the program itself caused the long runs (remarks "paths" and "varied"). Time
 * that another program certainly had the CPU is subtracted from op and total, see `statistic.settled`. `min`
 * to `p75` are wall-clock times over the `n` runs in which the node ran; `calls` is the mean if runs differ,
 * and at least 1 for a node that ran. `output_bytes` are those of the output's elements, `allocated_bytes`
 * those of new memory, `live_bytes` those of all such memory alive after the node, without state and inputs,
 * `bytes_moved` the bytes read and written at least once. A node that did not run (a branch that was not
 * taken) has `calls` 0 and no times.
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

/**
 * What a reader of the numbers must know: what is emulated, estimated, left out, incomplete.
 *
 * `node` is the id of the node that the text names; "" if it names none.
 */
export interface Remark {
  readonly code: string;
  readonly text: string;
  readonly node?: string;
}

/**
 * A whole Profile. `overhead` is time outside nodes: the executor's own work, dispatch, freeing memory.
 *
 * `state_bytes` and `input_bytes` are alive throughout and no part of `live_bytes`. `complete` is False if
 * the run was interrupted or failed.
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
