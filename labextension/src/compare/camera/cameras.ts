/**
 * The cameras of side-by-side graphs: one shared camera that shows what corresponds at one height, or one
 * camera each. Columns follow the one that was used last.
 */

import { type Explorer, sceneRect } from "../../explorer";
import { READABLE, rectIn } from "../../explorer/camera_follow";
import { type Camera, contains, fitted, panned, type Rect, type Size, toScreen } from "../../geometry/camera";
import type { Store } from "../../store";
import type { Row } from "../model/row";
import type { PairState } from "../model/state";
import { CameraSync } from "./camera_sync";
import { type Fit, fittedTogether, LEAST } from "./fitted_cameras";

/** Screen pixels around a target. */
const NEAR = { margin: 60 } as const;

export class Cameras {
  private readonly matching: CameraSync;
  /** While cameras are being set by code, columns do not follow. */
  isSetByCode = false;
  /** How all columns are kept fitted to their screens; undefined after the user moved a camera. */
  kept: Fit | undefined = "readable";
  private readonly off: (() => void)[];

  constructor(
    private readonly row: Row,
    private readonly store: Store<PairState>,
  ) {
    this.matching = new CameraSync(row, () => store.state);
    this.off = row.explorers.map(({ viewportStore }, column) => {
      viewportStore.set({ camera: { ...viewportStore.state.camera } }); // the columns are fitted here, not by each explorer
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

  /** The user moved a camera: stop fitting automatically. */
  touched(): void {
    this.kept = undefined;
  }

  /** Another scene is shown. */
  changed(): void {
    this.matching.forget();
  }

  /** Centres the selection in all columns, their tops at one height; does not move if it is visible. */
  frame(): void {
    this.touched();
    const views = this.row.columns.map((column) => {
      const { screen } = this.row.explorer(column).viewportStore.state;
      return { column, screen, rect: this.matching.selectionRect(column) };
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
    this.isSetByCode = true;
    for (const { column, rect, all, width } of placed)
      this.row.explorer(column).goTo({ zoom, x: centredWithin(rect, all, width), y: rect.y - above });
    this.isSetByCode = false;
    // A column without the selection shows the corresponding place.
    const without = views.flatMap(({ column, rect }) => (rect ? [] : [column]));
    this.lead(leader, this.cameraOf(leader), this.glide, without);
    this.matching.settle(this.row.columns.map((column) => this.cameraOf(column)));
  }

  /** Whether the whole selection is in view or is moving into view. */
  get seesSelection(): boolean {
    return this.row.columns.every((column) => {
      const rect = this.matching.selectionRect(column);
      return (
        !rect || contains(this.cameraOf(column), this.row.explorer(column).viewportStore.state.screen, rect)
      );
    });
  }

  /** Brings the content of a group into view with the least move, its header first; other columns follow. */
  showInside(column: number, item: number): void {
    const explorer = this.row.explorer(column);
    const rect = rectIn(explorer.state.scene, item);
    if (!rect) return;
    const { screen } = explorer.viewportStore.state;
    explorer.goTo(withInside(this.cameraOf(column), rect, screen));
  }

  /** Fits all columns at one zoom. The selection is at one height, else the tops. */
  fit(fit: Fit, isAtOnce = false): void {
    this.kept = fit;
    this.matching.release();
    const cameras = fittedTogether(this.row, this.matching, this.store.state.leader, fit);
    this.isSetByCode = true;
    cameras.forEach((camera, column) => {
      if (isAtOnce) this.row.explorer(column).viewportStore.set({ camera, target: undefined });
      else this.row.explorer(column).goTo(camera);
    });
    this.isSetByCode = false;
    this.matching.settle(cameras);
  }

  setOne(isOneCamera: boolean): void {
    this.store.set({ isOneCamera });
    this.align(this.store.state.leader);
  }

  /** Aligns the other columns to what one shows; from now on, what is selected there keeps its height. */
  align(column: number): void {
    this.touched();
    this.matching.release();
    this.lead(column, this.cameraOf(column), this.glide);
  }

  /** Sets each column's camera from the one before it on the way from the leader. */
  private lead(
    leader: number,
    camera: Camera,
    set: (column: number, camera: Camera) => void,
    columns: readonly number[] = this.row.columns,
  ): void {
    if (!this.store.state.isOneCamera) return;
    const cameras = new Map([[leader, camera]]);
    const wasSetByCode = this.isSetByCode;
    this.isSetByCode = true;
    for (const { from, to } of this.row.outward(leader)) {
      const isFollower = columns.includes(to);
      const next = isFollower
        ? this.matching.camera(from, cameras.get(from) ?? camera, to)
        : this.cameraOf(to);
      cameras.set(to, next);
      if (isFollower) set(to, next);
    }
    this.isSetByCode = wasSetByCode;
  }

  private readonly glide = (column: number, camera: Camera): void => this.row.explorer(column).goTo(camera);

  /** The current or target camera of a column. */
  cameraOf(column: number): Camera {
    const { camera, target } = this.row.explorer(column).viewportStore.state;
    return target ?? camera;
  }

  /** No camera follows another until `work` is done. */
  async hold(work: () => Promise<unknown>): Promise<void> {
    this.isSetByCode = true;
    try {
      await work();
    } finally {
      this.isSetByCode = false;
    }
  }

  /** Rearranges a column and keeps its camera. */
  arrange(column: number, change: Parameters<Explorer["arrange"]>[0]): Promise<void> {
    return this.row.explorer(column).arrange(change, { how: "camera", camera: this.cameraOf(column) });
  }

  /** Rearranges columns with the same groups open. */
  async arrangeAgain(columns: readonly number[]): Promise<void> {
    await this.hold(() => Promise.all(columns.map((column) => this.arrange(column, {}))));
    this.changed();
  }

  /** Fits all columns again after a resize, until the user moves a camera. */
  private resized(): void {
    if (this.kept) this.fit(this.kept, true);
    else this.align(this.store.state.leader);
  }

  /** A camera was moved manually or got a target: the other columns follow. */
  private looked(column: number, camera: Camera, isTarget: boolean): void {
    if (this.isSetByCode || column !== this.store.state.leader) return;
    this.lead(column, camera, isTarget ? this.glide : this.jump);
  }

  /** Sets a camera at once; the owner of the canvas passes it on. */
  jump: (column: number, camera: Camera) => void = (column, camera) =>
    this.row.explorer(column).viewportStore.set({ camera, target: undefined });
}

interface Placed {
  readonly rect: Rect;
  readonly all: Rect;
  /** The visible part of the world. */
  readonly width: number;
  readonly height: number;
}

/**
 * How much of the world is visible above rectangles that are at one height. They are centred, unless that
 * would show empty space above or below all pictures.
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

/** The least move that brings a rectangle into view; the top left corner of one larger than the screen. */
function withInside(camera: Camera, rect: Rect, screen: Size): Camera {
  const { x, y } = toScreen(camera, rect);
  const by = (at: number, length: number, room: number): number => {
    const over = Math.max(0, at + length * camera.zoom - (room - NEAR.margin));
    return NEAR.margin - at > 0 ? NEAR.margin - at : -Math.min(over, at - NEAR.margin);
  };
  return panned(camera, by(x, rect.width, screen.width), by(y, rect.height, screen.height));
}

/** Centred in a width of the world, but not beyond the edge of everything: empty space is useless. */
function centredWithin(rect: Rect, all: Rect, width: number): number {
  const [least, most] = [all.x - NEAR.margin / 2, all.x + all.width + NEAR.margin / 2 - width];
  const middle = rect.x + rect.width / 2 - width / 2;
  return least > most ? (least + most) / 2 : Math.min(most, Math.max(least, middle));
}
