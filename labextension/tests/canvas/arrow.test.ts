import { expect, test } from "vitest";
import { headAt } from "../../src/canvas/arrow";

test("an arrow head points in the direction of its line: from above, below, left and right", () => {
  const arrivals: readonly (readonly [number, number])[] = [
    [0, -30],
    [25, -30],
    [0, 30],
    [-30, 0],
    [30, 0],
  ];
  for (const [px, py] of arrivals) {
    const [x, y, ax, ay, bx, by] = headAt(Float64Array.from([px, py, 0, 0]), 1, 4);
    expect([x, y]).toEqual([0, 0]);
    const [backX, backY] = [(ax + bx) / 2, (ay + by) / 2];
    // Its back is towards the line's origin; a curve arrives vertically.
    expect(Math.sign(backX)).toBe(py === 0 ? Math.sign(px) : 0);
    expect(Math.sign(backY)).toBe(Math.sign(py));
    expect(Math.hypot(ax - bx, ay - by)).toBeCloseTo(6);
  }
});
