/** The boxes and lines of a scene of both programs that only the first program has. Pure. */
import type { Scene } from "../../layout";
import type { Picture } from "../../picture";
import type { UnitedProgram } from "./united_program";

export function removedIn(
  union: UnitedProgram,
  picture: Picture,
  scene: Scene,
): { readonly boxes: ReadonlySet<number>; readonly edges: ReadonlySet<number> } {
  const isGhost = (item: number): boolean => {
    const node = picture.nodeOf(item);
    return node >= 0 && union.isGhost(node);
  };
  const boxes = new Set<number>();
  scene.item.forEach((item, slot) => {
    if (!picture.isGroup(item) && isGhost(item)) boxes.add(slot);
  });
  const edges = new Set<number>();
  scene.edgeValue.forEach((value, edge) => {
    const target = scene.edgeTarget[edge] ?? -1;
    if (isGhost(value) || usersIn(picture, scene, value, target).every(isGhost)) edges.add(edge);
  });
  return { boxes, edges };
}

/** The visible leaves that read a value, by slot. */
function usersIn(picture: Picture, scene: Scene, leaf: number, slot: number): number[] {
  const { edgeStart, edgeTarget } = picture.tree;
  const seenIn = (item: number): number => {
    for (let at = item; at >= 0; at = picture.parentOf(at))
      if ((scene.slotOf[at] ?? -1) >= 0) return scene.slotOf[at] ?? -1;
    return -1;
  };
  return Array.from(edgeTarget.subarray(edgeStart[leaf], edgeStart[leaf + 1])).filter(
    (user) => seenIn(user) === slot,
  );
}
