/**
 * The motion of one canvas: boxes from the last scene to the next, and the camera to its target, at the same
 * pace. It holds the current rectangles. It is given the time and requests no frames. Between stages the user
 * can drag it back and forth.
 */

import { between, type Camera, type Size } from "../geometry/camera";
import type { Scene } from "../layout";
import type { Picture } from "../picture";
import type { Passage } from "../stages";
import type { Store, ViewportState } from "../store";
import { DURATION, eased, mixedRects, PHASES, STAGE_DURATION, startRects } from "./motion";

/** The scene of the previous stage while it is still visible. */
export interface Ghost {
  readonly picture: Picture;
  readonly scene: Scene;
  readonly rect: Float64Array;
  /** By slot: its remaining opacity, 0 … 1. */
  readonly strength: Float64Array;
  readonly lines: number;
}

/** In larger scenes boxes do not move one by one. */
const MOVING = 6000;

/** Boxes in motion. */
interface BoxMotion {
  readonly rects: Float64Array;
  readonly start: number;
  readonly length: number;
  readonly stage: StageMotion | undefined;
}

/** Between stages: what appears, what disappears, and the opacities at the start. */
interface StageMotion {
  readonly passage: Passage;
  readonly strength: Float64Array;
  readonly lines: number;
  /** The old scene: from where to where, and the opacity of each box at the start. */
  readonly oldStart: Float64Array;
  readonly oldEnd: Float64Array;
  readonly oldStrength: Float64Array;
}

/** The camera in motion. `isInStep`: together with boxes between stages. */
interface Flight {
  readonly from: Camera;
  readonly to: Camera;
  readonly start: number;
  readonly length: number;
  readonly isInStep: boolean;
}

export class Transition {
  /** By slot: current x, y, width, height. */
  rect: Float64Array;
  /** Opacity of each box by slot, 0 … 1; undefined if all are opaque. */
  strength: Float64Array | undefined;
  private boxes: BoxMotion | undefined;
  private flight: Flight | undefined;
  private lastMove = Number.NEGATIVE_INFINITY;
  private now = 0;
  /** How far the user has dragged it; undefined if not dragged. */
  private dragged: number | undefined;

  constructor(
    private scene: Scene,
    private readonly viewportStore: Store<ViewportState>,
    private readonly isCalm: () => boolean,
  ) {
    this.rect = scene.rect;
  }

  /** Whether the next frame differs: something moves, and the user does not hold it. */
  get isOn(): boolean {
    const { boxes, flight, dragged } = this;
    if (dragged === undefined) return boxes !== undefined || flight !== undefined;
    return flight !== undefined && !flight.isInStep;
  }

  /** Whether boxes are in motion or held by the user. */
  get movesBoxes(): boolean {
    return this.boxes !== undefined;
  }

  /** Opacity of lines: they appear when boxes have stopped. */
  get lines(): number {
    const { boxes } = this;
    if (!boxes) return 1;
    return boxes.stage ? PHASES.newLines(this.progress()) : 0;
  }

  /** From which stage, and the share of the way, 0 … 1; undefined between scenes of one stage. */
  get betweenStages(): { readonly passage: Passage; readonly progress: number } | undefined {
    const stage = this.boxes?.stage;
    return stage && { passage: stage.passage, progress: this.progress() };
  }

  /** Whether something moved a moment ago. A blurred frame is then better than a late one. */
  movedSince(time: number): boolean {
    return this.lastMove > time;
  }

  /** What is still visible of the previous stage. */
  ghost(): Ghost | undefined {
    const stage = this.boxes?.stage;
    if (!stage) return undefined;
    const t = this.progress();
    const { oldStart, oldEnd, oldStrength, lines, passage } = stage;
    return {
      ...passage.from,
      rect: mixedRects(oldStart, oldEnd, PHASES.move(t)),
      strength: oldStrength.map((strength) => strength * PHASES.go(t)),
      lines: lines * PHASES.oldLines(t),
    };
  }

  /**
   * Starts the motion to another scene: boxes start where they were. `passage`: the mapping, if the scene is
   * of another stage.
   */
  change(picture: Picture, scene: Scene, passage?: Passage): void {
    const before = this.scene;
    const isRelated = passage ? passage.from.scene === before : before.slotOf.length === scene.slotOf.length;
    const canMove = !this.isCalm() && scene.item.length <= MOVING && isRelated;
    const stage = canMove && passage ? this.stageMotion(passage) : undefined;
    const slotBefore = (slot: number): number =>
      (passage ? passage.origin[slot] : before.slotOf[scene.item[slot]!]) ?? -1;
    const rects = canMove ? startRects(picture, this.rect, scene, slotBefore, passage?.splitFrom) : undefined;
    if (rects && passage) this.fromGhost(picture, scene, rects, stage?.strength, passage.origin);
    const start = (passage ? undefined : this.flight?.start) ?? performance.now();
    const length = passage ? STAGE_DURATION : DURATION;
    this.scene = scene;
    this.boxes = rects && { rects, start, length, stage };
    this.dragged = stage && this.viewportStore.state.scrub;
    this.rect = rects ?? scene.rect;
    this.strength = stage?.strength;
    const { camera } = this.viewportStore.state;
    if (rects && passage)
      this.flight = { from: camera, to: this.flight?.to ?? camera, start, length, isInStep: true };
  }

