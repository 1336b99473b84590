/** The visible part of the scene: a camera that fits, follows and moves. No DOM. */
import { type Camera, contains, fitted, panned, type Rect, revealed, type Size } from "../geometry/camera";
import { type State, Store, type ViewportState } from "../store";
import { AROUND, around, firstCamera, READABLE, rectIn, sceneRect } from "./camera_follow";

interface Looking {
  readonly camera: Camera;
  readonly screen: Size;
  readonly selected: readonly number[];
}

export class Viewport {
  readonly store: Store<ViewportState>;
  /** The initial camera. */
  private first: Camera;
  /** How far the screen's top moved down, and the camera before and after. */
  private pushed: { readonly down: number; readonly from: Camera; readonly to: Camera } | undefined;
  /** The view before the screen was resized, and the camera after it. */
  private squeezed: { readonly from: Looking; readonly to: Camera } | undefined;

  constructor(
    private readonly shown: () => Pick<State, "scene" | "selected">,
    screen: Size,
  ) {
    this.first = firstCamera(this.shown().scene, screen);
    this.store = new Store<ViewportState>({ camera: this.first, screen, target: undefined });
  }

  /** Moves the camera to a target, smoothly unless the user prefers reduced motion. */
  goTo(target: Camera): void {
    this.store.set({ target });
  }

  /**
   * The screen has another size. A fitted picture stays fitted; so does the first one until the user moves
   * it. In others, a narrower screen keeps in view what was completely visible: the selection, or else all.
   * At the old width, the old camera returns.
   */
  resized(screen: Size): void {
    const { camera, target, screen: before } = this.store.state;
    if (camera === this.first && !target) {
      this.first = firstCamera(this.shown().scene, screen);
      this.store.set({ screen, camera: this.first });
      return;
    }
    const { selected } = this.shown();
    const now = target ?? camera;
    const last = this.squeezed;
    const isSince = last && now === last.to && selected === last.from.selected;
    const from = isSince ? last.from : { camera: now, screen: before, selected };
    const to = this.lookingOn(screen, from);
    this.squeezed = { from, to };
    this.store.set({ screen, ...(target ? { target: to } : { camera: to }) });
  }

  /** The visible part for print; before the user moved the camera, the whole picture. */
  onPaper(): Camera {
    const { camera, screen } = this.store.state;
    return camera === this.first ? this.whole(screen) : camera;
  }

  /**
   * The screen's top moved by so many pixels: the picture stays in place on the page. When the top moves
   * back, so does the camera, unless the user moved it.
   */
  shifted(down: number): void {
    const { camera, target } = this.store.state;
    const before = camera === this.pushed?.to ? this.pushed : { down: 0, from: camera };
    const all = before.down + down;
    const to = all === 0 ? before.from : panned(before.from, 0, -all);
    this.pushed = { down: all, from: before.from, to };
    this.store.set({ camera: to, target: target && panned(target, 0, -down) });
  }

  fit(): void {
    this.goTo(this.whole(this.store.state.screen));
  }

  fitItems(items: readonly number[]): void {
    const rects = this.rectsOf(items);
    if (rects.length) this.goTo(fitted(around(rects), this.store.state.screen, { margin: 60, most: 1.25 }));
  }

  /** The least move that shows an item at a readable zoom. */
  lookAt(item: number): void {
    const rect = rectIn(this.shown().scene, item);
    const { camera, screen } = this.store.state;
    if (!rect) return;
    const isFar = camera.zoom < READABLE;
    this.goTo(isFar ? fitted(rect, screen, { most: 1, margin: 60 }) : revealed(camera, rect, screen));
  }

  private lookingOn(screen: Size, { camera, screen: before, selected }: Looking): Camera {
    if (isSame(camera, this.whole(before))) return this.whole(screen);
    const isNarrower = screen.width < before.width;
    if (!isNarrower && screen.height >= before.height) return camera;
    const { scene } = this.shown();
    const rects = this.rectsOf(selected);
    const kept = [...(rects.length ? [around(rects)] : []), ...(isNarrower ? [sceneRect(scene)] : [])];
    const seen = kept.find((rect) => contains(camera, before, rect));
    return seen && !contains(camera, screen, seen) ? revealed(camera, seen, screen, AROUND.margin) : camera;
  }

  private rectsOf(items: readonly number[]): Rect[] {
    return items.map((item) => rectIn(this.shown().scene, item)).filter((rect) => rect !== undefined);
  }

  private whole(screen: Size): Camera {
    return fitted(sceneRect(this.shown().scene), screen, AROUND);
  }
}

const isSame = (a: Camera, b: Camera): boolean => a.x === b.x && a.y === b.y && a.zoom === b.zoom;
