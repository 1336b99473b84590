/** Defects of a scene: overlapping boxes, lines through other boxes, loose ends, crossings. */

import type { Scene } from "../../src/layout";

/** Proper crossings between lines of different edges, counted on their straight segments. */
export function crossings(scene: Scene): number {
  const segments: [number, number, number, number, number][] = [];
  for (let e = 0; e < scene.edgeSource.length; e++) {
    for (const [ax, ay, bx, by] of pieces(scene, e)) segments.push([ax, ay, bx, by, e]);
  }
  segments.sort((a, b) => Math.min(a[1], a[3]) - Math.min(b[1], b[3]));
  let total = 0;
  let active: typeof segments = [];
  for (const s of segments) {
    const top = Math.min(s[1], s[3]);
    active = active.filter((t) => Math.max(t[1], t[3]) > top);
    for (const t of active) if (t[4] !== s[4] && cross(s, t)) total++;
    active.push(s);
  }
  return total;
}

type Quad = readonly [number, number, number, number, ...number[]];

function cross(s: Quad, t: Quad): boolean {
  const side = (q: Quad, x: number, y: number): number =>
    (q[2] - q[0]) * (y - q[1]) - (q[3] - q[1]) * (x - q[0]);
  return side(s, t[0], t[1]) * side(s, t[2], t[3]) < 0 && side(t, s[0], s[1]) * side(t, s[2], s[3]) < 0;
}

/** Straight segments between neighbouring points; none across a lifted pen. */
export function pieces(scene: Scene, e: number): [number, number, number, number][] {
  const found: [number, number, number, number][] = [];
  for (let i = (scene.pointStart[e] ?? 0) + 1; i < (scene.pointStart[e + 1] ?? 0); i++) {
    const quad = Array.from(scene.points.subarray(2 * i - 2, 2 * i + 2)) as [number, number, number, number];
    if (!quad.some(Number.isNaN)) found.push(quad);
  }
  return found;
}

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export const rectOf = (scene: Scene, slot: number): Rect => {
  const [x = 0, y = 0, w = 0, h = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
  return { x, y, w, h };
};

/** Pairs of boxes that overlap without one containing the other. */
export function overlaps(scene: Scene, parentOf: (item: number) => number): string[] {
  const wrong: string[] = [];
  const siblings = new Map<number, number[]>();
  for (let s = 0; s < scene.item.length; s++) {
    const parent = parentOf(scene.item[s] ?? -1);
    const list = siblings.get(parent) ?? [];
    for (const t of list) if (meet(rectOf(scene, s), rectOf(scene, t))) wrong.push(`${s} and ${t}`);
    siblings.set(parent, [...list, s]);
    const outer =
      parent < 0 ? { x: 0, y: 0, w: scene.width, h: scene.height } : rectOf(scene, scene.slotOf[parent] ?? 0);
    if (!holds(outer, rectOf(scene, s))) wrong.push(`${s} leaves its group`);
  }
  return wrong;
}

const meet = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const holds = (a: Rect, b: Rect): boolean =>
  a.x <= b.x && a.y <= b.y && a.x + a.w >= b.x + b.w && a.y + a.h >= b.y + b.h;

/**
 * Segments of lines whose bounds meet the inside of another box: one that neither is nor contains an end of
 * the edge. Bounds and not chords, because a drawn curve stays within the bounds of its segment only.
 */
export function throughBoxes(scene: Scene, parentOf: (item: number) => number): string[] {
  const wrong: string[] = [];
  const rects = [...scene.item.keys()].map((s) => ({ s, ...rectOf(scene, s) })).sort((a, b) => a.y - b.y);
  const tallest = Math.max(0, ...rects.map((r) => r.h));
  for (let e = 0; e < scene.edgeSource.length; e++) {
    const own = new Set<number>();
    for (const end of [scene.edgeSource[e] ?? 0, scene.edgeTarget[e] ?? 0]) {
      for (let item = parentOf(scene.item[end] ?? 0); item >= 0; item = parentOf(item))
        own.add(scene.slotOf[item] ?? -1);
    }
    for (const [ax, ay, bx, by] of pieces(scene, e)) {
      const [x0, x1, y0, y1] = [Math.min(ax, bx), Math.max(ax, bx), Math.min(ay, by), Math.max(ay, by)];
      for (let i = lowerBound(rects, y0 - tallest); i < rects.length && (rects[i]?.y ?? 0) < y1; i++) {
        const r = rects[i];
        if (r && !own.has(r.s) && r.y + r.h > y0 && r.x < x1 && r.x + r.w > x0)
          wrong.push(`edge ${e} through slot ${r.s}`);
      }
    }
  }
  return wrong;
}

function lowerBound(rects: readonly Rect[], y: number): number {
  let [lo, hi] = [0, rects.length];
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if ((rects[mid]?.y ?? 0) < y) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/** Edges that do not start on the border of their source or do not end on that of their target. */
export function looseEnds(scene: Scene): string[] {
  const wrong: string[] = [];
  for (let e = 0; e < scene.edgeSource.length; e++) {
    const [a, b] = [scene.pointStart[e] ?? 0, (scene.pointStart[e + 1] ?? 0) - 1];
    const at = (i: number): [number, number] => [scene.points[2 * i] ?? 0, scene.points[2 * i + 1] ?? 0];
    const source = rectOf(scene, scene.edgeSource[e] ?? 0);
    const target = rectOf(scene, scene.edgeTarget[e] ?? 0);
    if (!onLevel(at(a), source, source.y + source.h)) wrong.push(`edge ${e} starts beside its source`);
    if (!onLevel(at(b), target, target.y)) wrong.push(`edge ${e} ends beside its target`);
  }
  return wrong;
}

const onLevel = ([x, y]: [number, number], r: Rect, level: number): boolean =>
  Math.abs(y - level) < 0.07 && x >= r.x && x <= r.x + r.w;
