import { expect, test } from "vitest";
import { cameraWithBoxes, firstCamera, followed, READABLE } from "../../src/explorer/camera_follow";
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

test("a camera without a box in view becomes the first one", () => {
  const scene = {
    item: Int32Array.of(0),
    kind: Uint8Array.of(0),
    depth: Int32Array.of(0),
    rect: Float64Array.of(20, 20, 150, 34),
    width: 190,
    height: 74,
  } as unknown as Scene;
  const near = { x: 100, y: -30, zoom: 2 };
  expect(cameraWithBoxes(near, scene, screen)).toBe(near);
  for (const far of [
    { ...near, x: 171 },
    { ...near, y: 55 },
    { ...near, x: -231 },
    { ...near, y: -181 },
  ])
    expect(cameraWithBoxes(far, scene, screen)).toEqual(firstCamera(scene, screen));
});
