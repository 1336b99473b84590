import type { BoxLabels } from "./box_labels";

/** A run of unchanged siblings: they share one small box, because the reader looks for changes. */
export interface Stretch {
  /** In order; the box has the item of the first. */
  readonly items: readonly number[];
  /** The number of op boxes that it replaces when all is open. */
  readonly count: number;
}

/** By the item of its box. */
export type Stretches = ReadonlyMap<number, Stretch>;

export const NO_STRETCHES: Stretches = new Map();

export const stretchesByItem = (all: readonly Stretch[]): Stretches =>
  new Map(all.map((stretch) => [stretch.items[0] ?? -1, stretch]));

/** The most names that fit a line or two. */
const NAMES = 6;

/** "add, mul, view": the names of its content. */
export function namesIn({ items }: Stretch, words: Pick<BoxLabels, "title">): string {
  const names = items.slice(0, NAMES).map((item) => words.title(item));
  return [...names, ...(items.length > NAMES ? ["…"] : [])].join(", ");
}
