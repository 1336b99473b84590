/** Text about a comparison as a whole. Pure. */

import type { Explorer } from "../../explorer";
import type { Scene } from "../../layout";
import { grouped } from "../../snapshot";
import { CHANGE_KINDS } from "../view/change_colors";
import { changed } from "./changes";
import type { Comparison, Counts } from "./schema";
import type { Tally } from "./tally";

/** The number of module calls without any change. */
export const unchangedModules = ({ modules = [] }: Comparison): number =>
  modules.filter(({ counts }) => !changed(counts)).length;

/** "1 added, 2 removed", for tooltips and screen readers. */
export const countWords = (counts: Counts): string =>
  CHANGE_KINDS.filter((kind) => counts[kind])
    .map((kind) => `${grouped(counts[kind] ?? 0)} ${kind}`)
    .join(", ") || "no change";

/**
 * A group as a scene shows it: "4 changed"; for identical ones folded into one box, "in all 11: 44 changed".
 */
function groupWords(tally: Tally, scene: Scene, item: number): string {
  const members = tally.membersSeen(scene, item);
  const words = countWords(tally.countsSeen(scene, item));
  return members > 1 ? `in all ${members}: ${words}` : words;
}

/** How a box of a side changed, for users who cannot see its colour; empty if it is unchanged. */
export function boxWords(tally: Tally, { picture, state }: Explorer, item: number): string {
  if (picture.isGroup(item)) {
    return changed(tally.countsSeen(state.scene, item)) ? groupWords(tally, state.scene, item) : "";
  }
  const kind = tally.kind(item);
  return kind === "same" ? "" : kind;
}
