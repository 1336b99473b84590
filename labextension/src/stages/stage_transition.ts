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
 * Of what persists, the box nearest to a point of the world: it stays under its point of the screen. Undefined where
 * nothing persists. `after`: by item, what it is in the new scene, -1 where that shows it not.
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
