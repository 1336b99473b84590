/** From a number to 0 … 1: by size, by order of magnitude, or by rank. */

export type Scale = "linear" | "log" | "quantile";

export interface Ramp {
  readonly low: number;
  readonly high: number;
  at(value: number): number;
  /** The number at a fraction of the scale: the inverse of `at`, for ticks. */
  value(part: number): number;
}

export function ramp(values: readonly number[], scale: Scale): Ramp {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  const low = sorted[0] ?? 0;
  const high = sorted[sorted.length - 1] ?? 0;
  const inside = (t: number): number => (Number.isFinite(t) ? Math.min(1, Math.max(0, t)) : 0);
  if (scale === "quantile") {
    const last = Math.max(0, sorted.length - 1);
    return {
      low,
      high,
      at: (value) => inside(rank(sorted, value) / Math.max(1, last)),
      value: (part) => sorted[Math.round(part * last)] ?? low,
    };
  }
  if (scale === "log") {
    // Zero and less have no logarithm: they are at the low end.
    const least = sorted.find((value) => value > 0) ?? 1;
    const span = Math.log(high / least);
    return {
      low,
      high,
      at: (value) => (value <= 0 || span <= 0 ? 0 : inside(Math.log(value / least) / span)),
      value: (part) => (part === 0 || span <= 0 ? low : least * Math.exp(part * span)),
    };
  }
  const least = Math.min(0, low);
  return {
    low: least,
    high,
    at: (value) => inside((value - least) / (high - least)),
    value: (part) => least + part * (high - least),
  };
}

/** How many numbers are smaller. */
function rank(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
