/**
 * The cached picture of a large scene: when it is valid, when it is shown, and how it is painted between
 * frames. Small scenes have none: they are painted in every frame.
 */
import type { Camera, Size } from "../geometry/camera";
import { visibleWorld } from "../geometry/camera";
import { slotsIn } from "./drawlist";
import type { Look } from "./look";
import { Overview } from "./overview";
import type { Context } from "./painter";

/** With more boxes in view than this, the cached picture is shown while they move. */
const MANY = 1200;
/** The most that the cached picture may be stretched during a move before it looks wrong. */
const STRETCH = 4;

export class Backdrop {
  private overview: Overview | undefined;
  private steps: Generator<void, Overview | undefined> | undefined;
  private madeFor: readonly unknown[] = [];

  /** Whether the picture is still being painted. */
  get isGrowing(): boolean {
    return this.steps !== undefined;
  }

  /**
   * Whether the cached picture replaces boxes and lines: it is as fine as the screen, or too many boxes move.
   */
  replacesBoxes(look: Look, camera: Camera, screen: Size, ratio: number, isMoving: boolean): boolean {
    const { overview } = this;
    if (!overview || look.lines < 1 || !this.isRight(look, ratio)) return false;
    const needed = camera.zoom * ratio;
    if (needed <= overview.scale * 1.05) return isMany(look, camera, screen);
    return isMoving && needed <= overview.scale * STRETCH && isMany(look, camera, screen);
  }

  draw(context: Context, camera: Camera, screen: Size, ratio: number): void {
    this.overview?.draw(context, camera, screen, ratio);
  }

  /** Paints more of the picture until `end` (of `performance.now()`). True if this call finished it. */
  grow(look: Look, document: Document, ratio: number, end: number): boolean {
    if (look.scene.item.length < MANY) return false;
    if (!this.isRight(look, ratio)) {
      this.overview?.dispose();
      this.overview = undefined;
      this.madeFor = keyOf(look, ratio);
      this.steps = Overview.paint({ ...look, marks: { ...look.marks, hovered: -1 } }, document, ratio);
    }
    while (this.steps && performance.now() < end) {
      const step = this.steps.next();
      if (!step.done) continue;
      this.steps = undefined;
      this.overview = step.value;
      return true;
    }
    return false;
  }

  dispose(): void {
    this.overview?.dispose();
    this.overview = undefined;
    this.steps = undefined;
  }

  private isRight(look: Look, ratio: number): boolean {
    return keyOf(look, ratio).every((part, i) => part === this.madeFor[i]);
  }
}

const isMany = (look: Look, camera: Camera, screen: Size): boolean =>
  slotsIn(look, visibleWorld(camera, screen), 1 / camera.zoom).length >= MANY;

/** A key for everything that the cached picture shows. What is under the pointer is painted above it. */
function keyOf(
  { picture, scene, theme, paint, badge, isCompared, isWeighted, marks }: Look,
  ratio: number,
): readonly unknown[] {
  const { bright, selected, edge } = marks;
  const { sizes } = picture.values;
  return [scene, sizes, theme, paint, badge, isCompared, isWeighted, bright, selected, edge, ratio];
}
