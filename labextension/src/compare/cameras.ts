/**
 * The cameras of two pictures: one that both share, so that what corresponds stands at one height, or two. Whoever
 * leads is followed.
 */
import { type Camera, fitted, type Rect, toScreen, toWorld } from "../canvas/camera";
import { type Explorer, sceneRect } from "../explorer";
import { around, READABLE } from "../explorer/follow";
import type { Store } from "../store";
import { type Changes, otherSide, SIDES, type Side } from "./changes";
import { Drift, rectOfSlot, slotsOf } from "./drift";
import type { PairState } from "./state";

/** Screen pixels around what fits, and the zoom at which names are still read. */
const AROUND = { margin: 18, above: 22 } as const;
const LEAST = 0.36;
const NEAR = { margin: 60 } as const;

/** Where a match is on the other side, and how much lower than here. */
interface Held {
  readonly drift: number;
  readonly left: number;
  readonly right: number;
}

export class Cameras {
  private driftNow: Drift | undefined;
  /** While one is set by the other, or by both, it is not followed. */
  isHeld = false;
  private isUntouched = true;
  private readonly off: (() => void)[];

  constructor(
    private readonly changes: Changes,
    private readonly explorers: readonly [Explorer, Explorer],
    private readonly store: Store<PairState>,
  ) {
    this.off = SIDES.map((side) => {
      const { sight } = explorers[side];
      sight.set({ camera: { ...sight.state.camera } }); // it is fitted here, and no longer by the explorer alone
      return sight.subscribe((now, before) => {
        if (now.screen !== before.screen) this.resized();
        else if (now.target !== before.target && now.target) this.looked(side, now.target, true);
        else if (now.camera !== before.camera && !now.target) this.looked(side, now.camera, false);
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
    this.driftNow = undefined;
  }

  /** Brings the boxes of a match to the middle of both pictures, their tops at one height; stays where they are seen. */
  frame(match: number): void {
    const views = SIDES.map((side) => {
      const { screen } = this.explorers[side].sight.state;
      return { side, screen, rect: this.rectOf(match, side) };
    });
    const { leader } = this.store.state;
    const most = Math.max(READABLE, Math.min(1, this.explorers[leader].sight.state.camera.zoom));
    const zooms = views.flatMap(({ rect, screen }) =>
      rect ? fitted(rect, screen, { ...NEAR, most }).zoom : [],
    );
    const zoom = Math.max(LEAST, Math.min(...zooms));
    const tall = Math.max(...views.map(({ rect }) => rect?.height ?? 0));
    this.isHeld = true;
    for (const { side, rect, screen } of views) {
      if (!rect) continue;
      const spare = Math.max(NEAR.margin / zoom, (screen.height / zoom - tall) / 2);
      const x = rect.x + rect.width / 2 - screen.width / zoom / 2;
      this.explorers[side].goTo({ zoom, x, y: rect.y - spare });
    }
    this.isHeld = false;
    // A side that has none of it shows the place.
    if (views.some(({ rect }) => !rect)) this.align(leader);
  }

  /** Both at one zoom, and their tops at one height. */
  fit(isAtOnce = false): void {
    const fitting = (side: Side, zoom?: number): Camera => {
      const { state, sight } = this.explorers[side];
      const bounds = zoom === undefined ? { least: LEAST } : { least: zoom, most: zoom };
      return fitted(sceneRect(state.scene), sight.state.screen, { ...AROUND, ...bounds });
    };
    const zoom = Math.min(fitting(0).zoom, fitting(1).zoom);
    const cameras = [fitting(0, zoom), fitting(1, zoom)] as const;
    const y = Math.max(cameras[0].y, cameras[1].y);
    this.isHeld = true;
    for (const side of SIDES) {
      const camera = { ...cameras[side], y };
      if (isAtOnce) this.explorers[side].sight.set({ camera, target: undefined });
      else this.explorers[side].goTo(camera);
    }
    this.isHeld = false;
  }

  setOne(isOneCamera: boolean): void {
    this.store.set({ isOneCamera });
    this.align(this.store.state.leader);
  }

  /** Brings the other side to what a side shows. */
  align(side: Side): void {
    if (!this.store.state.isOneCamera) return;
    const { camera, target } = this.explorers[side].sight.state;
    this.explorers[otherSide(side)].goTo(this.matching(side, target ?? camera));
  }

  private get drift(): Drift {
    const [a, b] = [this.explorers[0].state, this.explorers[1].state];
    this.driftNow ??= new Drift(this.changes, [a, b]);
    return this.driftNow;
  }

  /** The other side's camera for one of a side: what corresponds is at the same height. */
  private matching(side: Side, camera: Camera): Camera {
    const [screen, others] = [side, otherSide(side)].map(
      (each) => this.explorers[each as Side].sight.state.screen,
    );
    const half = { x: (screen?.width ?? 0) / 2, y: (screen?.height ?? 0) / 2 };
    const drift = this.drift.at(side, toWorld(camera, half));
    const held = this.held(side, camera);
    const width = (others?.width ?? 0) / camera.zoom;
    const x = camera.x + drift.x - (width - (screen?.width ?? 0) / camera.zoom) / 2;
    if (!held) return { zoom: camera.zoom, x, y: camera.y + drift.y };
    // What is selected is seen on both sides: sideways the camera moves no more than that needs.
    const [most, least] = [held.left - 20 / camera.zoom, held.right + 20 / camera.zoom - width];
    const shown = least > most ? (least + most) / 2 : Math.min(most, Math.max(least, x));
    return { zoom: camera.zoom, x: shown, y: camera.y + held.drift };
  }

  /** While what is selected is in view, it is that which keeps its height. */
  private held(side: Side, camera: Camera): Held | undefined {
    const { match } = this.store.state;
    if (match < 0) return undefined;
    const [here, there] = [this.rectOf(match, side), this.rectOf(match, otherSide(side))];
    if (!here || !there) return undefined;
    const { screen } = this.explorers[side].sight.state;
    const { x, y } = toScreen(camera, here);
    const isSeen = y > -40 && y < screen.height + 40 && x > -200 && x < screen.width + 200;
    return isSeen ? { drift: there.y - here.y, left: there.x, right: there.x + there.width } : undefined;
  }

  /** Around the boxes of a match, in a side's world; undefined where it has none. */
  private rectOf(match: number, side: Side): Rect | undefined {
    const { state } = this.explorers[side];
    const rects = slotsOf(this.changes, match, side, state).map((slot) => rectOfSlot(state.scene, slot));
    return rects.length ? around(rects) : undefined;
  }

  /** Until someone moves, both stay fitted to their screens. */
  private resized(): void {
    if (this.isUntouched) this.fit(true);
    else this.align(this.store.state.leader);
  }

  /** A camera moved by hand, or is to go somewhere: the other goes along. */
  private looked(side: Side, camera: Camera, isTarget: boolean): void {
    const { isOneCamera, leader } = this.store.state;
    if (!isOneCamera || this.isHeld || side !== leader) return;
    const other = otherSide(side);
    this.isHeld = true;
    if (isTarget) this.explorers[other].goTo(this.matching(side, camera));
    else this.jump(other, this.matching(side, camera));
    this.isHeld = false;
  }

  /** Sets a camera at once; a canvas that moves is told by whoever owns it. */
  jump: (side: Side, camera: Camera) => void = (side, camera) =>
    this.explorers[side].sight.set({ camera, target: undefined });
}
