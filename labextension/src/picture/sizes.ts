/** The sizes of boxes in world pixels, from their text. Pure: a function measures text. */

/** The roles of text on the canvas; the theme gives each a font. "name": an op's name when zoomed out. */
export type TextRole = "op" | "name" | "value" | "module" | "class" | "badge" | "chip" | "label";

/** Width of a text at zoom 1, in world pixels. */
export type Measure = (text: string, role: TextRole) => number;

export const BOX = { height: 38, least: 102, most: 280, left: 13, right: 16 } as const;
export const MODULE = { height: 34, least: 170, most: 430, left: 27, right: 12 } as const;
export const CHIP = { height: 15, pad: 6, gap: 4, inset: 8, most: 2, middle: 6, second: 14 } as const;
export const BADGE = { height: 16, pad: 6, gap: 5 } as const;

/**
 * The zoom at which a name still fits: its size there, relative to zoom 1, and the world pixels around it.
 */
const FAR = { zoom: 0.58, size: 0.88, around: 11 } as const;

/** The smallest zoom with chips, and the size of a title there, relative to zoom 1. */
const NEAR = { zoom: 0.74, title: 0.88 } as const;

/** A mark on a box: its text, and the short text where that has no room. */
export interface Chip {
  /** "W 64×64", or "arena 1 · 2 KB". */
  readonly text: string;
  /** "W", or "2 KB". */
  readonly short: string;
  /** Whether a box gets no room for more than the short text: with a memory plan, every box has such a chip. */
  readonly isMemoryPlan?: boolean;
}

/** Chips that fit on a box, and "+2" for the rest. */
export function shownChips(chips: readonly Chip[]): Chip[] {
  if (chips.length <= CHIP.most) return [...chips];
  const more = `+${chips.length - CHIP.most}`;
  return [...chips.slice(0, CHIP.most), { text: more, short: more }];
}

/** The text of a chip that a box has room for. */
export const roomFor = ({ text, short, isMemoryPlan }: Chip): string => (isMemoryPlan ? short : text);

/** `lines`: how many lines enter the box. */
export function nodeWidth(
  title: string,
  value: string,
  chips: readonly Chip[],
  lines: number,
  measure: Measure,
): number {
  // Chips extend into the box beside its title: they must not overlap.
  const shown = shownChips(chips);
  const words = shown.reduce((sum, chip) => sum + measure(roomFor(chip), "chip"), 0);
  const row = shown.length ? CHIP.inset + words + shown.length * (2 * CHIP.pad + CHIP.gap) : 0;
  const text = Math.max(measure(title, "op") + row, measure(value, "value")) + BOX.left + BOX.right;
  // At zooms where text no longer shrinks with the box, its title and its chips must still fit side by side.
  const near = row ? (measure(title, "op") * NEAR.title + words) / NEAR.zoom + row - words + BOX.left + 4 : 0;
  // Zoomed out, a box shows only its name, at its smallest readable size.
  const far = (measure(title, "name") * FAR.size) / FAR.zoom + FAR.around;
  // The first line enters in the middle of the top edge, a second beside it: chips are to the right of them.
  const edge = row && lines ? 2 * (row + CHIP.middle + (lines > 1 ? CHIP.second : 0)) : 0;
  return Math.round(clamp(Math.max(text, near, edge, far), BOX.least, BOX.most));
}

/**
 * The zoom of a first view at which modules show all their text, and the size of a class there; `least`: the
 * zoom of one that is a little wider than the screen.
 */
export const FIRST = { zoom: 0.85, class: 0.92, least: 0.75 } as const;

/**
 * The width of a closed module, and the least width of an open one: title and badges fit, the class may be
 * cut. Of `badges` the one in `beyond` leaves the others their room.
 */
export function moduleWidth(
  title: string,
  cls: string,
  badges: readonly string[],
  measure: Measure,
  beyond = "",
): number {
  const wide = (badge: string): number => measure(badge, "badge") / FIRST.zoom + 2 * BADGE.pad + BADGE.gap;
  const badgeRow = badges.reduce((sum, badge) => sum + wide(badge), 0);
  const most = MODULE.most + (beyond ? wide(beyond) : 0);
  const head = MODULE.left + measure(title, "module") + MODULE.right + badgeRow + 10;
  const full = head + (measure(cls, "class") * FIRST.class) / FIRST.zoom + 8;
  return Math.round(clamp(full <= most ? full : head, MODULE.least, most));
}

const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));
