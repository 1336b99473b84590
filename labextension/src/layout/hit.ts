/**
 * Finds things in a scene quickly: what a rectangle touches (culling), what is at a point (hovering). Built
 * once per scene; the index of lines when first needed.
 */

import Flatbush from "flatbush";
import { type Csr, groupBy } from "./csr";
import { distanceToLine } from "./nearest";
import type { Scene } from "./types";

const known = new WeakMap<Scene, HitIndex>();

/** The index of a scene, cached. */
export function hitsOf(scene: Scene): HitIndex {
  const found = known.get(scene) ?? new HitIndex(scene);
  known.set(scene, found);
  return found;
}

/** In world pixels. */
export interface WorldRect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export class HitIndex {
  private readonly boxes: Flatbush | undefined;
  private lines: Flatbush | undefined;
  private edges: Flatbush | undefined;
  private byValue: Csr | undefined;

  constructor(private readonly scene: Scene) {
    const { item, rect } = scene;
    this.boxes = build(item.length, (s) => {
      const [x, y, w, h] = rect.subarray(4 * s, 4 * s + 4) as unknown as [number, number, number, number];
      return { left: x, top: y, right: x + w, bottom: y + h };
    });
  }

  /** Slots that touch a rectangle, in painting order, and are at least `least` high. */
  slotsIn(area: WorldRect, least = 0): number[] {
    const { rect } = this.scene;
    return ascending(search(this.boxes, area, (s) => rect[4 * s + 3]! >= least));
  }

  /** The innermost slot at a point; -1 if there is none. */
  slotAt(x: number, y: number): number {
    return Math.max(-1, ...search(this.boxes, { left: x, top: y, right: x, bottom: y }));
  }

  /** The strokes of the scene whose bounds touch a rectangle, in order, and are at least `least` long. */
  strokesIn(area: WorldRect, least = 0): number[] {
    return ascending(search(this.lineIndex(), area, (_, x0, y0, x1, y1) => x1 - x0 + (y1 - y0) >= least));
  }

  /** Edges whose bounds touch a rectangle, in order. */
  edgesIn(area: WorldRect): number[] {
    const { edgeSource, points, pointStart } = this.scene;
    this.edges ??= build(edgeSource.length, (e) => bounds(points, pointStart[e]!, pointStart[e + 1]!));
    return ascending(search(this.edges, area));
  }

  /** The edge nearest to a point, at most `within` pixels away; -1 if there is none. */
  edgeNear(x: number, y: number, within: number): number {
    const area = { left: x - within, top: y - within, right: x + within, bottom: y + within };
    const { strokes, edgeValue, pointStart, points } = this.scene;
    this.byValue ??= groupBy(edgeValue.reduce((a, b) => Math.max(a, b), -1) + 1, edgeValue);
    const values = new Set(this.strokesIn(area).map((s) => strokes.value[s]!));
    let nearest = -1;
    let least = within;
    for (const value of values) {
      for (let q = this.byValue.start[value] ?? 0; q < (this.byValue.start[value + 1] ?? 0); q++) {
        const e = this.byValue.item[q]!;
        const d = distanceToLine(points, pointStart[e]!, pointStart[e + 1]!, x, y);
        if (d < least || (d === least && nearest === -1)) {
          least = d;
          nearest = e;
        }
      }
    }
    return nearest;
  }

  private lineIndex(): Flatbush | undefined {
    const { strokes } = this.scene;
    this.lines ??= build(strokes.value.length, (s) =>
      bounds(strokes.points, strokes.pointStart[s]!, strokes.pointStart[s + 1]!),
    );
    return this.lines;
  }
}

function build(count: number, at: (i: number) => WorldRect): Flatbush | undefined {
  if (!count) return undefined;
  const index = new Flatbush(count);
  for (let i = 0; i < count; i++) {
    const { left, top, right, bottom } = at(i);
    index.add(left, top, right, bottom);
  }
  index.finish();
  return index;
}

const search = (
  index: Flatbush | undefined,
  { left, top, right, bottom }: WorldRect,
  isWanted?: (i: number, x0: number, y0: number, x1: number, y1: number) => boolean,
): number[] => (index ? index.search(left, top, right, bottom, isWanted) : []);

const ascending = (found: readonly number[]): number[] => Array.from(Int32Array.from(found).sort());

/** Bounds of points a…b, which also contain the drawn curve. */
export function bounds(points: Float64Array, a: number, b: number): WorldRect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = a; i < b; i++) {
    const x = points[2 * i]!;
    const y = points[2 * i + 1]!;
    if (Number.isNaN(x)) continue;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { left, top, right, bottom };
}
