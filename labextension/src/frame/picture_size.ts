/** The size of the picture in a mount before anything is rendered: it decides the first scene. */
import type { Size } from "../geometry/camera";
import type { Scene } from "../layout";
import { FIRST } from "../picture";

/** The sizes of the side panel beside the picture and below it, in CSS pixels. */
export const PANEL_WIDTH = { first: 350, least: 240, most: 900 } as const;
export const SHEET_HEIGHT = { first: 260, least: 120, most: 900 } as const;

/** CSS pixels, as in the style sheet: the bar and the toolbar above, the legend below. */
const BAR = 41;
const ROWS = 39 + 35;
/** A bar with stages is higher: per row, around them, and the most that the style sheet allows. */
const STAGES = { row: 42, around: 11, most: 147 };
/** Mounts narrower than this begin without the side panel; when it opens, it lies below the picture. */
const WIDE = 760;

/** Mounts narrower than this begin without the side panel too if the first picture does not fit beside it. */
const ROOMY = 1000;

export const isWide = (root: Element): boolean => root.clientWidth >= WIDE;

/** The width of the first picture without the side panel, if it runs off at the right beside the panel. */
export function widthWithoutPanel(root: Element, scene: Scene, screen: Size): number | undefined {
  const isOff = scene.width * FIRST.zoom > screen.width;
  return isWide(root) && root.clientWidth < ROOMY && isOff ? root.clientWidth : undefined;
}

/** `rows`: of the stage strip; 0 without one. `timeline`: its height in CSS pixels if open. */
export function pictureRoom(
  root: HTMLElement,
  rows = 0,
  timeline = 0,
): { readonly screen: Size; readonly isPanelOpen: boolean } {
  const isPanelOpen = isWide(root);
  const width = root.clientWidth - (isPanelOpen ? PANEL_WIDTH.first : 0);
  const bar = rows ? STAGES.around + Math.min(STAGES.most, rows * STAGES.row) : BAR;
  const screen = {
    width: Math.max(200, width),
    height: Math.max(200, root.clientHeight - bar - ROWS - timeline),
  };
  return { screen, isPanelOpen };
}
