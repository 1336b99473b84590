/**
 * What of a scene a rectangle of its world touches. A small part, such as a tile, is asked of the scene's index, so that
 * it costs what is in it; of a large part the index would only cost more than looking at all.
 */

import { type Camera, grown, type Rect } from "../geometry/camera";
import { type Csr, groupBy, hitsOf, type Scene, type WorldRect } from "../layout";

/** Of a scene's area: what is less is a small part. */
const SMALL = 0.25;

/** Its place in the index; undefined of what is no small part. */
export function smallPart({ width, height }: Scene, view: Rect): WorldRect | undefined {
  if (view.width * view.height > SMALL * width * height) return undefined;
  return { left: view.x, top: view.y, right: view.x + view.width, bottom: view.y + view.height };
}

/** Strokes of the ink; none whose bounds are shorter than `least`. */
export function strokesIn(scene: Scene, view: Rect, least: number): number[] {
  const { x, y, width, height } = view;
  return hitsOf(scene).strokesIn({ left: x, top: y, right: x + width, bottom: y + height }, least);
}

/** Screen pixels: half the widest line, or the head at its end. */
const STROKE = 12;

/** Edges, at least those of which something is painted in it. */
export function edgesIn(scene: Scene, view: Rect, { zoom }: Camera): Iterable<number> {
  const part = smallPart(scene, grown(view, STROKE / zoom));
  return part ? hitsOf(scene).edgesIn(part) : scene.edgeSource.keys();
}

/** Edges that begin or end at one of some slots. */
export function edgesAt(scene: Scene, slots: Iterable<number>): Set<number> {
  const { from, to } = endsOf(scene);
  const found = new Set<number>();
  for (const slot of slots) {
    if (slot < 0) continue;
    for (const { start, item } of [from, to])
      for (let q = start[slot]!; q < start[slot + 1]!; q++) found.add(item[q]!);
  }
  return found;
}

interface Ends {
  readonly from: Csr;
  readonly to: Csr;
}

const known = new WeakMap<Scene, Ends>();

/** Edges by the slot that they leave and by the one that they reach. */
function endsOf(scene: Scene): Ends {
  const { item, edgeSource, edgeTarget } = scene;
  const found = known.get(scene) ?? {
    from: groupBy(item.length, edgeSource),
    to: groupBy(item.length, edgeTarget),
  };
  known.set(scene, found);
  return found;
}
