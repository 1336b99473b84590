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

/** Of the font's size: where the baseline is below the middle of a line, and how far "_" and "g" go below it. */
const BASELINE = 0.35;
const DESCENT = 0.24;
/** Screen pixels of a box's height that the line around it may cover at its bottom. */
const RIM = 1.5;

/**
 * Screen pixels from the middle of a box to the baseline of its only line of text. In a low box the text moves
 * up, until it is in the middle with its descenders, so that they are above the line around the box.
 */
export const baselineIn = (height: number, size: number): number =>
  Math.min(BASELINE * size, Math.max((BASELINE - DESCENT / 2) * size, height / 2 - RIM - DESCENT * size));

/** The scale of the gaps between texts: they shrink with the zoom and do not grow. */
export const gapScale = (zoom: number): number => Math.min(1, zoom);

/** "f32[1, 16, 64]" without spaces, for narrow places. */
export const tight = (text: string): string => text.replaceAll(", ", ",");
