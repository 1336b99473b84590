/** The items in a slot of a scene: one, or several identical ones of a folded run. */
import type { Scene } from "../layout";
import type { Picture } from "./picture";

export function itemsAt(picture: Picture, { item, members }: Scene, slot: number): readonly number[] {
  const [first, count] = [item[slot] ?? 0, members[slot] ?? 1];
  if (count === 1) return [first];
  const siblings = picture.equalSiblings(first);
  const from = siblings.indexOf(first);
  return siblings.slice(from, from + count);
}
