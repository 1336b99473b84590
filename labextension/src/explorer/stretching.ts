/** Decides which siblings are hidden in one box. */
import type { Picture, Stretch, Stretches } from "../picture";

export interface Stretching {
  /** The boxes of hidden siblings in a picture while these groups are open. */
  of(picture: Picture, open: ReadonlySet<number>): Stretches;
  /** Shows the content of such a box from now on. The caller arranges its own picture. */
  release(stretch: Stretch): void;
}
