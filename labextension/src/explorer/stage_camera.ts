/** The camera for the scene of another stage. Pure. */
import {
  type Camera,
  contains,
  fitted,
  type Rect,
  revealed,
  type Size,
  toWorld,
  visibleWorld,
} from "../geometry/camera";
import { Kind, type Scene } from "../layout";
import type { Picture } from "../picture";
import { type Anchor, nearestAnchor } from "../stages";
import { AROUND, rectIn, sceneRect } from "./camera_follow";

interface Seen {
  readonly picture: Picture;
  readonly scene: Scene;
  readonly selected: readonly number[];
}

interface SeenFrom extends Seen {
  readonly camera: Camera;
  readonly screen: Size;
}

/** If less than this share of the possible part of the picture is visible, the screen is mostly empty. */
const SPARSE = 0.5;
/** This share of a box, or of the screen covered by boxes, is enough to recognise them. */
const BOX_SEEN = 1 / 2;
const COVERED = 1 / 3;

/**
 * The selection stays in place on the screen; without one, something that exists in both stages, also inside
 * a box that is closed now. A picture that was visible as a whole stays so, as does one without anything in
 * common. The screen is never almost empty: a smaller scene is moved into view, and if only the corner of a
 * box would be visible, all is shown.
 */
export function cameraAcross(before: SeenFrom, next: Seen, after: Int32Array): Camera {
  const { camera, screen } = before;
  const { scene } = next;
  const whole = fitted(sceneRect(scene), screen, AROUND);
  const selected = ofSelection(before, next);
  const anchor = anchorOf(before, next, after, selected);
  const was = anchor && rectIn(before.scene, anchor.before);
  const is = anchor && rectIn(scene, anchor.after);
  if (!was || !is) return whole;
  const anchored = {
    ...camera,
    x: camera.x + is.x + is.width / 2 - was.x - was.width / 2,
    y: camera.y + is.y - was.y,
  };
  const wasWhole = !before.selected.length && contains(camera, screen, sceneRect(before.scene));
  if (wasWhole && !contains(anchored, screen, sceneRect(scene))) {
    return fitted(sceneRect(scene), screen, { ...AROUND, most: camera.zoom });
  }
  const filled =
    share(before) > share({ screen, scene, camera: anchored }) ? drawnIn(anchored, screen, scene) : anchored;
  const found = anchor === selected ? wholly(filled, is, screen) : filled;
  return showsAny(found, screen, scene) ? found : whole;
}

/** The first candidate that was visible, else the first one. */
function anchorOf(
  before: SeenFrom,
  next: Seen,
  after: Int32Array,
  selected: Anchor | undefined,
): Anchor | undefined {
  const { camera, screen, scene } = before;
  const middle = toWorld(camera, { x: screen.width / 2, y: screen.height / 2 });
  const isVisible = (anchor: Anchor | undefined): boolean => {
    const rect = anchor && rectIn(scene, anchor.before);
    return rect !== undefined && overlaps(visibleWorld(camera, screen), rect);
  };
  if (isVisible(selected)) return selected;
  const same = nearestAnchor(
    scene,
    after.map((item) => (isSeen(item, next.scene) ? item : -1)),
    middle,
  );
  if (isVisible(same)) return same;
  const around = nearestAnchor(scene, boxesAround(before, next, after), middle);
  return isVisible(around) ? around : (selected ?? same ?? around);
}

function ofSelection(before: Seen, next: Seen): Anchor | undefined {
  const [was, is] = [before, next].map(
    ({ selected, ...of }) =>
      selected.find((item) => isSeen(item, of.scene)) ??
      selected.map((item) => boxAround(of, item)).find((item) => item !== -1),
  );
  return was === undefined || is === undefined ? undefined : { before: was, after: is };
}

/**
 * By item of the previous scene: the box that shows it now, or, for a closed group, that shows its first
 * content.
 */
function boxesAround(before: Seen, next: Seen, after: Int32Array): Int32Array {
  const found = new Int32Array(after.length).fill(-1);
  const now = (item: number): number => boxAround(next, after[item] ?? -1);
  for (const item of before.scene.item) {
    const own = now(item);
    const leaves = own === -1 && before.picture.isGroup(item) ? before.picture.leavesOf(item) : [];
    found[item] = own === -1 ? now(leaves.find((leaf) => now(leaf) !== -1) ?? -1) : own;
  }
  return found;
}

/** The box that shows an item: its own, or the innermost around it in the scene. */
function boxAround({ picture, scene }: Omit<Seen, "selected">, item: number): number {
  for (let at = item; at !== -1; at = picture.parentOf(at)) if (isSeen(at, scene)) return at;
  return -1;
}

const isSeen = (item: number, { slotOf }: Scene): boolean => (slotOf[item] ?? -1) >= 0;

/** The least move that shows all of a rectangle, if it fits at this zoom. */
function wholly(camera: Camera, rect: Rect, screen: Size): Camera {
  if (contains(camera, screen, rect)) return camera;
  const there = revealed(camera, rect, screen);
  return there.zoom === camera.zoom ? there : camera;
}

/** The visible share of what fits on this screen at this zoom. */
function share({ camera, screen, scene }: Pick<SeenFrom, "camera" | "screen" | "scene">): number {
  const view = visibleWorld(camera, screen);
  const along = (from: number, length: number, most: number): number =>
    Math.max(0, Math.min(from + length, most) - Math.max(from, 0)) / Math.max(1, Math.min(length, most));
  return along(view.x, view.width, scene.width) * along(view.y, view.height, scene.height);
}

/** The least move that fills the screen with the scene, or shows all of it; none if it almost does. */
function drawnIn(camera: Camera, screen: Size, scene: Scene): Camera {
  if (share({ camera, screen, scene }) >= SPARSE) return camera;
  const { x, y, width, height } = visibleWorld(camera, screen);
  const margin = AROUND.margin / camera.zoom;
  const within = (from: number, length: number, most: number): number => {
    const [first, last] = [-margin, most + margin - length];
    return Math.max(Math.min(first, last), Math.min(Math.max(first, last), from));
  };
  return { ...camera, x: within(x, width, scene.width), y: within(y, height, scene.height) };
}

/**
 * Whether the visible part is recognisable: half of a box, or boxes on a third of the screen, without frames.
 */
function showsAny(camera: Camera, screen: Size, { kind, rect }: Scene): boolean {
  const view = visibleWorld(camera, screen);
  let covered = 0;
  return kind.some((each, slot) => {
    if (each === Kind.Open) return false;
    const [x = 0, y = 0, width = 0, height = 0] = rect.subarray(4 * slot, 4 * slot + 4);
    const seen = common(x, width, view.x, view.width) * common(y, height, view.y, view.height);
    covered += seen;
    return (seen > 0 && seen >= BOX_SEEN * width * height) || covered >= COVERED * view.width * view.height;
  });
}

/** The overlap of two intervals. */
const common = (from: number, length: number, other: number, most: number): number =>
  Math.max(0, Math.min(from + length, other + most) - Math.max(from, other));

const overlaps = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
