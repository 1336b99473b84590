/**
 * What moves on one canvas: boxes from the last scene to the next, and the camera to where it is going, in step.
 * Holds the rectangles as they are now; is told the time, and asks for no frames.
 */
import type { Scene } from "../layout";
import type { Picture } from "../picture";
import type { Sight, Store } from "../store";
import { between, type Camera, type Size } from "./camera";
import { DURATION, eased, mixedRects, startRects } from "./motion";

/** Scenes with more boxes than this do not move box by box. */
const MOVING = 4000;

interface Motion {
  readonly from: Camera;
  readonly to: Camera;
  readonly rects: Float64Array | undefined;
  readonly start: number;
  readonly length: number;
}

export class Transition {
  /** By slot: x, y, width, height as they are now. */
  rect: Float64Array;
  private motion: Motion | undefined;
  private lastMove = Number.NEGATIVE_INFINITY;

  constructor(
    private scene: Scene,
    private readonly sight: Store<Sight>,
    private readonly isCalm: () => boolean,
  ) {
    this.rect = scene.rect;
  }

  get isOn(): boolean {
    return this.motion !== undefined;
  }

  /** Boxes are on their way: lines have no place yet. */
  get movesBoxes(): boolean {
    return this.motion?.rects !== undefined;
  }

  /** Whether something moved a moment ago: a blurred frame is then better than a late one. */
  movedSince(time: number): boolean {
    return this.lastMove > time;
  }

  /** Another scene stands: its boxes come from where they were. */
  change(picture: Picture, scene: Scene): void {
    const before = this.scene;
    const canMove =
      !this.isCalm() && scene.item.length <= MOVING && before.slotOf.length === scene.slotOf.length;
    const start = canMove ? startRects(picture, before, this.rect, scene) : undefined;
    this.scene = scene;
    this.rect = start ?? scene.rect;
    if (start && this.motion) this.motion = { ...this.motion, rects: start };
    else if (start) {
      const { camera } = this.sight.state;
      this.motion = { from: camera, to: camera, rects: start, start: performance.now(), length: DURATION };
    }
  }

  /** The camera is to go there. */
  goTo(to: Camera): void {
    const { camera } = this.sight.state;
    const length = this.isCalm() ? 0 : DURATION;
    const rects = length ? this.motion?.rects : undefined;
    this.motion = { from: camera, to, rects, start: performance.now(), length };
  }

  /** A camera set by hand, at once. */
  jump(camera: Camera): void {
    this.motion = undefined;
    this.rect = this.scene.rect;
    this.lastMove = performance.now();
    this.sight.set({ camera, target: undefined });
  }

  advance(now: number): void {
    const { motion } = this;
    if (!motion) return;
    const t = motion.length ? (now - motion.start) / motion.length : 1;
    this.lastMove = now;
    if (t >= 1) {
      this.motion = undefined;
      this.rect = this.scene.rect;
      this.sight.set({ camera: motion.to, target: undefined });
      return;
    }
    if (motion.rects) this.rect = mixedRects(motion.rects, this.scene.rect, eased(t));
    this.sight.set({ camera: straight(motion.from, motion.to, eased(t), this.sight.state.screen) });
  }
}

/** Where zoom stays, boxes and camera move in step, so that what is held still stays still. */
function straight(from: Camera, to: Camera, t: number, screen: Size): Camera {
  if (from.zoom !== to.zoom) return between(from, to, t, screen);
  return { zoom: to.zoom, x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t };
}
