/** From a number to 0 … 1: by size, by order of magnitude, or by rank. */

export interface Ramp {
  readonly low: number;
  readonly high: number;
  at(value: number): number;
}

export function ramp(values: readonly number[], scale: "linear" | "log" | "quantile"): Ramp {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  const low = sorted[0] ?? 0;
  const high = sorted[sorted.length - 1] ?? 0;
  const inside = (t: number): number => (Number.isFinite(t) ? Math.min(1, Math.max(0, t)) : 0);
  if (scale === "quantile") {
    return { low, high, at: (value) => inside(rank(sorted, value) / Math.max(1, sorted.length - 1)) };
  }
  if (scale === "log") {
    // Zero and less have no logarithm: they stand at the low end.
    const least = sorted.find((value) => value > 0) ?? 1;
    const span = Math.log(high / least);
    return {
      low,
      high,
      at: (value) => (value <= 0 || span <= 0 ? 0 : inside(Math.log(value / least) / span)),
    };
  }
  const least = Math.min(0, low);
  return { low: least, high, at: (value) => inside((value - least) / (high - least)) };
}

/** How many are smaller. */
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
