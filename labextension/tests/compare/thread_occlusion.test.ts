/** Threads run behind boxes with text. */
import { expect, it } from "vitest";
import { plainLook } from "../../src/canvas/look";
import { occludersOf } from "../../src/compare/view/threads";
import { everyGroup } from "../../src/explorer/open_groups";
import { theme } from "../canvas/theme";
import { sevenWide } from "../programs";
import { columnsOf } from "./shown";

const SCREEN = { width: 300, height: 260 };

function occluders(zoom: number) {
  const { picture } = columnsOf().row.explorer(0);
  const scene = picture.layout.scene(picture.view(everyGroup(picture), new Set()));
  const look = plainLook(picture, scene, theme, sevenWide);
  return { found: occludersOf(look, { x: 20, y: 0, zoom }, SCREEN), scene };
}

it("are the visible boxes and headers of modules, without overlap", () => {
  const { found } = occluders(0.8);
  expect(found.length).toBeGreaterThan(4);
  for (const [i, one] of found.entries()) {
    expect(one.x).toBeGreaterThanOrEqual(0);
    expect(one.x + one.width).toBeLessThanOrEqual(SCREEN.width);
    expect(one.y + one.height).toBeLessThanOrEqual(SCREEN.height);
    for (const other of found.slice(i + 1)) {
      const isApart = one.x + one.width <= other.x || other.x + other.width <= one.x;
      expect(isApart || one.y + one.height <= other.y || other.y + other.height <= one.y).toBe(true);
    }
  }
});

it("are none if boxes are too small for text", () => {
  const { found, scene } = occluders(0.2);
  expect(scene.item.length).toBeGreaterThan(8);
  expect(found).toEqual([]);
});
