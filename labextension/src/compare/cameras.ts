/**
 * The cameras of pictures side by side: one that all share, so that what corresponds stands at one height, or one
 * each. Whoever leads is followed.
 */
import { type Camera, fitted, type Rect, toScreen, toWorld } from "../canvas/camera";
import { type Explorer, sceneRect } from "../explorer";
import { around, READABLE } from "../explorer/follow";
import type { Store } from "../store";
import { Drift, rectOfSlot, slotsOfNodes } from "./drift";
import type { Pair } from "./pair";
import type { Row } from "./row";
import type { PairState } from "./state";

/** Screen pixels around what fits, and the zoom at which names are still read. */
const AROUND = { margin: 18, above: 22 } as const;
const LEAST = 0.36;
const NEAR = { margin: 60 } as const;

/** Where what is looked at is in a neighbour, and how much lower than here. */
interface Held {
  readonly drift: number;
  readonly left: number;
  readonly right: number;
}

export class Cameras {
  private readonly drifts = new Map<Pair, Drift>();
  /** While some are set by another, or all, they are not followed. */
  isHeld = false;
  private isUntouched = true;
  private readonly off: (() => void)[];

  constructor(
    private readonly row: Row,
    private readonly store: Store<PairState>,
  ) {
    this.off = row.explorers.map(({ sight }, column) => {
      sight.set({ camera: { ...sight.state.camera } }); // it is fitted here, and no longer by the explorer alone
      return sight.subscribe((now, before) => {
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
    this.isUntouched = false;
  }

  /** Another scene stands. */
  changed(): void {
    this.drifts.clear();
  }

  /** Brings what is looked at to the middle of all pictures, the tops at one height; stays where it is seen. */
  frame(): void {
    const views = this.row.columns.map((column) => {
      const { screen } = this.row.explorer(column).sight.state;
      return { column, screen, rect: this.rectOf(column) };
    });
    const { leader } = this.store.state;
    const most = Math.max(READABLE, Math.min(1, this.row.explorer(leader).sight.state.camera.zoom));
    const zooms = views.flatMap(({ rect, screen }) =>
      rect ? fitted(rect, screen, { ...NEAR, most }).zoom : [],
    );
    const zoom = Math.max(LEAST, Math.min(...zooms));
    const tall = Math.max(...views.map(({ rect }) => rect?.height ?? 0));
    this.isHeld = true;
    for (const { column, rect, screen } of views) {
      if (!rect) continue;
      const spare = Math.max(NEAR.margin / zoom, (screen.height / zoom - tall) / 2);
      const x = rect.x + rect.width / 2 - screen.width / zoom / 2;
      this.row.explorer(column).goTo({ zoom, x, y: rect.y - spare });
    }
    this.isHeld = false;
    // A column that has none of it shows the place.
    const without = views.flatMap(({ column, rect }) => (rect ? [] : [column]));
    this.lead(leader, this.lookingAt(leader), this.glide, without);
  }

  /** All at one zoom, and their tops at one height. */
  fit(isAtOnce = false): void {
    const fitting = (column: number, zoom?: number): Camera => {
      const { state, sight } = this.row.explorer(column);
      const bounds = zoom === undefined ? { least: LEAST } : { least: zoom, most: zoom };
      return fitted(sceneRect(state.scene), sight.state.screen, { ...AROUND, ...bounds });
    };
    const { columns } = this.row;
    const zoom = Math.min(...columns.map((column) => fitting(column).zoom));
    const cameras = columns.map((column) => fitting(column, zoom));
    const y = Math.max(...cameras.map((camera) => camera.y));
    this.isHeld = true;
    cameras.forEach((each, column) => {
      const camera = { ...each, y };
      if (isAtOnce) this.row.explorer(column).sight.set({ camera, target: undefined });
      else this.row.explorer(column).goTo(camera);
    });
    this.isHeld = false;
  }

  setOne(isOneCamera: boolean): void {
    this.store.set({ isOneCamera });
    this.align(this.store.state.leader);
  }

  /** Brings the other columns to what one shows. */
  align(column: number): void {
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
      const next = isLed ? this.matching(from, cameras.get(from) ?? camera, to) : this.lookingAt(to);
      cameras.set(to, next);
      if (isLed) set(to, next);
    }
    this.isHeld = wasHeld;
  }

  private readonly glide = (column: number, camera: Camera): void => this.row.explorer(column).goTo(camera);

  /** What a column shows, or goes to. */
  lookingAt(column: number): Camera {
    const { camera, target } = this.row.explorer(column).sight.state;
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

  private drift(pair: Pair): Drift {
    const [a, b] = [pair.explorers[0].state, pair.explorers[1].state];
    const found = this.drifts.get(pair) ?? new Drift(pair.changes, [a, b]);
    this.drifts.set(pair, found);
    return found;
  }

  /** A neighbour's camera for one of a column: what corresponds is at the same height. */
  private matching(from: number, camera: Camera, to: number): Camera {
    const { screen } = this.row.explorer(from).sight.state;
    const { screen: others } = this.row.explorer(to).sight.state;
    const { pair, side } = this.row.between(from, to);
    const drift = this.drift(pair).at(side, toWorld(camera, { x: screen.width / 2, y: screen.height / 2 }));
    const held = this.held(from, camera, to);
    const width = others.width / camera.zoom;
    const x = camera.x + drift.x - (width - screen.width / camera.zoom) / 2;
    if (!held) return { zoom: camera.zoom, x, y: camera.y + drift.y };
    // What is selected is seen in both: sideways the camera moves no more than that needs.
    const [most, least] = [held.left - 20 / camera.zoom, held.right + 20 / camera.zoom - width];
    const shown = least > most ? (least + most) / 2 : Math.min(most, Math.max(least, x));
    return { zoom: camera.zoom, x: shown, y: camera.y + held.drift };
  }

  /** While what is selected is in view, it is that which keeps its height. */
  private held(from: number, camera: Camera, to: number): Held | undefined {
    const [here, there] = [this.rectOf(from), this.rectOf(to)];
    if (!here || !there) return undefined;
    const { screen } = this.row.explorer(from).sight.state;
    const { x, y } = toScreen(camera, here);
    const isSeen = y > -40 && y < screen.height + 40 && x > -200 && x < screen.width + 200;
    return isSeen ? { drift: there.y - here.y, left: there.x, right: there.x + there.width } : undefined;
  }

  /** Around the boxes of what is looked at, in a column's world; undefined where it has none. */
  private rectOf(column: number): Rect | undefined {
    const { state } = this.row.explorer(column);
    const slots = slotsOfNodes(this.store.state.nodes[column] ?? [], state);
    return slots.length ? around(slots.map((slot) => rectOfSlot(state.scene, slot))) : undefined;
  }

  /** Until someone moves, all stay fitted to their screens. */
  private resized(): void {
    if (this.isUntouched) this.fit(true);
    else this.align(this.store.state.leader);
  }

  /** A camera moved by hand, or is to go somewhere: the others go along. */
  private looked(column: number, camera: Camera, isTarget: boolean): void {
    if (this.isHeld || column !== this.store.state.leader) return;
    this.lead(column, camera, isTarget ? this.glide : this.jump);
  }

  /** Sets a camera at once; a canvas that moves is told by whoever owns it. */
  jump: (column: number, camera: Camera) => void = (column, camera) =>
    this.row.explorer(column).sight.set({ camera, target: undefined });
}
