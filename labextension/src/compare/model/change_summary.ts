/** What a panel says of a comparison as a whole. Pure. */

import type { Explorer } from "../../explorer";
import type { Scene } from "../../layout";
import { grouped } from "../../snapshot";
import { CHANGE_KINDS } from "../view/change_colors";
import { changed } from "./changes";
import type { Comparison, Counts } from "./schema";
import type { Tally } from "./tally";

/** How many module calls hold no change at all. */
export const unchangedModules = ({ modules = [] }: Comparison): number =>
  modules.filter(({ counts }) => !changed(counts)).length;

/** "1 added, 2 removed": of what is read out or pointed at. */
export const countWords = (counts: Counts): string =>
  CHANGE_KINDS.filter((kind) => counts[kind])
    .map((kind) => `${grouped(counts[kind] ?? 0)} ${kind}`)
    .join(", ") || "no change";

/** Of a group as a scene shows it: "4 changed"; of equals that are folded into one box, "in all 11: 44 changed". */
export function groupWords(tally: Tally, scene: Scene, item: number): string {
  const members = tally.membersSeen(scene, item);
  const words = countWords(tally.countsSeen(scene, item));
  return members > 1 ? `in all ${members}: ${words}` : words;
}

/** What became of a box of a side, for whoever cannot see its colour; empty where it is the same. */
export function boxWords(tally: Tally, { picture, state }: Explorer, item: number): string {
  if (picture.isGroup(item)) {
    return changed(tally.countsSeen(state.scene, item)) ? groupWords(tally, state.scene, item) : "";
  }
  const kind = tally.kind(item);
  return kind === "same" ? "" : kind;
}
