/** Where the rows of a list begin, with one height for all or one for each. Pure. */
export interface Tops {
  /** The top of a row; for the number of rows, the total height. */
  readonly of: (index: number) => number;
  /** The row at this height. */
  readonly at: (y: number) => number;
}

export function topsOf(count: number, heights: number | readonly number[]): Tops {
  return typeof heights === "number" ? even(count, heights) : summed(heights);
}

function even(count: number, height: number): Tops {
  return {
    of: (index) => index * height,
    at: (y) => Math.max(0, Math.min(count - 1, Math.floor(y / height))),
  };
}

function summed(heights: readonly number[]): Tops {
  const tops = [0];
  for (const height of heights) tops.push((tops.at(-1) ?? 0) + height);
  const at = (y: number): number => {
    let [low, high] = [0, Math.max(0, heights.length - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((tops[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return { of: (index) => tops[index] ?? 0, at };
}
