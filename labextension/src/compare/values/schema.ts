/**
 * Where the numbers of two programs part. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

export const SCHEMA = 1;

/** How many elements of one value are NaN, and how many infinite. */
export interface Health {
  readonly nan?: number;
  readonly inf?: number;
}

/**
 * How far value b is from value a, over the elements that are finite in both.
 *
 * `max_abs`: the largest difference; None where no element is finite in both. `relative`: the same as a
 * share of the largest magnitude in a; None where a is zero throughout and b is not. `cosine`: of the two as
 * vectors; None where only one is zero. `snr`: signal (a) to noise (b - a) in decibels; None where they are
 * equal or a is zero throughout. `unlike`: elements that are NaN or infinite in one and not the same in the
 * other. `parted`: beyond the tolerance.
 */
export interface Numbers {
  readonly elements: number;
  readonly max_abs?: number | null;
  readonly relative?: number | null;
  readonly cosine?: number;
  readonly snr?: number;
  readonly unlike?: number;
  readonly parted?: boolean;
}

/**
 * Two nodes whose values were compared, and the match that they are of.
 *
 * Of a node that ran several times the worst turn is told; `turns` were compared. `origin`: it parted, and
 * nothing that it was computed from did. `probable`: that they are each other's is only probable.
 * `emulated`: one of them is what a backend hands back, which eager torch computed from the program that the
 * backend was given. `scaled`: the integers of one were made numbers by the scale and the zero point that
 * its graph says.
 */
export interface NumberRow {
  readonly match: number;
  readonly a: number;
  readonly b: number;
  readonly numbers: Numbers;
  readonly turns?: number;
  readonly origin?: boolean;
  readonly probable?: boolean;
  readonly emulated?: boolean;
  readonly scaled?: boolean;
  readonly health_a?: Health;
  readonly health_b?: Health;
}

/**
 * What the two programs hand back: an output, or what they wrote to a buffer or an input.
 *
 * `numbers` is None where the two could not be compared; `reason` says why.
 */
export interface OutputRow {
  readonly name: string;
  readonly numbers?: Numbers;
  readonly reason?: string;
}

/** A match of which no values were compared, and why: a number of `ValuesRecord.reasons`. */
export interface Uncompared {
  readonly match: number;
  readonly reason: number;
}

/** What was found in a value. */
export type Trouble = "nan" | "inf";

/** The first node of a side whose value holds a NaN, or an infinite number, while what it read did not. */
export interface Producer {
  readonly side: string;
  readonly trouble: Trouble;
  readonly node: number;
  readonly count: number;
}

/**
 * All of it: `a` and `b` are titles; a value parts beyond `atol` + `rtol` × the largest magnitude in a.
 *
 * `coarse`: dtypes that round more than `rtol` allows, each with what takes its place for all that was
 * computed in them or from that.
 * Integers and booleans must be equal. Rows stand in the order in which b ran; `first` is the first of them
 * that is an origin, NONE (-1) where none is. `waited_bytes` is the most that values of one program took
 * while they waited for those of the other.
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
}
