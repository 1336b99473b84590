import type { BoxLabels } from "./box_labels";

/** A stretch: siblings that stand as one small box, because none of them is looked at for itself. */
export interface Stretch {
  /** In their order; the first is the item of the box. */
  readonly items: readonly number[];
  /** How many boxes of ops it stands for when all is open. */
  readonly count: number;
}

/** By the item of its box. */
export type Stretches = ReadonlyMap<number, Stretch>;

export const NO_STRETCHES: Stretches = new Map();

export const stretchesByItem = (all: readonly Stretch[]): Stretches =>
  new Map(all.map((stretch) => [stretch.items[0] ?? -1, stretch]));

/** No more names than fit a line or two. */
const NAMES = 6;

/** "add, mul, view": what is in it. */
export function namesIn({ items }: Stretch, words: Pick<BoxLabels, "title">): string {
  const names = items.slice(0, NAMES).map((item) => words.title(item));
  return [...names, ...(items.length > NAMES ? ["…"] : [])].join(", ");
}
