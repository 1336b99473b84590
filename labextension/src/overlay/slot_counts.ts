/** How many ops in a slot of the scene belong to each of several groups, such as backends or rules. */
import type { Scene } from "../layout";
import { itemsAt, type Picture } from "../picture";

interface SlotCounts<Group> {
  readonly counts: ReadonlyMap<Group, number>;
  /** All counted ops, including those without a group. */
  readonly all: number;
}

/** `isCounted` decides which nodes count. Each slot is counted once, when first needed. */
export function countsBySlot<Group>(
  picture: Picture,
  scene: Scene,
  isCounted: (node: number) => boolean,
  groupOf: (node: number) => Group | undefined,
): (slot: number) => SlotCounts<Group> {
  const known = new Map<number, SlotCounts<Group>>();
  const count = (slot: number): SlotCounts<Group> => {
    const counts = new Map<Group, number>();
    let all = 0;
    for (const item of itemsAt(picture, scene, slot)) {
      for (const leaf of picture.leavesOf(item)) {
        const node = picture.nodeOf(leaf);
        if (!isCounted(node)) continue;
        all++;
        const group = groupOf(node);
        if (group !== undefined) counts.set(group, (counts.get(group) ?? 0) + 1);
      }
    }
    return { counts, all };
  };
  return (slot) => {
    const counts = known.get(slot) ?? count(slot);
    known.set(slot, counts);
    return counts;
  };
}
