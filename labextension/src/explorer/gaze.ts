/** Where one looks: a camera that fits, follows and goes there. Knows the scene that stands, and no DOM. */
import { type Camera, fitted, panned, revealed, type Size } from "../canvas/camera";
import type { Scene } from "../layout";
import { NAMED } from "../picture";
import { type Sight, Store } from "../store";
import { AROUND, around, READABLE, rectIn, sceneRect } from "./follow";

export class Gaze {
  readonly sight: Store<Sight>;
  /** Where one looks before anything was done. */
  private first: Camera;
  /** Where the screen's top came down: by how much, and the camera before and since. */
  private pushed: { readonly down: number; readonly from: Camera; readonly to: Camera } | undefined;

  constructor(
    private readonly scene: () => Scene,
    screen: Size,
  ) {
    this.first = this.firstOn(screen);
    this.sight = new Store<Sight>({ camera: this.first, screen, target: undefined });
  }

  /** The camera goes there, smoothly where motion is welcome. */
  goTo(target: Camera): void {
    this.sight.set({ target });
  }

  /** The screen has another size. A picture that was fitted to it stays so, the first one until someone moves. */
  resized(screen: Size): void {
    const { camera, target, screen: before } = this.sight.state;
    const isFirst = camera === this.first && !target;
    const wasFitted = !target && isSame(camera, this.whole(before));
    this.sight.set({ screen });
    if (isFirst) {
      this.first = this.firstOn(screen);
      this.sight.set({ camera: this.first });
    } else if (wasFitted) this.sight.set({ camera: this.whole(screen) });
  }

  /** What is in view; where nobody has moved yet, all of the picture, however small it becomes. */
  onPaper(): Camera {
    const { camera, screen } = this.sight.state;
    return camera === this.first ? this.whole(screen) : camera;
  }

  /**
   * The screen's top came down by so many pixels, or went up: what is seen stays where it is on the page. Once it is
   * where it was, so is the camera, if nobody moved it.
   */
  shifted(down: number): void {
    const { camera, target } = this.sight.state;
    const before = camera === this.pushed?.to ? this.pushed : { down: 0, from: camera };
    const all = before.down + down;
    const to = all === 0 ? before.from : panned(before.from, 0, -all);
    this.pushed = { down: all, from: before.from, to };
    this.sight.set({ camera: to, target: target && panned(target, 0, -down) });
  }

  fit(): void {
    this.goTo(this.whole(this.sight.state.screen));
  }

  fitItems(items: readonly number[]): void {
    const rects = items.map((item) => rectIn(this.scene(), item)).filter((rect) => rect !== undefined);
    if (rects.length) this.goTo(fitted(around(rects), this.sight.state.screen, { margin: 60, most: 1.25 }));
  }

  /** By the least move, and near enough to be read. */
  lookAt(item: number): void {
    const rect = rectIn(this.scene(), item);
    const { camera, screen } = this.sight.state;
    if (!rect) return;
    const isFar = camera.zoom < READABLE;
    this.goTo(isFar ? fitted(rect, screen, { most: 1, margin: 60 }) : revealed(camera, rect, screen));
  }

  private whole(screen: Size): Camera {
    return fitted(sceneRect(this.scene()), screen, AROUND);
  }

  private firstOn(screen: Size): Camera {
    return fitted(sceneRect(this.scene()), screen, { least: NAMED, ...AROUND });
  }
}

const isSame = (a: Camera, b: Camera): boolean => a.x === b.x && a.y === b.y && a.zoom === b.zoom;
