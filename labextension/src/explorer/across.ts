/** Where to look when the scene becomes that of another stage. Pure. */
import { type Camera, fitted, type Size, toWorld } from "../canvas/camera";
import type { Scene } from "../layout";
import { type Anchor, nearestAnchor } from "../stages";
import { AROUND, rectIn, sceneRect } from "./follow";

export interface Seen {
  readonly scene: Scene;
  readonly selected: readonly number[];
}

export interface SeenFrom extends Seen {
  readonly camera: Camera;
  readonly screen: Size;
}

/**
 * What is selected stays under its point of the screen, else what persists there. What was seen as a whole still is,
 * and so is what has nothing of the stage before. `after`: by item, what it is in the new scene's picture.
 */
export function cameraAcross(before: SeenFrom, next: Seen, after: Int32Array): Camera {
  const { camera, screen } = before;
  const anchor = anchorOf(before, next, after);
  const was = anchor && rectIn(before.scene, anchor.before);
  const is = anchor && rectIn(next.scene, anchor.after);
  if (!was || !is) return fitted(sceneRect(next.scene), screen, AROUND);
  const anchored = {
    ...camera,
    x: camera.x + is.x + is.width / 2 - was.x - was.width / 2,
    y: camera.y + is.y - was.y,
  };
  const wasWhole = !before.selected.length && contains(camera, screen, before.scene);
  if (!wasWhole || contains(anchored, screen, next.scene)) return anchored;
  return fitted(sceneRect(next.scene), screen, { ...AROUND, most: camera.zoom });
}

function anchorOf({ camera, screen, ...old }: SeenFrom, next: Seen, after: Int32Array): Anchor | undefined {
  const before = old.selected.find((item) => isSeen(item, old.scene));
  const now = next.selected.find((item) => isSeen(item, next.scene));
  if (before !== undefined && now !== undefined) return { before, after: now };
  const seen = after.map((item) => (isSeen(item, next.scene) ? item : -1));
  return nearestAnchor(old.scene, seen, toWorld(camera, { x: screen.width / 2, y: screen.height / 2 }));
}

const isSeen = (item: number, { slotOf }: Scene): boolean => (slotOf[item] ?? -1) >= 0;

/** Whether a scene is in view as a whole. */
const contains = ({ x, y, zoom }: Camera, { width, height }: Size, scene: Scene): boolean =>
  x <= 0 && y <= 0 && scene.width <= x + width / zoom && scene.height <= y + height / zoom;
