/** Between stages: a box's colour changes from the old to the new one. Pure. */
import type { Look, Paint } from "./look";
import { mixed } from "./theme";

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
