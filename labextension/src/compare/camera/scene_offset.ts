/**
 * The offset between corresponding places of two scenes: by how much one camera is moved so that both show
 * the same. Each pair of boxes counts by its nearness, so that the camera glides and does not jump between
 * boxes. Pure.
 */

import { boxShowing } from "../../explorer/reveal";
import type { Point, Rect } from "../../geometry/camera";
import { Kind, type Scene } from "../../layout";
import type { Picture } from "../../picture";
import type { Changes, Side } from "../model/changes";

interface Shown {
  readonly picture: Picture;
  readonly scene: Scene;
}

/** World pixels within which all pairs weigh the same: vertically close, horizontally wide. */
const NEAR = { x: 600, y: 60 } as const;

/** World pixels up and down beyond which a pair has no weight; farther if there is no nearer pair. */
const REACH = 2000;

export class SceneOffset {
  /** For each pair: the middle of the top edge in a, and in b. */
  private readonly points: Float64Array;
  /** By side, computed when first needed: pairs from the top down. */
  private readonly orders: [Order | undefined, Order | undefined] = [undefined, undefined];

  constructor(changes: Changes, shown: readonly [Shown, Shown]) {
    const points = new Float64Array(4 * changes.count);
    const known = new Set<number>();
    let length = 0;
    for (let match = 0; match < changes.count; match++) {
      const from = topOf(shown[0], changes.nodes(match, 0));
      const to = from && topOf(shown[1], changes.nodes(match, 1));
      if (!from || !to) continue;
      // Only a closed group can repeat, once for each node that it holds.
      if (shown[0].scene.kind[from.slot] !== Kind.Leaf) {
        const key = from.slot * 0x100000 + to.slot;
        if (known.has(key)) continue;
        known.add(key);
      }
      points.set([from.x, from.y, to.x, to.y], length);
      length += 4;
    }
    this.points = points.slice(0, length);
  }

  /** The offset at a point of one side's world: the other side's point is this far from it. */
  at(side: Side, { x, y }: Point): Point {
    const { points } = this;
    if (!points.length) return { x: 0, y: 0 };
    const order = this.order(side);
    const nearest = order.nearest(y);
    const reach = Math.max(REACH, 2 * nearest);
    const sum = { x: 0, y: 0 };
    const all = { x: 0, y: 0 };
    const sign = side === 0 ? 1 : -1;
    for (let at = order.from(y - reach); at < order.pairs.length; at++) {
      const i = 4 * (order.pairs[at] ?? 0);
      const [px, py] = [points[i + 2 * side] ?? 0, points[i + 2 * side + 1] ?? 0];
      if (py > y + reach) break;
      // The vertical direction matters more: boxes at one height are compared.
      const distance = ((px - x) / 2) ** 2 + (py - y) ** 2;
      const pull = (1 - ((py - y) / reach) ** 2) ** 2;
      const weight = {
        x: pull / (distance + NEAR.x ** 2) ** 2,
        y: pull / (distance + NEAR.y ** 2) ** 2,
      };
      sum.x += weight.x;
      sum.y += weight.y;
      all.x += weight.x * sign * ((points[i + 2] ?? 0) - (points[i] ?? 0));
      all.y += weight.y * sign * ((points[i + 3] ?? 0) - (points[i + 1] ?? 0));
    }
    return { x: all.x / sum.x, y: all.y / sum.y };
  }

  private order(side: Side): Order {
    const found = this.orders[side] ?? new Order(this.points, side);
    this.orders[side] = found;
    return found;
  }
}

/** The pairs of one side from the top down, to find those around a height quickly. */
class Order {
  readonly pairs: Int32Array;
  private readonly heights: Float64Array;

  constructor(points: Float64Array, side: Side) {
    const y = (pair: number): number => points[4 * pair + 2 * side + 1] ?? 0;
    this.pairs = Int32Array.from({ length: points.length / 4 }, (_, pair) => pair).sort(
      (p, q) => y(p) - y(q),
    );
    this.heights = Float64Array.from(this.pairs, y);
  }

  /** The first pair that is not higher than this. */
  from(y: number): number {
    let [low, high] = [0, this.heights.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.heights[middle] ?? 0) < y) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The distance from a height to the nearest pair. */
  nearest(y: number): number {
    const at = this.from(y);
    const away = (i: number): number => Math.abs((this.heights[i] ?? Number.POSITIVE_INFINITY) - y);
    return Math.min(away(at), away(at - 1));
  }
}

/**
 * The slots that show nodes: their own, or those of closed groups around them. Folded state is shown by the
 * op that reads it.
 */
export function slotsOfNodes(nodes: readonly number[], shown: Shown): number[] {
  return slotsOfItems(
    nodes.map((node) => boxShowing(shown.picture, node)),
    shown,
  );
}

/** The slots that show boxes: their own, or those of closed groups around them. */
export const slotsOfItems = (items: readonly number[], shown: Shown): number[] =>
  [...new Set(items.map((item) => slotOfItem(shown, item)))].filter((slot) => slot >= 0);

export const slotOf = (shown: Shown, node: number): number => slotOfItem(shown, shown.picture.boxOf(node));

function slotOfItem({ picture, scene }: Shown, box: number): number {
  for (let item = box; item >= 0; item = picture.parentOf(item)) {
    const slot = scene.slotOf[item] ?? -1;
    if (slot >= 0) return slot;
  }
  return -1;
}

export function rectOfSlot({ rect }: Pick<Scene, "rect">, slot: number): Rect {
  const [x = 0, y = 0, width = 0, height = 0] = rect.subarray(4 * slot, 4 * slot + 4);
  return { x, y, width, height };
}

/** The middle of the top edge of the boxes that show nodes, and the first of these boxes. */
function topOf(shown: Shown, nodes: readonly number[]): (Point & { readonly slot: number }) | undefined {
  const { rect } = shown.scene;
  let [first, left, right, y] = [
    -1,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ];
  for (const node of nodes) {
    const slot = slotOf(shown, node);
    if (slot < 0) continue;
    if (first < 0) first = slot;
    left = Math.min(left, rect[4 * slot] ?? 0);
    right = Math.max(right, (rect[4 * slot] ?? 0) + (rect[4 * slot + 2] ?? 0));
    y = Math.min(y, rect[4 * slot + 1] ?? 0);
  }
  return first < 0 ? undefined : { slot: first, x: (left + right) / 2, y };
}
