/** How the camera follows a new scene, so that the focused item stays in place. Pure. */
import { type Camera, fitted, type Rect, revealed, type Size } from "../geometry/camera";
import { Kind, type Scene } from "../layout";
import { FIRST } from "../picture";
import type { ViewportState } from "../store";

export type Follow =
  /** The item stays where it is on the screen. */
  | { readonly how: "anchor"; readonly item: number }
  | { readonly how: "fit" }
  /** The first view of a picture: all of it if readable, else from its top, or as far below it as an item is. */
  | { readonly how: "first"; readonly item?: number | undefined }
  /** The least move that brings the item into view. */
  | { readonly how: "reveal"; readonly item: number }
  | { readonly how: "camera"; readonly camera: Camera };

/** Boxes show all their text at this zoom. */
export const READABLE = FIRST.least;

/** `before` and `after`: the item's rectangle in the two scenes, if it has one. */
export function followed(
  follow: Follow,
  scene: Scene,
  { camera, target, screen }: ViewportState,
  before: Rect | undefined,
  after: Rect | undefined,
): Camera {
  if (follow.how === "camera") return follow.camera;
  if (follow.how === "fit") return fitted(sceneRect(scene), screen, AROUND);
  if (follow.how === "first") {
    const first = firstCamera(scene, screen);
    return after ? revealed(first, after, screen) : first;
  }
  const now = target ?? camera;
  if (!after) return now;
  const anchored = before ? { ...now, x: now.x + after.x - before.x, y: now.y + after.y - before.y } : now;
  if (follow.how === "anchor") return anchored;
  // An item that was not visible is centred; one that was moves as little as possible.
  const zoom = anchored.zoom < READABLE ? 1 : anchored.zoom;
  if (!before || zoom !== anchored.zoom) return centred(after, screen, zoom);
  const whole = revealed(anchored, after, screen);
  // An item too large to be readable as a whole is shown from its top.
  return whole.zoom < READABLE ? centred(after, screen, READABLE) : whole;
}

/** Centres a rectangle on the screen; shows a tall one from its top. */
function centred(rect: Rect, screen: Size, zoom: number): Camera {
  const [width, height] = [screen.width / zoom, screen.height / zoom];
  const y = rect.height > height * 0.8 ? rect.y - 0.1 * height : rect.y - (height - rect.height) / 2;
  return { zoom, x: rect.x - (width - rect.width) / 2, y };
}

/**
 * All of the picture if readable; else from its top. If too wide, from its left, or where no box would be in view
 * there, centred on its first boxes. A little too wide, it is a little smaller.
 */
export function firstCamera(scene: Scene, screen: Size): Camera {
  const whole = (screen.width - 2 * AROUND.margin) / scene.width;
  const least = whole < FIRST.least ? FIRST.zoom : Math.min(FIRST.zoom, whole);
  const camera = fitted(sceneRect(scene), screen, { least, ...AROUND });
  const width = screen.width / camera.zoom;
  if (scene.width + (2 * AROUND.margin) / camera.zoom <= width) return camera;
  const margin = AROUND.margin / camera.zoom;
  if (hasBoxIn(scene, width - 2 * margin, screen.height / camera.zoom)) return { ...camera, x: -margin };
  const { left, right } = topRow(scene);
  const wanted = right - left + 2 * margin > width ? left - margin : (left + right - width) / 2;
  const x = Math.min(Math.max(wanted, -margin), scene.width + margin - width);
  return { ...camera, x };
}

/** The camera if it has a box in view, as it may not in a program that changed; else the first one. */
export function cameraWithBoxes(camera: Camera, scene: Scene, screen: Size): Camera {
  const [right, bottom] = [camera.x + screen.width / camera.zoom, camera.y + screen.height / camera.zoom];
  const isEmpty = scene.item.every((_, slot) => {
    const [x = 0, y = 0, width = 0, height = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
    return x > right || y > bottom || x + width < camera.x || y + height < camera.y;
  });
  return isEmpty ? firstCamera(scene, screen) : camera;
}

/** Whether a closed box or an op is all in the upper left part of a scene of this size. */
function hasBoxIn({ item, rect, kind }: Scene, width: number, height: number): boolean {
  return item.some((_, slot) => {
    const [x = 0, y = 0, across = 0, tall = 0] = rect.subarray(4 * slot, 4 * slot + 4);
    return kind[slot] !== Kind.Open && x + across <= width && y + tall <= height;
  });
}

/** The ends of the top row of boxes. */
function topRow({ item, rect, depth }: Scene): { readonly left: number; readonly right: number } {
  const boxes = Array.from(item, (_, slot) => [...rect.subarray(4 * slot, 4 * slot + 3)] as const).filter(
    (_, slot) => depth[slot] === 0,
  );
  const first = Math.min(...boxes.map(([, y = 0]) => y));
  const row = boxes.filter(([, y = 0]) => y <= first + 1);
  const left = Math.min(...row.map(([x = 0]) => x));
  const right = Math.max(...row.map(([x = 0, , width = 0]) => x + width));
  return { left, right };
}

/** Screen pixels around a fitted picture, for the sheets of runs, arrow heads and rings. */
export const AROUND = { margin: 18 } as const;

export const sceneRect = (scene: Scene): Rect => ({ x: 0, y: 0, width: scene.width, height: scene.height });

/** The rectangle of an item; undefined if it is not in the scene. */
export function rectIn(scene: Scene, item: number): Rect | undefined {
  const slot = scene.slotOf[item] ?? -1;
  if (slot < 0) return undefined;
  const [x = 0, y = 0, width = 0, height = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
  return { x, y, width, height };
}

/** The bounds of several rectangles. */
export function around(rects: readonly Rect[]): Rect {
  const x = Math.min(...rects.map((rect) => rect.x));
  const y = Math.min(...rects.map((rect) => rect.y));
  const right = Math.max(...rects.map((rect) => rect.x + rect.width));
  const bottom = Math.max(...rects.map((rect) => rect.y + rect.height));
  return { x, y, width: right - x, height: bottom - y };
}
