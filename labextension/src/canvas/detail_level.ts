/** Levels of detail: what is worth drawing at a zoom, and how large text is there. */
import { READABLE } from "../explorer/camera_follow";

export type Level = "full" | "names" | "shapes";

/** Below this a box has no room for two lines of text that can be read; cameras stop just above it. */
const FULL = READABLE - 0.01;
/** Below this a box of 38 px has no room for one. */
export const NAMES = 0.37;

export function levelOf(zoom: number): Level {
  if (zoom >= FULL) return "full";
  return zoom >= NAMES ? "names" : "shapes";
}

/** No text is painted smaller than this, in screen pixels. */
export const SMALLEST_TEXT = 11;

/**
 * How much a text of `size` px is scaled at a zoom. It becomes smaller as far as it can be read, and never larger:
 * a box that grows has room for more text instead.
 */
export const textScale = (zoom: number, size: number): number =>
  Math.max(Math.min(1, zoom), SMALLEST_TEXT / size);

/** Of paddings between texts: they shrink with the zoom, and do not grow with it. */
export const gapScale = (zoom: number): number => Math.min(1, zoom);

/** "f32[1, 16, 64]" without the blanks, for where there is little room. */
export const tight = (text: string): string => text.replaceAll(", ", ",");
