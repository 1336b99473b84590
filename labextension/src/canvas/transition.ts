/**
 * What moves on one canvas: boxes from the last scene to the next, and the camera to where it is going, in step.
 * Holds the rectangles as they are now; is told the time, and asks for no frames.
 */

import { between, type Camera, type Size } from "../geometry/camera";
import type { Scene } from "../layout";
import type { Picture } from "../picture";
import type { Passage } from "../stages";
import type { Store, ViewportState } from "../store";
import { DURATION, eased, mixedRects, startRects } from "./motion";

/** A picture that goes: seen as it was from where it was last seen. */
export interface Ghost {
  readonly picture: Picture;
  readonly scene: Scene;
  readonly camera: Camera;
  /** By slot: how much of it there still is, 0 … 1. */
  readonly strength: Float64Array;
}

/** Scenes with more boxes than this do not move box by box. */
const MOVING = 4000;

interface Motion {
  readonly from: Camera;
  readonly to: Camera;
  readonly rects: Float64Array | undefined;
  /** Between stages: what comes and what goes. */
  readonly passage: Passage | undefined;
  readonly start: number;
  readonly length: number;
}

export class Transition {
  /** By slot: x, y, width, height as they are now. */
  rect: Float64Array;
  /** How much there is of each box, by slot, 0 … 1; undefined where all stand. */
  strength: Float64Array | undefined;
  private motion: Motion | undefined;
  private lastMove = Number.NEGATIVE_INFINITY;
  private now = 0;

  constructor(
    private scene: Scene,
    private readonly viewportStore: Store<ViewportState>,
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

  /** What fades out of the scene of the stage before. */
  ghost(): Ghost | undefined {
    const { motion } = this;
    if (!motion?.passage) return undefined;
    const left = 1 - this.t();
    const { from, leaves } = motion.passage;
    return { ...from, camera: motion.from, strength: Float64Array.from(leaves, (leaves) => leaves * left) };
  }

  /** Another scene stands: its boxes come from where they were. `passage`: how, where it is another stage's. */
  change(picture: Picture, scene: Scene, passage?: Passage): void {
    const before = this.scene;
    const isRelated = passage ? passage.from.scene === before : before.slotOf.length === scene.slotOf.length;
    const canMove = !this.isCalm() && scene.item.length <= MOVING && isRelated;
    const slotBefore = (slot: number): number =>
      (passage ? passage.origin[slot] : before.slotOf[scene.item[slot]!]) ?? -1;
    const start = canMove ? startRects(picture, this.rect, scene, slotBefore) : undefined;
    this.scene = scene;
    this.rect = start ?? scene.rect;
    this.strength = start && passage ? come(passage, 0) : undefined;
    if (!start) return;
    const { camera } = this.viewportStore.state;
    const now = this.motion ?? { from: camera, to: camera, start: performance.now(), length: DURATION };
    this.motion = { ...now, rects: start, passage };
  }

  /** The camera is to go there. */
  goTo(to: Camera): void {
    const { camera } = this.viewportStore.state;
    const length = this.isCalm() ? 0 : DURATION;
    const { rects, passage } = (length ? this.motion : undefined) ?? { rects: undefined, passage: undefined };
    this.motion = { from: camera, to, rects, passage, start: performance.now(), length };
  }

  /** A camera set by hand, at once. */
  jump(camera: Camera): void {
    this.rest();
    this.lastMove = performance.now();
    this.viewportStore.set({ camera, target: undefined });
  }

  advance(now: number): void {
    const { motion } = this;
    if (!motion) return;
    this.now = now;
    this.lastMove = now;
    if (motion.length === 0 || now - motion.start >= motion.length) {
      this.rest();
      this.viewportStore.set({ camera: motion.to, target: undefined });
      return;
    }
    const t = this.t();
    if (motion.rects) this.rect = mixedRects(motion.rects, this.scene.rect, t);
    if (motion.passage) this.strength = come(motion.passage, t);
    this.viewportStore.set({ camera: straight(motion.from, motion.to, t, this.viewportStore.state.screen) });
  }

  private rest(): void {
    this.motion = undefined;
    this.rect = this.scene.rect;
    this.strength = undefined;
  }

  /** How far the motion is, 0 … 1. */
  private t(): number {
    const { motion } = this;
    return motion?.length ? eased((this.now - motion.start) / motion.length) : 1;
  }
}

/** What was there before stands; the rest comes. */
const come = ({ origin }: Passage, t: number): Float64Array =>
  Float64Array.from(origin, (slot) => (slot < 0 ? t : 1));

/** Where zoom stays, boxes and camera move in step, so that what is held still stays still. */
function straight(from: Camera, to: Camera, t: number, screen: Size): Camera {
  if (from.zoom !== to.zoom) return between(from, to, t, screen);
  return { zoom: to.zoom, x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t };
}
