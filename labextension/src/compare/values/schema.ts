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
 * The distance of value b from value a, over the elements that are finite in both.
 *
 * `max_abs`: the largest difference; None if no element is finite in both. `relative`: the same as a share
 * of the largest magnitude in a; None if a is zero throughout and b is not. `cosine`: of the two as vectors;
 * None if only one is zero. `snr`: signal (a) to noise (b - a) in decibels; None if they are equal or a is
 * zero throughout. `unlike`: elements that are NaN or infinite in one and not the same in the other.
 * `parted`: beyond the tolerance.
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
 * Two nodes whose values were compared, and their match.
 *
 * For a node that ran several times the worst turn counts; `turns` were compared. `origin`: it diverges, and
 * none of its inputs do. `probable`: the match is only probable. `emulated`: one of them is a delegate's
 * output, which eager torch computed from the program that the backend was given. `scaled`: the integers of
 * one were dequantized with the scale and the zero point of its graph.
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
 * What the two programs return: an output, or an updated buffer or input.
 *
 * `numbers` is None if the two could not be compared; `reason` says why.
 */
export interface OutputRow {
  readonly name: string;
  readonly numbers?: Numbers;
  readonly reason?: string;
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
 * that waited for their counterparts.
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
