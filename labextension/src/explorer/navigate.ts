/**
 * From one visible box to the next with arrow keys: up and down along edges, left and right to neighbours.
 * Pure.
 */
import { Kind, type Scene } from "../layout";

export type Arrow = "up" | "down" | "left" | "right";

/** The next slot; -1 if there is none. `from` is -1 if nothing is selected. */
export function neighbour(scene: Scene, from: number, arrow: Arrow): number {
  if (from < 0) return scene.item.length ? 0 : -1;
  if (arrow === "up") return alongEdge(scene, from, scene.edgeTarget, scene.edgeSource);
  if (arrow === "down") return alongEdge(scene, from, scene.edgeSource, scene.edgeTarget);
  return nearestInRow(scene, from, arrow === "left" ? -1 : 1);
}

/** The horizontally nearest of several targets. */
function alongEdge(scene: Scene, slot: number, own: Int32Array, other: Int32Array): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let e = 0; e < own.length; e++) {
    if (own[e] !== slot) continue;
    const to = other[e] ?? -1;
    const away = Math.abs(middle(scene, to) - middle(scene, slot));
    if (away < least) {
      least = away;
      best = to;
    }
  }
  return best >= 0 || scene.kind[slot] !== Kind.Open ? best : firstWithin(scene, slot);
}

/** Enters an open module at its first box. */
function firstWithin(scene: Scene, slot: number): number {
  const depth = scene.depth[slot] ?? 0;
  for (let other = slot + 1; other < scene.item.length; other++) {
    if ((scene.depth[other] ?? 0) === depth + 1 && isWithin(scene, other, slot)) return other;
  }
  return -1;
}

/** The nearest box in that direction; boxes at the same height first. */
function nearestInRow(scene: Scene, slot: number, sign: -1 | 1): number {
  const [x, y] = [middle(scene, slot), center(scene, slot)];
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let other = 0; other < scene.item.length; other++) {
    const along = (middle(scene, other) - x) * sign;
    if (other === slot || along <= 4 || scene.kind[other] === Kind.Open) continue;
    const away = along + 4 * Math.abs(center(scene, other) - y);
    if (away < least) {
      least = away;
      best = other;
    }
  }
  return best;
}

const middle = ({ rect }: Scene, slot: number): number =>
  (rect[4 * slot] ?? 0) + (rect[4 * slot + 2] ?? 0) / 2;
const center = ({ rect }: Scene, slot: number): number =>
  (rect[4 * slot + 1] ?? 0) + (rect[4 * slot + 3] ?? 0) / 2;

function isWithin({ rect }: Scene, inner: number, outer: number): boolean {
  const [x = 0, y = 0] = [rect[4 * inner], rect[4 * inner + 1]];
  const [left = 0, top = 0, width = 0, height = 0] = rect.subarray(4 * outer, 4 * outer + 4);
  return x >= left && y >= top && x <= left + width && y <= top + height;
}
