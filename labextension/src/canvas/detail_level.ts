/** Levels of detail: what is drawn at a zoom, and how large its text is. */
import { READABLE } from "../explorer/camera_follow";

export type Level = "full" | "names" | "shapes";

/** Below this zoom a box has no room for two readable lines of text. Cameras stop just above it. */
const FULL = READABLE - 0.01;
/** Below this a box of 38 px has no room for one. */
export const NAMES = 0.37;

export function levelOf(zoom: number): Level {
  if (zoom >= FULL) return "full";
  return zoom >= NAMES ? "names" : "shapes";
}

/** The smallest text, in screen pixels. */
export const SMALLEST_TEXT = 11;

/**
 * The scale of text of `size` px at a zoom. Text shrinks until it is just readable and never grows: a larger
 * box has room for more text instead.
 */
export const textScale = (zoom: number, size: number): number =>
  Math.max(Math.min(1, zoom), SMALLEST_TEXT / size);

/** The scale of the gaps between texts: they shrink with the zoom and do not grow. */
export const gapScale = (zoom: number): number => Math.min(1, zoom);

/** "f32[1, 16, 64]" without spaces, for narrow places. */
export const tight = (text: string): string => text.replaceAll(", ", ",");
