/** Who says which siblings stand as one box. */
import type { Picture, Stretch, Stretches } from "../picture";

export interface Stretching {
  /** The stretches of a picture while these groups are open. */
  of(picture: Picture, open: ReadonlySet<number>): Stretches;
  /** What is in it is wanted: from now on it is none. The caller arranges its own picture anew. */
  release(stretch: Stretch): void;
}
