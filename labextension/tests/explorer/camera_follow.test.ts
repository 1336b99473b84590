import { expect, test } from "vitest";
import { followed, READABLE } from "../../src/explorer/camera_follow";
import type { Scene } from "../../src/layout";

const screen = { width: 500, height: 400 };
const sight = { camera: { x: 0, y: 0, zoom: 1 }, target: undefined, screen };
const small = { x: 100, y: 100, width: 150, height: 34 };
const reveal = (after: typeof small) =>
  followed({ how: "reveal", item: 0 }, {} as Scene, sight, small, after);

test("a revealed item that fits is shown whole", () => {
  const camera = reveal({ x: 100, y: 100, width: 150, height: 300 });
  expect(camera.zoom).toBeGreaterThanOrEqual(READABLE);
  expect((100 - camera.y) * camera.zoom).toBeGreaterThanOrEqual(0);
  expect((400 - camera.y) * camera.zoom).toBeLessThanOrEqual(screen.height);
});

test("a revealed item too tall to be readable is shown readable from its top", () => {
  const camera = reveal({ x: 100, y: 100, width: 150, height: 9000 });
  expect(camera.zoom).toBe(READABLE);
  const top = (100 - camera.y) * camera.zoom;
  expect(top).toBeGreaterThanOrEqual(0);
  expect(top).toBeLessThan(screen.height / 4);
});
