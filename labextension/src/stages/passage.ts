/** From the scene of one stage to that of another: what glides from where, what comes, what goes. */
import { Kind, type Scene } from "../layout";
import type { Picture } from "../picture";
import type { Counterparts } from "./counterparts";

export interface Passage {
  readonly from: { readonly picture: Picture; readonly scene: Scene };
  readonly to: Scene;
  /** By slot of the new scene: the old slot that it glides from; -1 fades in. */
  readonly origin: Int32Array;
  /** By slot of the old scene: 1 fades out. */
  readonly leaves: Uint8Array;
}

export function passage(from: Passage["from"], to: Scene, { before, after }: Counterparts): Passage {
  const old = from.scene;
  const origin = to.item.map((item) => slotOf(old, before[item] ?? -1));
  const leaves = Uint8Array.from(old.item, (item) => (slotOf(to, after[item] ?? -1) === -1 ? 1 : 0));
  return { from, to, origin, leaves };
}

const slotOf = (scene: Scene, item: number): number => (item === -1 ? -1 : (scene.slotOf[item] ?? -1));

export interface Anchor {
  /** An item of the old scene, and what it is in the new picture. */
  readonly before: number;
  readonly after: number;
}

/**
 * What stays under the same point of the screen: what is selected, else of what persists the box nearest to the
 * middle of what is seen; a module only where no smaller box does. Undefined where nothing persists.
 */
export function anchorOf(
  scene: Scene,
  selected: readonly number[],
  after: Int32Array,
  middle: { readonly x: number; readonly y: number },
): Anchor | undefined {
  const seen = selected.find((item) => (scene.slotOf[item] ?? -1) >= 0 && after[item] !== -1);
  if (seen !== undefined) return { before: seen, after: after[seen] ?? -1 };
  let best: Anchor | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let slot = 0; slot < scene.item.length; slot++) {
    const item = scene.item[slot] ?? -1;
    if (after[item] === -1 || scene.kind[slot] === Kind.Open) continue;
    const [x, y] = [scene.rect[4 * slot] ?? 0, scene.rect[4 * slot + 1] ?? 0];
    const away = Math.hypot(
      x + (scene.rect[4 * slot + 2] ?? 0) / 2 - middle.x,
      y + (scene.rect[4 * slot + 3] ?? 0) / 2 - middle.y,
    );
    if (away >= least) continue;
    least = away;
    best = { before: item, after: after[item] ?? -1 };
  }
  return best;
}
