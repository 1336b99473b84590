/** How large boxes are, in world pixels, from the text they carry. Pure: the width of a text is asked for. */

/** The roles of text on the canvas; the theme says which font each is. */
export type TextRole = "op" | "value" | "module" | "class" | "badge" | "chip" | "label";

/** Width of a text at zoom 1, in world pixels. */
export type Measure = (text: string, role: TextRole) => number;

export const BOX = { height: 38, least: 102, most: 280, left: 13, right: 16 } as const;
export const MODULE = { height: 34, least: 150, most: 420, left: 27, right: 12 } as const;
export const CHIP = { height: 15, pad: 6, gap: 4, inset: 8, most: 2, middle: 6, second: 14 } as const;
export const BADGE = { height: 16, pad: 6, gap: 5 } as const;

/** Chips that a box has room for, and "+2" for those it has not. */
export function shownChips(texts: readonly string[]): string[] {
  if (texts.length <= CHIP.most) return [...texts];
  return [...texts.slice(0, CHIP.most), `+${texts.length - CHIP.most}`];
}

/** `lines`: how many arrive at the box. */
export function nodeWidth(
  title: string,
  value: string,
  chips: readonly string[],
  lines: number,
  measure: Measure,
): number {
  // Chips reach into the box beside its title: neither covers the other.
  let row = chips.length ? CHIP.inset : 0;
  for (const chip of shownChips(chips)) row += measure(chip, "chip") + 2 * CHIP.pad + CHIP.gap;
  const text = Math.max(measure(title, "op") + row, measure(value, "value")) + BOX.left + BOX.right;
  // A line arrives in the middle of the top edge, a second beside it: chips keep to the right of them.
  const edge = row ? 2 * (row + CHIP.middle + (lines > 1 ? CHIP.second : 0)) : 0;
  return Math.round(clamp(Math.max(text, edge), BOX.least, BOX.most));
}

/** A closed module, and the least width of an open one: title and badges fit, the class gives way. */
export function moduleWidth(title: string, cls: string, badges: readonly string[], measure: Measure): number {
  let badgeRow = 0;
  for (const badge of badges) badgeRow += measure(badge, "badge") + 2 * BADGE.pad + BADGE.gap;
  const head = MODULE.left + measure(title, "module") + MODULE.right;
  const full = head + measure(cls, "class") + 8 + badgeRow + 8;
  return Math.round(clamp(full <= 400 ? full : head + badgeRow + 8, MODULE.least, MODULE.most));
}

const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));
