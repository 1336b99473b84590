/** The width of a line by the bytes of its tensor: one step for each factor of 16. */
import type { Look } from "./look";

/** Screen pixels at zoom 1, from less than 1 KB to more than 64 MB. */
const WIDTHS = [0.8, 1.3, 2, 3, 4.2, 5.6] as const;

export function weightOf({ picture }: Look, leaf: number): number {
  const node = picture.nodeOf(leaf);
  const bytes = node < 0 ? 0 : (picture.snapshot.bytes(node) ?? 0);
  const step = bytes < 1024 ? 0 : 1 + Math.floor(Math.log2(bytes / 1024) / 4);
  return WIDTHS[Math.min(WIDTHS.length - 1, step)] ?? WIDTHS[0];
}
