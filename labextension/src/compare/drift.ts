/**
 * How far apart two scenes have what corresponds: by what one camera is moved so that both show the same. Each pair of
 * boxes pulls by its nearness, so that the camera glides and does not jump from box to box. Pure.
 */
import type { Point, Rect } from "../canvas/camera";
import type { Scene } from "../layout";
import type { Picture } from "../picture";
import type { Changes, Side } from "./changes";

export interface Shown {
  readonly picture: Picture;
  readonly scene: Scene;
}

/** World pixels within which all pairs pull alike: up and down they are followed closely, sideways calmly. */
const NEAR = { x: 600, y: 60 } as const;

export class Drift {
  /** Of each pair: the middle of the top edge in a, and in b. */
  private readonly points: Float64Array;

  constructor(changes: Changes, shown: readonly [Shown, Shown]) {
    const found: number[] = [];
    const known = new Set<number>();
    for (let match = 0; match < changes.count; match++) {
      const [a, b] = [slotsOf(changes, match, 0, shown[0]), slotsOf(changes, match, 1, shown[1])];
      if (!a.length || !b.length) continue;
      const key = (a[0] ?? 0) * 0x100000 + (b[0] ?? 0);
      if (known.has(key)) continue;
      known.add(key);
      const [from, to] = [topOf(shown[0].scene, a), topOf(shown[1].scene, b)];
      found.push(from.x, from.y, to.x, to.y);
    }
    this.points = Float64Array.from(found);
  }

  /** What is at a point of one side's world is at that point plus this in the other's. */
  at(side: Side, { x, y }: Point): Point {
    const { points } = this;
    const sum = { x: 0, y: 0 };
    const all = { x: 0, y: 0 };
    const sign = side === 0 ? 1 : -1;
    for (let i = 0; i < points.length; i += 4) {
      const [px, py] = [points[i + 2 * side] ?? 0, points[i + 2 * side + 1] ?? 0];
      // Rows matter more than columns: what stands at one height is compared.
      const distance = ((px - x) / 2) ** 2 + (py - y) ** 2;
      const weight = { x: 1 / (distance + NEAR.x ** 2) ** 2, y: 1 / (distance + NEAR.y ** 2) ** 2 };
      sum.x += weight.x;
      sum.y += weight.y;
      all.x += weight.x * sign * ((points[i + 2] ?? 0) - (points[i] ?? 0));
      all.y += weight.y * sign * ((points[i + 3] ?? 0) - (points[i + 1] ?? 0));
    }
    return points.length ? { x: all.x / sum.x, y: all.y / sum.y } : { x: 0, y: 0 };
  }
}

/** The slots in which the nodes of a match are seen. */
export const slotsOf = (changes: Changes, match: number, side: Side, shown: Shown): number[] =>
  slotsOfNodes(changes.nodes(match, side), shown);

/** The slots in which nodes are seen: their own, or those of the closed groups around them. */
export function slotsOfNodes(nodes: readonly number[], shown: Shown): number[] {
  const found = new Set(nodes.map((node) => slotOf(shown, node)));
  found.delete(-1);
  return [...found];
}

export function slotOf({ picture, scene }: Shown, node: number): number {
  for (let item = picture.boxOf(node); item >= 0; item = picture.parentOf(item)) {
    const slot = scene.slotOf[item] ?? -1;
    if (slot >= 0) return slot;
  }
  return -1;
}

export function rectOfSlot({ rect }: Pick<Scene, "rect">, slot: number): Rect {
  const [x = 0, y = 0, width = 0, height = 0] = rect.subarray(4 * slot, 4 * slot + 4);
  return { x, y, width, height };
}

function topOf(scene: Scene, slots: readonly number[]): Point {
  const rects = slots.map((slot) => rectOfSlot(scene, slot));
  const left = Math.min(...rects.map(({ x }) => x));
  const right = Math.max(...rects.map(({ x, width }) => x + width));
  return { x: (left + right) / 2, y: Math.min(...rects.map(({ y }) => y)) };
}
