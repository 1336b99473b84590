/**
 * Positions on a grid of 1/16 pixel: their sums are exact in floating point, so that a line composed of
 * pieces of several groups has no gaps at borders, and equal things are equal at any position.
 */

export const snap = (v: number): number => Math.round(v * 16) / 16;

/** For sizes: half of one is on the grid too. */
export const snapUp = (v: number): number => Math.ceil(v * 8) / 8;
