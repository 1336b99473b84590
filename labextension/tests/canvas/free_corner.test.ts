import { expect, test } from "vitest";
import { CORNERS, type Corner, cornerRect, freestCorner } from "../../src/canvas/free_corner";
import type { Rect } from "../../src/geometry/camera";
import { Kind } from "../../src/layout";

const screen = { width: 600, height: 500 };
const size = { width: 100, height: 120 };
const camera = { x: 0, y: 0, zoom: 1 };

function seen(boxes: readonly Rect[], selected: readonly number[] = [], kind: number = Kind.Leaf) {
  const scene = {
    item: Int32Array.from(boxes.keys()),
    kind: new Uint8Array(boxes.length).fill(kind),
    rect: Float64Array.from(boxes.flatMap(({ x, y, width, height }) => [x, y, width, height])),
  };
  return { scene, selected: new Set(selected), camera, screen };
}

const at = (corner: Corner, width = 60): Rect => ({ ...cornerRect(corner, screen, size), width, height: 30 });

test("every corner is inside the screen", () => {
  for (const corner of CORNERS) {
    const { x, y, width, height } = cornerRect(corner, screen, size);
    expect(Math.min(x, y, screen.width - x - width, screen.height - y - height)).toBeGreaterThan(0);
  }
});

test("a corner without boxes is kept; one with a box is left for the first free corner", () => {
  for (const corner of CORNERS) {
    expect(freestCorner(seen([{ x: 250, y: 200, width: 90, height: 40 }]), size, corner)).toBe(corner);
    const free = CORNERS.find((each) => each !== corner);
    expect(freestCorner(seen([at(corner)]), size, corner)).toBe(free);
  }
});

test("open modules count only with their headers, and with equal corners it stays", () => {
  const tall = (top: number): Rect => ({ x: 450, y: top, width: 140, height: 480 });
  expect(freestCorner(seen([tall(10)], [], Kind.Open), size, "bottom right")).toBe("bottom right");
  expect(freestCorner(seen([tall(10)], [], Kind.Open), size, "top right")).toBe("bottom right");
  expect(freestCorner(seen([tall(10)]), size, "bottom right")).toBe("bottom left");
  const everywhere = [{ x: 0, y: 0, width: 600, height: 500 }];
  for (const corner of CORNERS) expect(freestCorner(seen(everywhere), size, corner)).toBe(corner);
});

test("the selection is covered last", () => {
  const boxes = CORNERS.map((corner) => at(corner));
  expect(freestCorner(seen(boxes), size, "bottom right")).toBe("bottom right");
  expect(freestCorner(seen(boxes, [0, 1, 2]), size, "bottom right")).toBe("top left");
});

test("the surroundings of the selection are covered after other boxes", () => {
  const { x, y } = cornerRect("bottom right", screen, size);
  const selected = { x: x - 80, y, width: 60, height: 30 };
  expect(freestCorner(seen([selected]), size, "bottom right")).toBe("bottom right");
  expect(freestCorner(seen([selected], [0]), size, "bottom right")).toBe("top right");
});
