/**
 * The camera of a column that matches the camera of its neighbour. The selection is at the same height in
 * both while it is visible; without a selection, the first change that was visible when the columns were
 * aligned. Farther away, the offset follows what corresponds around the middle of the screen. Nothing jumps.
 */

import { sceneRect } from "../../explorer";
import { around } from "../../explorer/camera_follow";
import {
  type Camera,
  type Point,
  type Rect,
  type Size,
  toScreen,
  toWorld,
  visibleWorld,
} from "../../geometry/camera";
import { otherSide } from "../model/changes";
import type { Pair } from "../model/pair";
import type { Row } from "../model/row";
import type { PairState } from "../model/state";
import { type Anchor, anchorIn } from "./anchor";
import { rectOfSlot, SceneOffset, slotsOfNodes } from "./scene_offset";

/**
 * Screen pixels beyond the edge at which a box still counts as visible, and world pixels over which a manual
 * offset fades.
 */
const BEYOND = { x: 200, y: 40 } as const;
const FADE = 600;

/** A neighbour's offset from its computed camera, and where the camera was then. */
interface Slack {
  readonly by: Point;
  readonly at: Point;
}

export class CameraSync {
  private readonly sceneOffsets = new Map<Pair, SceneOffset>();
  /** Undefined if none is visible. */
  private readonly met = new Map<Pair, Anchor | undefined>();
  /** The offsets of each side's neighbour: the two directions differ. */
  private readonly slacks = new Map<Pair, readonly [Slack, Slack]>();

  constructor(
    private readonly row: Row,
    private readonly looked: () => Pick<PairState, "nodes" | "groups">,
  ) {}

  /** Forgets everything after a change of scenes. */
  forget(): void {
    this.sceneOffsets.clear();
    this.release();
  }

  /** Forgets the anchors: the next ones are chosen from what is visible then. */
  release(): void {
    this.met.clear();
    this.slacks.clear();
  }

  /** The neighbour's camera for a camera of a column. */
  camera(from: number, camera: Camera, to: number): Camera {
    const { pair, side } = this.row.between(from, to);
    const free = this.free(from, camera, to);
    const slack = this.slacks.get(pair)?.[side];
    if (!slack) return free;
    const middle = middleOf(camera, this.screen(from));
    const [dx, dy] = [middle.x - slack.at.x, middle.y - slack.at.y];
    const left = 1 / (1 + (dx ** 2 + dy ** 2) / FADE ** 2);
    return { ...free, x: free.x + left * slack.by.x, y: free.y + left * slack.by.y };
  }

  /** Keeps cameras that were set manually, as offsets. */
  settle(cameras: readonly Camera[]): void {
    this.slacks.clear();
    for (const pair of this.row.pairs) {
      const [a, b] = [cameras[pair.at], cameras[pair.at + 1]];
      if (!a || !b) continue;
      const slack = (from: number, here: Camera, to: number, there: Camera): Slack => {
        const free = this.free(from, here, to);
        return { by: { x: there.x - free.x, y: there.y - free.y }, at: middleOf(here, this.screen(from)) };
      };
      this.slacks.set(pair, [slack(pair.at, a, pair.at + 1, b), slack(pair.at + 1, b, pair.at, a)]);
    }
  }

  /** What is kept at one height in a column and its neighbour, the column's box first. */
  anchored(from: number, camera: Camera, to: number): readonly [Rect, Rect] | undefined {
    const [here, there] = [this.selectionRect(from), this.selectionRect(to)];
    const screen = this.screen(from);
    if (here && there && strengthOf(camera, screen, here) > 0) return [here, there];
    const { pair, side } = this.row.between(from, to);
    if (!this.met.has(pair)) this.met.set(pair, anchorIn(pair, side, visibleWorld(camera, screen)));
    const met = this.met.get(pair);
    return met && [met[side], met[otherSide(side)]];
  }

  /** The bounds of the selected boxes in a column's world; undefined if there are none. */
  selectionRect(column: number): Rect | undefined {
    const { state } = this.row.explorer(column);
    const { nodes, groups } = this.looked();
    const boxes = (groups[column] ?? []).map((item) => state.scene.slotOf[item] ?? -1);
    const slots = [...slotsOfNodes(nodes[column] ?? [], state), ...boxes.filter((slot) => slot >= 0)];
    return slots.length ? around(slots.map((slot) => rectOfSlot(state.scene, slot))) : undefined;
  }

  private free(from: number, camera: Camera, to: number): Camera {
    const { pair, side } = this.row.between(from, to);
    const [screen, others] = [this.screen(from), this.screen(to)];
    const drift = this.drift(pair).at(side, middleOf(camera, screen));
    const [width, height] = [others.width / camera.zoom, others.height / camera.zoom];
    const all = sceneRect(this.row.explorer(to).state.scene);
    const x = camera.x + drift.x - (width - screen.width / camera.zoom) / 2;
    const gliding = {
      zoom: camera.zoom,
      x: overlapping(x, width, all.x, all.width),
      y: overlapping(camera.y + drift.y, height, all.y, all.height),
    };
    const anchored = this.anchored(from, camera, to);
    if (!anchored) return gliding;
    const [here, there] = anchored;
    const strength = strengthOf(camera, screen, here);
    const margin = 20 / camera.zoom;
    const isWide = there.width + 2 * margin > width;
    const aim = isWide ? there.x + camera.x - here.x : x;
    return {
      zoom: camera.zoom,
      x: between(gliding.x, shownIn(aim, width, there, margin), strength),
      y: between(gliding.y, camera.y + there.y - here.y, strength),
    };
  }

  private drift(pair: Pair): SceneOffset {
    const [a, b] = [pair.explorers[0].state, pair.explorers[1].state];
    const found = this.sceneOffsets.get(pair) ?? new SceneOffset(pair.changes, [a, b]);
    this.sceneOffsets.set(pair, found);
    return found;
  }

  private screen(column: number): Size {
    return this.row.explorer(column).viewportStore.state.screen;
  }
}

/** From 1 while a box is visible down to 0 half a screen away, continuously. */
export function strengthOf(camera: Camera, screen: Size, { x, y }: Point): number {
  const at = toScreen(camera, { x, y });
  const beyond = Math.max(
    outside(at.x, screen.width, BEYOND.x) / Math.max(1, screen.width / 2),
    outside(at.y, screen.height, BEYOND.y) / Math.max(1, screen.height / 2),
  );
  const left = Math.max(0, 1 - beyond);
  return left * left * (3 - 2 * left);
}

const outside = (at: number, size: number, beyond: number): number =>
  Math.max(0, -beyond - at, at - size - beyond);

const between = (a: number, b: number, share: number): number => a + (b - a) * share;

const middleOf = (camera: Camera, { width, height }: Size): Point =>
  toWorld(camera, { x: width / 2, y: height / 2 });

/** Keeps a picture on the screen if nothing corresponds, as in unrelated programs. */
function overlapping(from: number, view: number, start: number, length: number): number {
  const least = Math.min(view, length) / 2;
  return Math.min(start + length - least, Math.max(start + least - view, from));
}

/** The least horizontal move that shows a box; a box wider than the screen fills it. */
function shownIn(x: number, width: number, rect: Rect, margin: number): number {
  const ends = [rect.x - margin, rect.x + rect.width + margin - width];
  return Math.min(Math.max(...ends), Math.max(Math.min(...ends), x));
}