  /** Moves the camera to a target. */
  goTo(to: Camera): void {
    const { camera } = this.viewportStore.state;
    const length = this.isCalm() ? 0 : DURATION;
    this.flight = { from: camera, to, start: performance.now(), length, isInStep: false };
  }

  /** Sets the camera at once. */
  jump(camera: Camera): void {
    this.rest();
    this.flight = undefined;
    this.lastMove = performance.now();
    this.viewportStore.set({ camera, target: undefined });
  }

  advance(now: number): void {
    this.hold(now);
    const { boxes, flight } = this;
    if (!boxes && !flight) return;
    this.now = now;
    this.lastMove = now;
    if (boxes && this.progress() >= 1 && this.dragged === undefined) this.rest();
    else if (boxes) this.move(boxes);
    if (flight) this.fly(flight);
  }

  private move({ rects, stage }: BoxMotion): void {
    const t = this.progress();
    this.rect = mixedRects(rects, this.scene.rect, stage ? PHASES.move(t) : eased(t));
    const come = PHASES.come(t);
    this.strength = stage?.strength.map((strength) => strength + (1 - strength) * come);
  }

  private fly({ from, to, start, length, isInStep }: Flight): void {
    const time = length ? Math.min(1, (this.now - start) / length) : 1;
    const isOver = isInStep ? !this.boxes : time >= 1;
    if (isOver) {
      this.flight = undefined;
      this.viewportStore.set({ camera: to, target: undefined });
      return;
    }
    const t = isInStep ? PHASES.move(this.progress()) : eased(time);
    this.viewportStore.set({ camera: straight(from, to, t, this.viewportStore.state.screen) });
  }

  /** Follows the user's drag. After the release, motion continues from there. */
  private hold(now: number): void {
    const { scrub } = this.viewportStore.state;
    if (this.dragged !== undefined && scrub === undefined && this.boxes)
      this.boxes = { ...this.boxes, start: now - this.dragged * this.boxes.length };
    this.dragged = this.boxes?.stage ? scrub : undefined;
  }

  private rest(): void {
    this.boxes = undefined;
    this.rect = this.scene.rect;
    this.strength = undefined;
  }

  /** Old boxes leave from where they are now, with their current opacity. */
  private stageMotion(passage: Passage): StageMotion {
    const { from, to, origin, destination, mergesInto } = passage;
    const strengthOf = (slot: number): number => this.strength?.[slot] ?? 1;
    return {
      passage,
      strength: Float64Array.from(origin, (slot) => (slot < 0 ? 0 : strengthOf(slot))),
      lines: this.lines,
      oldStart: this.rect,
      oldEnd: startRects(from.picture, to.rect, from.scene, (slot) => destination[slot] ?? -1, mergesInto),
      oldStrength: Float64Array.from(destination, (slot, old) => (slot < 0 ? strengthOf(old) : 0)),
    };
  }

  /** Turns around in the middle: what was disappearing appears again, from its position and opacity. */
  private fromGhost(
    picture: Picture,
    scene: Scene,
    rects: Float64Array,
    strength: Float64Array | undefined,
    origin: Int32Array,
  ): void {
    const ghost = this.ghost();
    if (!ghost || !strength || ghost.picture !== picture) return;
    origin.forEach((from, slot) => {
      const old = from < 0 ? (ghost.scene.slotOf[scene.item[slot]!] ?? -1) : -1;
      if (old < 0) return;
      rects.set(ghost.rect.subarray(4 * old, 4 * old + 4), 4 * slot);
      strength[slot] = ghost.strength[old]!;
    });
  }

  /** The share of the boxes' time that has passed, 0 … 1. */
  private progress(): number {
    const { boxes, dragged } = this;
    if (!boxes) return 1;
    return dragged ?? Math.min(1, Math.max(0, (this.now - boxes.start) / boxes.length));
  }
}

/** At a constant zoom, boxes and camera move at the same pace, so that what should stay in place does. */
function straight(from: Camera, to: Camera, t: number, screen: Size): Camera {
  if (from.zoom !== to.zoom) return between(from, to, t, screen);
  return { zoom: to.zoom, x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t };
}
