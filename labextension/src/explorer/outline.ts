/** The boxes of a scene as an outline: each group is followed by its content. Pure. */
import type { Scene } from "../layout";

/** All slots, each after its holder and before its holder's next sibling. */
export function outline(scene: Scene, parentOf: (item: number) => number): Int32Array {
  const count = scene.item.length;
  // Linked lists of the slots of each holder; the last entry is the top's.
  const first = new Int32Array(count + 1).fill(-1);
  const next = new Int32Array(count).fill(-1);
  for (let slot = count - 1; slot >= 0; slot--) {
    const parent = parentOf(scene.item[slot] ?? -1);
    const parentSlot = parent < 0 ? -1 : (scene.slotOf[parent] ?? -1);
    const holder = parentSlot < 0 ? count : parentSlot;
    next[slot] = first[holder] ?? -1;
    first[holder] = slot;
  }
  const found = new Int32Array(count);
  const rest = [first[count] ?? -1];
  for (let at = 0; rest.length; ) {
    const slot = rest.pop() ?? -1;
    if (slot < 0) continue;
    found[at++] = slot;
    rest.push(next[slot] ?? -1, first[slot] ?? -1);
  }
  return found;
}
