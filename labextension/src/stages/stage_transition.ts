/** From the scene of one stage to that of another: which box moves where, which splits, which merges. */
import { Kind, type Scene } from "../layout";
import type { Picture } from "../picture";
import type { Counterparts } from "./counterparts";
import type { NodeRelatives } from "./node_counterparts";

interface Staged {
  readonly picture: Picture;
  readonly scene: Scene;
}

export interface Passage {
  readonly from: Staged;
  readonly to: Scene;
  /** By slot of the new scene: its old slot; -1 for a new box. */
  readonly origin: Int32Array;
  /** By slot of the new scene: for a new box, the old slot that it splits from; -1 if it fades in. */
  readonly splitFrom: Int32Array;
  /** By slot of the old scene: its new slot; -1 for a box that disappears. */
  readonly destination: Int32Array;
  /**
   * By slot of the old scene: for a box that disappears, the new slot that it merges into; -1 if it fades
   * out.
   */
  readonly mergesInto: Int32Array;
}

export function passage(from: Staged, to: Staged, boxes: Counterparts, nodes: NodeRelatives): Passage {
  const origin = slotsIn(from, to.scene.item, boxes.before);
  const destination = slotsIn(to, from.scene.item, boxes.after);
  return {
    from,
    to: to.scene,
    origin,
    splitFrom: relatives(to, from, origin, nodes.ancestor),
    destination,
    mergesInto: relatives(from, to, destination, nodes.descendant),
  };
}

/** The slots of some items' counterparts; -1 if there is none. */
const slotsIn = ({ scene }: Staged, items: ArrayLike<number>, counterpart: Int32Array): Int32Array =>
  Int32Array.from(items, (item) => scene.slotOf[counterpart[item] ?? -1] ?? -1);

/** By slot of `here` without a counterpart: the slot that shows a relative of its node in the other scene. */
function relatives(here: Staged, other: Staged, counterpart: Int32Array, relativeOf: Int32Array): Int32Array {
  const { picture, scene } = here;
  return Int32Array.from(scene.item, (item, slot) => {
    const relative = counterpart[slot] === -1 ? (relativeOf[picture.nodeOf(item)] ?? -1) : -1;
    const found = relative === -1 ? -1 : visibleSlot(other, other.picture.boxOf(relative));
    // What a closed box contained is visible inside it if it is open now.
    const isWithin = (at: number): boolean =>
      at !== -1 && (counterpart[scene.slotOf[at] ?? -1] === found || isWithin(picture.parentOf(at)));
    return found === -1 || isWithin(picture.parentOf(item)) ? -1 : found;
  });
}

/** The slot of an item, or of the closed box that hides it; -1 if neither is in the scene. */
function visibleSlot({ picture, scene }: Staged, item: number): number {
  for (let at = item; at !== -1; at = picture.parentOf(at)) {
    const slot = scene.slotOf[at] ?? -1;
    if (slot >= 0) return scene.kind[slot] === Kind.Open ? -1 : slot;
  }
  return -1;
}

export interface Anchor {
  /** An item of the old scene, and its counterpart in the new picture. */
  readonly before: number;
  readonly after: number;
}

/**
 * Among boxes in both scenes, the one nearest to a point of the world: it stays in place on the screen.
 * Undefined if there is none. `after`: by item, its counterpart in the new scene, -1 if that does not show
 * it.
 */
export function nearestAnchor(
  { rect, item, kind }: Scene,
  after: Int32Array,
  middle: { readonly x: number; readonly y: number },
): Anchor | undefined {
  let best: Anchor | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let slot = 0, at = 0; slot < item.length; slot++, at += 4) {
    const before = item[slot] ?? -1;
    const now = after[before] ?? -1;
    if (now === -1 || kind[slot] === Kind.Open) continue;
    const x = (rect[at] ?? 0) + (rect[at + 2] ?? 0) / 2;
    const y = (rect[at + 1] ?? 0) + (rect[at + 3] ?? 0) / 2;
    const away = Math.hypot(x - middle.x, y - middle.y);
    if (away >= least) continue;
    least = away;
    best = { before, after: now };
  }
  return best;
}
