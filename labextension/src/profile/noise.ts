/**
 * Whether one time is longer than another, beyond noise. The rules of `exir_viz/compare/noise.py`: their
 * spreads do not overlap, and they differ by more than a tenth.
 */

/** Nanoseconds of one run, and the range of the middle half of the runs. */
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
/** Quartiles of fewer runs mean nothing. */
const FEWEST = 4;

export const NOTHING: Span = { time: 0, low: 0, high: 0 };

/** Without bounds if the spread is unknown. */
export function spanOf({ time, p25, p75, n }: Spread): Span {
  if (p25 === undefined || p75 === undefined || n < FEWEST)
    return { time, low: 0, high: Number.POSITIVE_INFINITY };
  return { time, low: Math.min(time, p25), high: Math.max(time, p75) };
}

/** The sum of consecutive spans, with the widest possible spread. */
export const sum = (a: Span, b: Span): Span => ({
  time: a.time + b.time,
  low: a.low + b.low,
  high: a.high + b.high,
});

export function areApart(a: Span, b: Span): boolean {
  const [shorter, longer] = a.time <= b.time ? [a, b] : [b, a];
  return shorter.high < longer.low && longer.time > NOISE * shorter.time;
}
