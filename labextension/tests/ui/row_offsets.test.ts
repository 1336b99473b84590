/** Where rows begin: with one height, and with one for each. */
import { expect, test } from "vitest";
import { topsOf } from "../../src/ui/list";

test("a row is found by every height in it", () => {
  for (const [count, heights] of [
    [4, 20],
    [4, [20, 60, 20, 40]],
  ] as const) {
    const tops = topsOf(count, heights);
    for (let row = 0; row < count; row++) {
      expect(tops.at(tops.of(row))).toBe(row);
      expect(tops.at(tops.of(row + 1) - 1)).toBe(row);
    }
    expect(tops.at(1e9)).toBe(count - 1);
  }
  expect(topsOf(4, [20, 60, 20, 40]).of(4)).toBe(140);
  expect([topsOf(0, []).at(5), topsOf(0, []).of(0)]).toEqual([0, 0]);
});
