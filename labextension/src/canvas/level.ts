/** Levels of detail: what is worth drawing at a zoom. */

export type Level = "full" | "names" | "shapes";

/** Below this a box has no room for two lines of text that can be read. */
const FULL = 0.68;
/** Below this a box of 38 px has no room for a line of text of 9.5 px. */
const NAMES = 0.34;

export function levelOf(zoom: number): Level {
  if (zoom >= FULL) return "full";
  return zoom >= NAMES ? "names" : "shapes";
}

/** No text is painted smaller than this, in screen pixels. */
export const SMALLEST_TEXT = 9.5;

/** How much a text of `size` px at zoom 1 is scaled: with the zoom, but never below what can be read. */
export const textScale = (zoom: number, size: number): number => Math.max(zoom, SMALLEST_TEXT / size);

/** "f32[1, 16, 64]" without the blanks, for where there is little room. */
export const tight = (text: string): string => text.replaceAll(", ", ",");
