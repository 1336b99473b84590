/**
 * The cameras of pictures side by side: one that all share, so that what corresponds stands at one height, or one
 * each. Whoever leads is followed.
 */

import { type Explorer, sceneRect } from "../../explorer";
import { READABLE, rectIn } from "../../explorer/camera_follow";
import { type Camera, contains, fitted, panned, type Rect, type Size, toScreen } from "../../geometry/camera";
import type { Store } from "../../store";
import type { Row } from "../model/row";
import type { PairState } from "../model/state";
import { CameraSync } from "./camera_sync";
import { type Fit, fittedTogether, LEAST } from "./fitted_cameras";

/** Screen pixels around what is gone to. */
const NEAR = { margin: 60 } as const;

export class Cameras {
  private readonly matching: CameraSync;
  /** While some are set by another, or all, they are not followed. */
  isHeld = false;
  /** How all are kept fitted to their screens; undefined once someone has moved. */
  kept: Fit | undefined = "readable";
  private readonly off: (() => void)[];

  constructor(
    private readonly row: Row,
    private readonly store: Store<PairState>,
  ) {
    this.matching = new CameraSync(row, () => store.state);
    this.off = row.explorers.map(({ viewportStore }, column) => {
      viewportStore.set({ camera: { ...viewportStore.state.camera } }); // it is fitted here, and no longer by the explorer alone
      return viewportStore.subscribe((now, before) => {
        if (now.screen !== before.screen) this.resized();
        else if (now.target !== before.target && now.target) this.looked(column, now.target, true);
        else if (now.camera !== before.camera && !now.target) this.looked(column, now.camera, false);
      });
    });
  }

  dispose(): void {
    for (const off of this.off) off();
  }

  /** Someone moves: from now on nothing is fitted of itself. */
  touched(): void {
    this.kept = undefined;
  }

  /** Another scene stands. */
  changed(): void {
    this.matching.forget();
  }

  /** Brings what is looked at to the middle of all pictures, the tops at one height; stays where it is seen. */
  frame(): void {
    this.touched();
    const views = this.row.columns.map((column) => {
      const { screen } = this.row.explorer(column).viewportStore.state;
      return { column, screen, rect: this.matching.lookedAt(column) };
    });
    const { leader } = this.store.state;
    const most = Math.max(READABLE, Math.min(1, this.row.explorer(leader).viewportStore.state.camera.zoom));
    const zooms = views.flatMap(({ rect, screen }) =>
      rect ? fitted(rect, screen, { ...NEAR, most }).zoom : [],
    );
    const zoom = Math.max(LEAST, Math.min(...zooms));
    const placed = views.flatMap(({ column, rect, screen }) => {
      const all = sceneRect(this.row.explorer(column).state.scene);
      return rect ? [{ column, rect, all, width: screen.width / zoom, height: screen.height / zoom }] : [];
    });
    const above = spareAbove(placed, NEAR.margin / 2 / zoom);
    this.isHeld = true;
    for (const { column, rect, all, width } of placed)
      this.row.explorer(column).goTo({ zoom, x: besideOthers(rect, all, width), y: rect.y - above });
    this.isHeld = false;
    // A column that has none of it shows the place.
    const without = views.flatMap(({ column, rect }) => (rect ? [] : [column]));
    this.lead(leader, this.lookingAt(leader), this.glide, without);
    this.matching.settle(this.row.columns.map((column) => this.lookingAt(column)));
  }

  /** Whether all that is looked at is in view, or comes into it. */
  get seesLookedAt(): boolean {
    return this.row.columns.every((column) => {
      const rect = this.matching.lookedAt(column);
      return (
        !rect || contains(this.lookingAt(column), this.row.explorer(column).viewportStore.state.screen, rect)
      );
    });
  }

  /** Brings what a group of a column holds into view by the least move, its head first; the others go along. */
  showInside(column: number, item: number): void {
    const explorer = this.row.explorer(column);
    const rect = rectIn(explorer.state.scene, item);
    if (!rect) return;
    const { screen } = explorer.viewportStore.state;
    explorer.goTo(withInside(this.lookingAt(column), rect, screen));
  }

  /** Each comes into view, at one zoom; what is looked at stands at one height, or else the tops. */
  fit(fit: Fit, isAtOnce = false): void {
    this.kept = fit;
    this.matching.release();
    const cameras = fittedTogether(this.row, this.matching, this.store.state.leader, fit);
    this.isHeld = true;
    cameras.forEach((camera, column) => {
      if (isAtOnce) this.row.explorer(column).viewportStore.set({ camera, target: undefined });
      else this.row.explorer(column).goTo(camera);
    });
    this.isHeld = false;
    this.matching.settle(cameras);
  }

