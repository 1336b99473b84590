/** Between stages: the colour that a box had spreads into the one that it has. Pure. */
import type { Look, Paint } from "./look";
import { mixed } from "./theme";

export interface TintSpread {
  /** Colours before, by slot of the new scene. Absent where boxes had none but those of their kinds. */
  readonly before: Paint | undefined;
  /** How far the new colour has spread over a box, 0 … 1. */
  readonly part: (slot: number) => number;
}

/** A box's fill. `fillOf`: the fill for a colour that an overlay gives it or does not, be there an overlay or not. */
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
