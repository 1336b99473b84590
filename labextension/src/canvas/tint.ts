/** The tint of modules, which deepens with depth, and the text on it. Pure. */
import type { Look, Paint } from "./look";
import { mixed, type Theme } from "./theme";

/** The total opacity of the tint at a depth. Each level adds less, so that text stays readable. */
const laidOn = (theme: Theme, depth: number): number =>
  (theme.isDark ? 0.22 : 0.31) * (1 - 0.84 ** (depth + 1));

/** The opacity that a module at a depth adds to the modules around it. */
export const strengthAt = (theme: Theme, depth: number): number =>
  1 - (1 - laidOn(theme, depth)) / (1 - laidOn(theme, depth - 1));

/**
 * Dimmed text on a tint: darker than on the plain background, so that its contrast is at least 4.5 at any
 * depth.
 */
export const dimOnTint = (theme: Theme): string => mixed(theme.text, theme.dim, 0.4);

/** The resulting background at a depth of modules; -1 is outside all modules. */
export function groundAtDepth(theme: Theme, depth: number): string {
  const [r = 0, g = 0, b = 0] = theme.tint.split(",").map(Number);
  const tint = `#${[r, g, b].map((each) => each.toString(16).padStart(2, "0")).join("")}`;
  return /^#[0-9a-f]{6}$/i.test(theme.ground)
    ? mixed(tint, theme.ground, laidOn(theme, depth))
    : theme.ground;
}

/** The resulting background of an open module, for halos around text. */
export const groundAt = ({ theme, scene }: Look, slot: number): string =>
  groundAtDepth(theme, slot < 0 ? -1 : (scene.depth[slot] ?? 0));

/** Between stages: how a box's colour changes from the old to the new one. */
export interface TintSpread {
  /** The old colours, by slot of the new scene. Absent if boxes had only the colours of their kinds. */
  readonly before: Paint | undefined;
  /** How much of a box has the new colour, 0 … 1. */
  readonly part: (slot: number) => number;
}

/** The fill of a box. `fillOf` returns the fill for an overlay colour, or for none. */
export function spreadFill(
  { paint, spread }: Pick<Look, "paint" | "spread">,
  slot: number,
  fillOf: (color: string | undefined, hasOverlay: boolean) => string,
): string {
  const now = fillOf(paint?.(slot), paint !== undefined);
  const part = spread?.part(slot) ?? 1;
  if (!spread || part === 1) return now;
  const before = fillOf(spread.before?.(slot), spread.before !== undefined);
  return before === now ? now : mixed(now, before, part);
}
