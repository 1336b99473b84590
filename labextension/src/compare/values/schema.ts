/**
 * Where the values of two programs diverge. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

export const SCHEMA = 1;

/** How many elements of one value are NaN, and how many infinite. */
export interface Health {
  readonly nan?: number;
  readonly inf?: number;
}

/**
 * The distance of value b from value a, over the elements that are finite in both.
 *
 * `max_abs`: the largest difference; None if no element is finite in both. `relative`: the same as a share
 * of the largest magnitude in a; None if a is zero throughout and b is not. `cosine`: of the two as vectors;
 * None if only one is zero. `snr`: signal (a) to noise (b - a) in decibels; None if they are equal or a is
 * zero throughout. `unlike`: elements that are NaN or infinite in one and not the same in the other.
 * `diverged`: beyond the tolerance.
 */
export interface Numbers {
  readonly elements: number;
  readonly max_abs?: number | null;
  readonly relative?: number | null;
  readonly cosine?: number;
  readonly snr?: number;
  readonly unlike?: number;
  readonly diverged?: boolean;
}

/**
 * What computed a value of b.
 *
 * `eager`: eager torch. `runtime`: the ExecuTorch runtime. `emulated`: eager torch in place of a backend or
 * the runtime. `not_run`: the runtime failed, and eager torch computed the value instead. `input`: nothing;
 * it is an input or state.
 */
export type Ran = "eager" | "runtime" | "emulated" | "not run" | "input";

/**
 * Two nodes whose values were compared, and their match.
 *
 * For a node that ran several times the worst turn counts; `turns` were compared. `origin`: it diverges, and
 * none of its inputs do. `probable`: the match is only probable. `ran`: what computed b's value. `scaled`:
 * the integers of one were dequantized with the scale and the zero point of its graph.
 */
export interface NumberRow {
  readonly match: number;
  readonly a: number;
  readonly b: number;
  readonly numbers: Numbers;
  readonly turns?: number;
  readonly origin?: boolean;
  readonly probable?: boolean;
  readonly ran?: Ran;
  readonly scaled?: boolean;
  readonly health_a?: Health;
  readonly health_b?: Health;
}

/**
 * What the two programs return: an output, or an updated buffer or input.
 *
 * `numbers` is None if the two could not be compared; `reason` says why. `ran`: what computed b's.
 */
export interface OutputRow {
  readonly name: string;
  readonly numbers?: Numbers;
  readonly reason?: string;
  readonly ran?: Ran;
}

/**
 * A delegate or an op of b in the ExecuTorch runtime, against eager torch; node by number.
 *
 * `backend`: "" for an op outside of delegates. `isolated`: the runtime was given the values that eager
 * torch computes for b: the difference is its own error. `in_sequence`: it was given what the runtime
 * computed before: the difference includes earlier errors. Of several outputs the worst counts. `reason`:
 * why it did not run.
 */
export interface DeviceRow {
  readonly node: number;
  readonly ran: Ran;
  readonly backend?: string;
  readonly isolated?: Numbers;
  readonly in_sequence?: Numbers;
  readonly reason?: string;
}

/**
 * What a bisection found.
 *
 * `region`: a part of the delegate diverges alone. `fails`: the backend lowers a part that the runtime
 * cannot run. `op`: an op outside of delegates diverges: its kernel is wrong. `payload`: the delegate agrees
 * when it is lowered again, so its payload is not what the backend makes of its program. `rounding`: each op
 * of a quantized delegate is right for the values that it got, and their roundings add up. `agrees`: it does
 * not diverge.
 */
export type Outcome = "region" | "fails" | "op" | "payload" | "rounding" | "agrees";

/**
 * A part of a delegate that was lowered and run: how many nodes it has, and its difference.
 *
 * `reason`: why it could not run.
 */
export interface TrialRow {
  readonly nodes: number;
  readonly seconds: number;
  readonly numbers?: Numbers;
  readonly reason?: string;
}

/**
 * The smallest region of a delegate of b that diverges; nodes by number.
 *
 * `summary`: what was found, as a sentence. `lines`: the user's lines that made the region. `complete`:
 * whether the search ran to its end. `around`: nodes that are right, but without which the region cannot be
 * lowered or run.
 */
export interface BisectionRecord {
  readonly delegate: number;
  readonly outcome: Outcome;
  readonly summary: string;
  readonly nodes: readonly number[];
  readonly lines?: readonly string[];
  readonly numbers?: Numbers;
  readonly log?: readonly TrialRow[];
  readonly complete?: boolean;
  readonly around?: readonly number[];
}

/** A match without compared values, and why: an index into `ValuesRecord.reasons`. */
export interface Uncompared {
  readonly match: number;
  readonly reason: number;
}

/** A problem in a value. */
export type Trouble = "nan" | "inf";

/**
 * The first node of a side whose value contains a NaN, or an infinite number, while its inputs did
 * not.
 */
export interface Producer {
  readonly side: string;
  readonly trouble: Trouble;
  readonly node: number;
  readonly count: number;
}

/**
 * All compared values: `a` and `b` are titles; a value diverges beyond `atol` + `rtol` × the largest
 * magnitude in a.
 *
 * `coarse`: dtypes that round more than `rtol` allows, each with its own rtol for values computed in or from
 * them. Integers and booleans must be equal. Rows are in the execution order of b; `first` is the first of
 * them that is an origin, NONE (-1) if none is. `waited_bytes` is the most memory of values of one program
 * that waited for their counterparts. `executor`: what ran b. `devices`: the delegates and ops of b in
 * the runtime, in execution order. `samples`: how many inputs were run; of each pair the worst counts.
 * `metrics`: the user's metric of a and of b, a pair for each input.
 */
export interface ValuesRecord {
  readonly schema: number;
  readonly a: string;
  readonly b: string;
  readonly rtol: number;
  readonly atol: number;
  readonly rows: readonly NumberRow[];
  readonly outputs?: readonly OutputRow[];
  readonly first?: number;
  readonly producers?: readonly Producer[];
  readonly uncompared?: readonly Uncompared[];
  readonly reasons?: readonly string[];
  readonly notes?: readonly string[];
  readonly inputs?: readonly (readonly [string, string])[];
  readonly inputs_from?: string;
  readonly waited_bytes?: number;
  readonly coarse?: readonly (readonly [string, number])[];
  readonly executor?: string;
  readonly devices?: readonly DeviceRow[];
  readonly samples?: number;
  readonly metrics?: readonly (readonly [number, number])[];
}
