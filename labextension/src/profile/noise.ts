/**
 * Is one time longer than another, or as likely noise? The rules of `exir_viz/compare/noise.py`: their spreads do not
 * touch, and they differ by more than a tenth.
 */

/** Nanoseconds of one run, and from where to where the middle half of the runs lies. */
export interface Span {
  readonly time: number;
  readonly low: number;
  readonly high: number;
}

interface Spread {
  readonly time: number;
  readonly p25: number | undefined;
  readonly p75: number | undefined;
  readonly n: number;
}

const NOISE = 1.1;
/** Quartiles of fewer runs say nothing. */
const FEWEST = 4;

export const NOTHING: Span = { time: 0, low: 0, high: 0 };

/** Without bounds where the spread is not known. */
export function spanOf({ time, p25, p75, n }: Spread): Span {
  if (p25 === undefined || p75 === undefined || n < FEWEST)
    return { time, low: 0, high: Number.POSITIVE_INFINITY };
  return { time, low: Math.min(time, p25), high: Math.max(time, p75) };
}

/** Of what runs one after the other: as wide as it can be. */
export const sum = (a: Span, b: Span): Span => ({
  time: a.time + b.time,
  low: a.low + b.low,
  high: a.high + b.high,
});

export function areApart(a: Span, b: Span): boolean {
  const [shorter, longer] = a.time <= b.time ? [a, b] : [b, a];
  return shorter.high < longer.low && longer.time > NOISE * shorter.time;
}
