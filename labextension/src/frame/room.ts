/** How much of a mount the picture has, before anything of it stands: the first scene is chosen for that. */
import type { Size } from "../canvas/camera";
import { PANEL_WIDTH } from "./side";

/** CSS pixels, as the sheet lays them out: the bar and the toolbar above, the legend below. */
const ROWS = 41 + 39 + 35;
/** Mounts narrower than this begin without the side panel. */
const WIDE = 700;

export function pictureRoom(root: HTMLElement): { readonly screen: Size; readonly isPanelOpen: boolean } {
  const isPanelOpen = root.clientWidth >= WIDE;
  const width = root.clientWidth - (isPanelOpen ? PANEL_WIDTH.first : 0);
  const screen = { width: Math.max(200, width), height: Math.max(200, root.clientHeight - ROWS) };
  return { screen, isPanelOpen };
}
