/** The measures detect what they look for; otherwise the property tests would prove nothing. */

import { expect, it } from "vitest";
import { Layout } from "../../src/layout";
import { TreeBuilder } from "./builder";
import { crossings, looseEnds, overlaps, throughBoxes } from "./measure";

function chain() {
  const builder = new TreeBuilder();
  const [a, b, c] = ["a", "b", "c"].map((name) => builder.leaf(-1, name)) as [number, number, number];
  builder.edge(a, b);
  builder.edge(b, c);
  builder.edge(a, c);
  return new Layout(builder.tree()).scene({ open: new Uint8Array(3) });
}

const top = () => -1;

it("finds nothing in a good scene", () => {
  const scene = chain();
  expect([...overlaps(scene, top), ...throughBoxes(scene, top), ...looseEnds(scene)]).toEqual([]);
  expect(crossings(scene)).toBe(0);
});

it("finds overlapping boxes", () => {
  const scene = chain();
  scene.rect.copyWithin(4, 0, 4);
  expect(overlaps(scene, top)).toContain("1 and 0");
});

it("finds a line through a box, and loose ends", () => {
  const scene = chain();
  const x = (scene.rect[4] ?? 0) + 5;
  for (let i = 0; i < scene.points.length; i += 2) scene.points[i] = x;
  expect(throughBoxes(scene, top).some((w) => w.endsWith("through slot 1"))).toBe(true);
  for (let i = 0; i < scene.points.length; i += 2) scene.points[i] = -50;
  expect(looseEnds(scene)).toHaveLength(6);
});

it("counts a crossing", () => {
  const scene = chain();
  const points = Float64Array.of(0, 0, 10, 10, 10, 0, 0, 10);
  const crossed = { ...scene, points, pointStart: Int32Array.of(0, 2, 4), edgeSource: Int32Array.of(0, 1) };
  expect(crossings(crossed)).toBe(1);
});
