/**
 * What a rectangle of the world contains. For a small part, such as a tile, the scene's index is queried, so
 * that it costs only what is inside. For a large part it is faster to check all.
 */

import { type Camera, grown, type Rect } from "../geometry/camera";
import { type Csr, groupBy, hitsOf, type Scene, type WorldRect } from "../layout";

/** A smaller share of the scene's area counts as a small part. */
const SMALL = 0.25;

/** The query of the index; undefined for a large part. */
export function smallPart({ width, height }: Scene, view: Rect): WorldRect | undefined {
  if (view.width * view.height > SMALL * width * height) return undefined;
  return { left: view.x, top: view.y, right: view.x + view.width, bottom: view.y + view.height };
}

/** Strokes in view, without those whose bounds are shorter than `least`. */
export function strokesIn(scene: Scene, view: Rect, least: number): number[] {
  const { x, y, width, height } = view;
  return hitsOf(scene).strokesIn({ left: x, top: y, right: x + width, bottom: y + height }, least);
}

/** Screen pixels: half of the widest line, or an arrow head. */
const STROKE = 12;

/** Edges with something to paint in view, and possibly more. */
export function edgesIn(scene: Scene, view: Rect, { zoom }: Camera): Iterable<number> {
  const part = smallPart(scene, grown(view, STROKE / zoom));
  return part ? hitsOf(scene).edgesIn(part) : scene.edgeSource.keys();
}

/** Edges that begin or end at one of these slots. */
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

/** Edges by their source slot and by their target slot. */
function endsOf(scene: Scene): Ends {
  const { item, edgeSource, edgeTarget } = scene;
  const found = known.get(scene) ?? {
    from: groupBy(item.length, edgeSource),
    to: groupBy(item.length, edgeTarget),
  };
  known.set(scene, found);
  return found;
}
