import { expect, test } from "vitest";
import { headAt } from "../../src/canvas/arrow";

test("a head points the way its line arrives: from above, from below, from either side", () => {
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
    // Its back lies towards where the line came from; a curve arrives vertically.
    expect(Math.sign(backX)).toBe(py === 0 ? Math.sign(px) : 0);
    expect(Math.sign(backY)).toBe(Math.sign(py));
    expect(Math.hypot(ax - bx, ay - by)).toBeCloseTo(6);
  }
});
