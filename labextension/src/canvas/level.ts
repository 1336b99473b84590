/** Levels of detail: what is worth drawing at a zoom. */

export type Level = "full" | "names" | "shapes";

/** Below this the value's 10.5 px would be under 8. */
const FULL = 0.75;
/** Below this a box of 38 px has no room for a line of text of 9.5 px. */
const NAMES = 0.34;

export function levelOf(zoom: number): Level {
  if (zoom >= FULL) return "full";
  return zoom >= NAMES ? "names" : "shapes";
}

/** No text is painted smaller than this, in screen pixels. */
export const SMALLEST_TEXT = 9.5;
