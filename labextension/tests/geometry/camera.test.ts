import { expect, test } from "vitest";
import {
  between,
  fitted,
  panned,
  pinched,
  revealed,
  toScreen,
  toWorld,
  ZOOM,
  zoomedAt,
} from "../../src/geometry/camera";

const camera = { x: 100, y: -50, zoom: 0.8 };
const screen = { width: 800, height: 600 };

test("world and screen conversions are inverse", () => {
  const point = { x: 123, y: 45 };
  const back = toScreen(camera, toWorld(camera, point));
  expect(back.x).toBeCloseTo(point.x);
  expect(back.y).toBeCloseTo(point.y);
});

test("zooming keeps the world under the pointer, within limits", () => {
  const at = { x: 321, y: 123 };
  const before = toWorld(camera, at);
  const after = toWorld(zoomedAt(camera, at, 1.7), at);
  expect(after.x).toBeCloseTo(before.x);
  expect(after.y).toBeCloseTo(before.y);
  expect(zoomedAt(camera, at, 1e9).zoom).toBe(ZOOM.most);
  expect(zoomedAt(camera, at, 1e-9).zoom).toBe(ZOOM.least);
});

test("a drag moves the picture with the pointer", () => {
  const at = toScreen(camera, { x: 0, y: 0 });
  const moved = toScreen(panned(camera, 30, -20), { x: 0, y: 0 });
  expect(moved.x - at.x).toBeCloseTo(30);
  expect(moved.y - at.y).toBeCloseTo(-20);
});

test("two fingers that move together pan; two that move apart zoom around their middle", () => {
  const [a, b] = [
    { x: 300, y: 200 },
    { x: 400, y: 260 },
  ];
  const by = (p: typeof a, dx: number, dy: number) => ({ x: p.x + dx, y: p.y + dy });
  // Each finger sends its own events.
  const half = pinched(camera, b, a, by(a, 50, -80));
  const together = pinched(half, by(a, 50, -80), b, by(b, 50, -80));
  expect(together.zoom).toBeCloseTo(camera.zoom);
  expect(together.x).toBeCloseTo(panned(camera, 50, -80).x);
  expect(together.y).toBeCloseTo(panned(camera, 50, -80).y);
  const middle = { x: 350, y: 230 };
  const wide = pinched(pinched(camera, b, a, by(a, -50, -30)), by(a, -50, -30), b, by(b, 50, 30));
  expect(wide.zoom).toBeCloseTo(2 * camera.zoom);
  expect(toWorld(wide, middle).x).toBeCloseTo(toWorld(camera, middle).x);
  expect(toWorld(wide, middle).y).toBeCloseTo(toWorld(camera, middle).y);
});

test("fitting centres everything, below and above floating elements", () => {
  const world = { x: 0, y: 0, width: 4000, height: 1000 };
  const fit = fitted(world, screen, { margin: 20, above: 60, below: 40 });
  const [left, right] = [toScreen(fit, world), toScreen(fit, { x: 4000, y: 1000 })];
  expect(left.x).toBeGreaterThanOrEqual(19.9);
  expect(right.x).toBeLessThanOrEqual(780.1);
  expect(left.y).toBeGreaterThanOrEqual(59.9);
  expect(right.y).toBeLessThanOrEqual(560.1);
  expect(left.y - 60).toBeCloseTo(560 - right.y);
});

test("what does not fit at the smallest zoom is shown from its top", () => {
  const tall = { x: 0, y: 0, width: 100, height: 50_000 };
  const fit = fitted(tall, screen, { least: 0.7, above: 50 });
  expect(fit.zoom).toBe(0.7);
  expect(toScreen(fit, tall).y).toBeCloseTo(50);
});

test("revealing moves as little as possible", () => {
  const seen = { x: 300, y: 100, width: 50, height: 50 };
  expect(revealed(camera, seen, screen)).toEqual(camera);
  const beyond = { x: 2000, y: 100, width: 50, height: 50 };
  const at = toScreen(revealed(camera, beyond, screen, 60), { x: 2050, y: 100 });
  expect(at.x).toBeCloseTo(740);
});

test("between two cameras the zoom changes by ratio and arrives exactly", () => {
  const to = { x: 500, y: 500, zoom: 3.2 };
  expect(between(camera, to, 0.5, screen).zoom).toBeCloseTo(1.6);
  expect(between(camera, to, 1, screen)).toBe(to);
});
