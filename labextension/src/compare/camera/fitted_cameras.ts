/** Cameras that show all of each column at one zoom, with the selection at one height, else the tops. */

import { NAMES } from "../../canvas/detail_level";
import { sceneRect } from "../../explorer";
import { type Camera, fitted, type Rect, ZOOM } from "../../geometry/camera";
import type { Row } from "../model/row";
import type { CameraSync } from "./camera_sync";

/** Screen pixels around what fits. */
const AROUND = { margin: 18, above: 22 } as const;
/** The zoom at which names are still read. */
export const LEAST = NAMES;
const LEASTS = { all: ZOOM.least, readable: LEAST } as const;
/** The selection may be no lower on the screen than this share of it. */
const LOW = 0.9;

/** All of it at any size, or not smaller than readable: then from the top. */
export type Fit = keyof typeof LEASTS;

/** By column: how much lower something is than in the leader's world, and where it is in the leader's. */
interface Offsets {
  readonly by: readonly number[];
  readonly lowest: number;
}

export function fittedTogether(row: Row, matching: CameraSync, leader: number, fit: Fit): readonly Camera[] {
  const apart = row.columns.map(() => 0);
  const tops = fitAll(row, apart, fit);
  const { by, lowest } = offsetsFrom(row, matching, leader, tops);
  const met = fitAll(row, by, fit);
  const [camera, { screen }] = [met[leader], row.explorer(leader).viewportStore.state];
  return camera && (lowest - camera.y) * camera.zoom <= LOW * screen.height ? met : tops;
}

/** What is kept at one height in neighbouring columns, from the leader outwards. */
function offsetsFrom(row: Row, matching: CameraSync, leader: number, cameras: readonly Camera[]): Offsets {
  const by = row.columns.map(() => 0);
  let lowest = Number.NEGATIVE_INFINITY;
  for (const { from, to } of row.outward(leader)) {
    const [camera, own] = [cameras[from], by[from] ?? 0];
    const anchored = camera && matching.anchored(from, { ...camera, y: camera.y + own }, to);
    by[to] = own + (anchored ? anchored[1].y - anchored[0].y : 0);
    if (anchored) lowest = Math.max(lowest, anchored[0].y - own);
  }
  return { by, lowest };
}

/** Fits all columns, each lowered by its offset. */
function fitAll(row: Row, by: readonly number[], fit: Fit): readonly Camera[] {
  const rects = row.explorers.map(({ state }) => sceneRect(state.scene));
  const tops = rects.map(({ y }, column) => y - (by[column] ?? 0));
  const top = Math.min(...tops);
  const bottom = Math.max(...rects.map(({ height }, column) => (tops[column] ?? 0) + height));
  const all = rects.map(
    (rect, column): Rect => ({ ...rect, y: top + (by[column] ?? 0), height: bottom - top }),
  );
  const zoom = Math.min(...all.map((rect, column) => within(row, column, rect, { least: LEASTS[fit] }).zoom));
  return all.map((rect, column) => within(row, column, rect, { least: zoom, most: zoom }));
}

const within = (row: Row, column: number, rect: Rect, bounds: { least: number; most?: number }): Camera =>
  fitted(rect, row.explorer(column).viewportStore.state.screen, { ...AROUND, ...bounds });
