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

/** Values, badges and chips shrink with the zoom to this and no further: beside each other, all alike. */
const FLOOR = 0.8;

/**
 * How much a text of `size` px at zoom 1 is scaled: with the zoom, but not below what can be read where there is
 * room for that. `width`: of the text at zoom 1; `room`: screen pixels.
 */
export function readable(zoom: number, size: number, width: number, room: number): number {
  const wanted = Math.max(zoom, Math.min(FLOOR, SMALLEST_TEXT / size));
  return width * wanted <= room ? wanted : zoom;
}
