/**
 * Repeats in a sequence of kinds: ranges in which a pattern follows itself at least three times, or twice if it
 * is as long as a layer.
 *
 * Candidates for the period are the distances between equal short windows; each is then checked exactly.
 * Within its range a pattern may start at any offset: the one where fewest values cross is chosen.
 */

interface Repeat {
  readonly start: number;
  readonly period: number;
  readonly count: number;
}

const LEAST_COUNT = 3;
const LEAST_PERIOD = 6;
/** A pattern of at least as many nodes may be found only twice. */
const LAYER = 20;
const LONGEST = 400;
/** The length of the windows that are compared to find periods. */
const WINDOW = 6;
const GUESSES = 12;

/** Repeats without overlap, in order of start. */
export function repeats(kinds: ArrayLike<number>, costs: ArrayLike<number>): Repeat[] {
  const free: [number, number][] = [[0, kinds.length]];
  const found: Repeat[] = [];
  const guesses = periods(kinds).filter((p) => p <= LONGEST);
  const layers = guesses.filter((p) => p >= LAYER);
  while (free.length) {
    const [from, to] = free.pop()!;
    const best = longest(kinds, from, to, guesses, LEAST_COUNT) ?? longest(kinds, from, to, layers, 2);
    if (!best) continue;
    const repeat = atSeam(best, costs);
    found.push(repeat);
    free.push([from, repeat.start], [repeat.start + repeat.count * repeat.period, to]);
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Distances between equal windows, the most frequent first. */
function periods(kinds: ArrayLike<number>): number[] {
  const last = new Map<number, number>();
  const votes = new Map<number, number>();
  for (let i = 0; i + WINDOW <= kinds.length; i++) {
    let key = 0;
    for (let k = 0; k < WINDOW; k++) key = Math.imul(key, 0x01000193) ^ kinds[i + k]!;
    const before = last.get(key);
    if (before !== undefined && i - before >= LEAST_PERIOD)
      votes.set(i - before, (votes.get(i - before) ?? 0) + 1);
    last.set(key, i);
  }
  return [...votes]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, GUESSES)
    .map(([period]) => period);
}

/** The range in [from, to) in which one period covers most nodes; the shorter period on a tie. */
function longest(
  kinds: ArrayLike<number>,
  from: number,
  to: number,
  guesses: readonly number[],
  leastCount: number,
): Repeat | undefined {
  let best: Repeat | undefined;
  for (const period of guesses) {
    let start = from;
    for (let i = from; i + period <= to; i++) {
      const equal = i + period < to && kinds[i] === kinds[i + period];
      if (equal) continue;
      const length = i + period - start;
      const count = Math.floor(length / period);
      const size = best ? best.count * best.period : 0;
      const shorter = best !== undefined && count * period === size && period < best.period;
      if (count >= leastCount && (count * period > size || shorter)) best = { start, period, count };
      start = i + 1;
    }
  }
  return best;
}

/** The same repeat, moved within its range by less than a period to the cheapest seams. */
function atSeam({ start, period, count }: Repeat, costs: ArrayLike<number>): Repeat {
  let best = start;
  let least = Number.POSITIVE_INFINITY;
  for (let shift = 0; shift < period; shift++) {
    const fits = shift === 0 ? count : count - 1;
    if (fits < Math.min(count, LEAST_COUNT)) break;
    let sum = 0;
    for (let k = 0; k <= fits; k++) sum += costs[start + shift + k * period]!;
    if (sum / (fits + 1) < least) {
      least = sum / (fits + 1);
      best = start + shift;
    }
  }
  return { start: best, period, count: best === start ? count : count - 1 };
}
