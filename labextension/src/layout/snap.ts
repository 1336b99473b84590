/**
 * Positions on a grid of 1/16 pixel: sums of them are exact in floating point, so that a line composed of
 * pieces of several groups meets itself at each border, and equal things are equal wherever they stand.
 */

export const snap = (v: number): number => Math.round(v * 16) / 16;

/** For sizes: so that half of one is on the grid too. */
export const snapUp = (v: number): number => Math.ceil(v * 8) / 8;
