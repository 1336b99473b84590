/** What is at a point or in a rectangle, compared with checking everything. */

import { expect, it } from "vitest";
import { HitIndex, Layout, type Scene } from "../../src/layout";
import { bounds } from "../../src/layout/hit";
import { TreeBuilder } from "./builder";
import { rectOf } from "./measure";
import { random, randomProgram } from "./random";

const tree = randomProgram(21, 120).tree();
const scene = new Layout(tree).scene({ open: new Uint8Array(tree.parent.length).fill(1) });
const index = new HitIndex(scene);

it("finds the slots that touch a rectangle, in painting order", () => {
  const next = random(2);
  for (let trial = 0; trial < 50; trial++) {
    const [left, top] = [next() * scene.width, next() * scene.height];
    const area = { left, top, right: left + next() * 400, bottom: top + next() * 400 };
    const expected = [...scene.item.keys()].filter((s) => {
      const r = rectOf(scene, s);
      return r.x <= area.right && r.x + r.w >= area.left && r.y <= area.bottom && r.y + r.h >= area.top;
    });
    expect(index.slotsIn(area)).toEqual(expected);
  }
});

it("finds the strokes and edges that touch a rectangle, in order, without those that are too small", () => {
  const next = random(3);
  for (let trial = 0; trial < 50; trial++) {
    const [left, top] = [next() * scene.width, next() * scene.height];
    const area = { left, top, right: left + next() * 400, bottom: top + next() * 400 };
    const least = next() * 40;
    const inside = ({ pointStart, points }: Pick<Scene, "points" | "pointStart">, count: number, size = 0) =>
      Array.from({ length: count }, (_, i) => i).filter((i) => {
        const of = bounds(points, pointStart[i] ?? 0, pointStart[i + 1] ?? 0);
        const isThere =
          of.left <= area.right && of.right >= area.left && of.top <= area.bottom && of.bottom >= area.top;
        return isThere && of.right - of.left + (of.bottom - of.top) >= size;
      });
    expect(index.strokesIn(area, least)).toEqual(inside(scene.strokes, scene.strokes.value.length, least));
    expect(index.edgesIn(area)).toEqual(inside(scene, scene.edgeSource.length));
    const tall = index.slotsIn(area).filter((slot) => rectOf(scene, slot).h >= least);
    expect(index.slotsIn(area, least)).toEqual(tall);
  }
});

it("finds the innermost box at a point", () => {
  for (let s = 0; s < scene.item.length; s++) {
    const r = rectOf(scene, s);
    if (!tree.isGroup[scene.item[s] ?? 0]) expect(index.slotAt(r.x + r.w / 2, r.y + r.h / 2)).toBe(s);
    else expect(index.slotAt(r.x + 1, r.y + 1)).toBe(s);
  }
  expect(index.slotAt(-10, -10)).toBe(-1);
});

it("finds the edge that ends at a point, and none far from all", () => {
  for (let e = 0; e < scene.edgeSource.length; e++) {
    const last = 2 * ((scene.pointStart[e + 1] ?? 0) - 1);
    const found = index.edgeNear(scene.points[last] ?? 0, (scene.points[last + 1] ?? 0) - 1, 3);
    expect(scene.edgeTarget[found]).toBe(scene.edgeTarget[e]);
  }
  expect(index.edgeNear(-100, -100, 5)).toBe(-1);
});

it("finds nothing in an empty scene", () => {
  const none = new HitIndex(new Layout(new TreeBuilder().tree()).scene({ open: new Uint8Array(0) }));
  expect(none.slotsIn({ left: 0, top: 0, right: 9, bottom: 9 })).toEqual([]);
  expect(none.slotAt(1, 1)).toBe(-1);
  expect(none.edgeNear(1, 1, 5)).toBe(-1);
});