  setOne(isOneCamera: boolean): void {
    this.store.set({ isOneCamera });
    this.align(this.store.state.leader);
  }

  /** Brings the other columns to what one shows: from now on it is what is looked at there that keeps its height. */
  align(column: number): void {
    this.touched();
    this.matching.release();
    this.lead(column, this.lookingAt(column), this.glide);
  }

  /** Each column takes the camera that matches that of the one before it on the way from the leader. */
  private lead(
    leader: number,
    camera: Camera,
    set: (column: number, camera: Camera) => void,
    columns: readonly number[] = this.row.columns,
  ): void {
    if (!this.store.state.isOneCamera) return;
    const cameras = new Map([[leader, camera]]);
    const wasHeld = this.isHeld;
    this.isHeld = true;
    for (const { from, to } of this.row.outward(leader)) {
      const isLed = columns.includes(to);
      const next = isLed ? this.matching.camera(from, cameras.get(from) ?? camera, to) : this.lookingAt(to);
      cameras.set(to, next);
      if (isLed) set(to, next);
    }
    this.isHeld = wasHeld;
  }

  private readonly glide = (column: number, camera: Camera): void => this.row.explorer(column).goTo(camera);

  /** What a column shows, or goes to. */
  lookingAt(column: number): Camera {
    const { camera, target } = this.row.explorer(column).viewportStore.state;
    return target ?? camera;
  }

  /** Until it is done, no camera follows another. */
  async hold(work: () => Promise<unknown>): Promise<void> {
    this.isHeld = true;
    try {
      await work();
    } finally {
      this.isHeld = false;
    }
  }

  /** Arranges a column anew; its camera stays. */
  arrange(column: number, change: Parameters<Explorer["arrange"]>[0]): Promise<void> {
    return this.row.explorer(column).arrange(change, { how: "camera", camera: this.lookingAt(column) });
  }

  /** Arranges columns anew that have the same open as before. */
  async arrangeAgain(columns: readonly number[]): Promise<void> {
    await this.hold(() => Promise.all(columns.map((column) => this.arrange(column, {}))));
    this.changed();
  }

  /** Until someone moves, all stay fitted to their screens. */
  private resized(): void {
    if (this.kept) this.fit(this.kept, true);
    else this.align(this.store.state.leader);
  }

  /** A camera moved by hand, or is to go somewhere: the others go along. */
  private looked(column: number, camera: Camera, isTarget: boolean): void {
    if (this.isHeld || column !== this.store.state.leader) return;
    this.lead(column, camera, isTarget ? this.glide : this.jump);
  }

  /** Sets a camera at once; a canvas that moves is told by whoever owns it. */
  jump: (column: number, camera: Camera) => void = (column, camera) =>
    this.row.explorer(column).viewportStore.set({ camera, target: undefined });
}

interface Placed {
  readonly rect: Rect;
  readonly all: Rect;
  /** What is seen of the world. */
  readonly width: number;
  readonly height: number;
}

/**
 * How much of the world is seen above rectangles that stand at one height: they are in the middle, but where that would
 * show emptiness above or below all pictures, as near to it as one of them fills the screen.
 */
function spareAbove(placed: readonly Placed[], margin: number): number {
  const tall = Math.max(...placed.map(({ rect }) => rect.height));
  const middle = Math.max(margin, ...placed.map(({ height }) => (height - tall) / 2));
  const most = Math.max(...placed.map(({ rect, all }) => rect.y - all.y + margin));
  const least = Math.min(
    ...placed.map(({ rect, all, height }) => rect.y + height - all.y - all.height - margin),
  );
  return least > most ? Math.max(margin, (least + most) / 2) : Math.min(most, Math.max(least, middle));
}

/** The least move up or down, left or right; of what is larger than the screen the top left corner is in view. */
function withInside(camera: Camera, rect: Rect, screen: Size): Camera {
  const { x, y } = toScreen(camera, rect);
  const by = (at: number, length: number, room: number): number => {
    const over = Math.max(0, at + length * camera.zoom - (room - NEAR.margin));
    return NEAR.margin - at > 0 ? NEAR.margin - at : -Math.min(over, at - NEAR.margin);
  };
  return panned(camera, by(x, rect.width, screen.width), by(y, rect.height, screen.height));
}

/** In the middle of a width of the world, but no further than to the edge of all: emptiness tells nothing. */
function besideOthers(rect: Rect, all: Rect, width: number): number {
  const [least, most] = [all.x - NEAR.margin / 2, all.x + all.width + NEAR.margin / 2 - width];
  const middle = rect.x + rect.width / 2 - width / 2;
  return least > most ? (least + most) / 2 : Math.min(most, Math.max(least, middle));
}
