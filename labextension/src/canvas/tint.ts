/** The tint of modules, which deepens with depth, and the words on it. Pure. */
import type { Look } from "./look";
import { mixed, type Theme } from "./theme";

/** How much of the tint lies on the ground at a depth, all told. It deepens by less and less: words stay readable. */
const laidOn = (theme: Theme, depth: number): number =>
  (theme.isDark ? 0.22 : 0.31) * (1 - 0.84 ** (depth + 1));

/** How much of it a module at a depth adds to that of those around it. */
export const strengthAt = (theme: Theme, depth: number): number =>
  1 - (1 - laidOn(theme, depth)) / (1 - laidOn(theme, depth - 1));

/** Dim words on a tint: nearer to ink than on the bare ground, so that their contrast is at least 4.5 at any depth. */
export const dimOnTint = (theme: Theme): string => mixed(theme.ink, theme.dim, 0.4);

/** The ground as it comes out within so many modules; -1 is outside of all. */
export function groundAtDepth(theme: Theme, depth: number): string {
  const [r = 0, g = 0, b = 0] = theme.tint.split(",").map(Number);
  const tint = `#${[r, g, b].map((each) => each.toString(16).padStart(2, "0")).join("")}`;
  return /^#[0-9a-f]{6}$/i.test(theme.ground)
    ? mixed(tint, theme.ground, laidOn(theme, depth))
    : theme.ground;
}

/** The colour of an open module's ground as it comes out, with those around it: what text is set off with. */
export const groundAt = ({ theme, scene }: Look, slot: number): string =>
  groundAtDepth(theme, slot < 0 ? -1 : (scene.depth[slot] ?? 0));
