/** Which tabs go to the menu where a row has no room for all. */
import { expect, test } from "vitest";
import { withoutRoom } from "../../src/ui/tab_overflow";

test("where all fit none goes to the menu, and the menu needs no room", () => {
  expect(withoutRoom([40, 40, 40], 0, 120, 30)).toEqual([]);
});

test("the last ones go first", () => {
  expect(withoutRoom([40, 40, 40, 40], 0, 150, 30)).toEqual([3]);
  expect(withoutRoom([40, 40, 40, 40], 0, 149, 30)).toEqual([2, 3]);
});

test("the selected one stays in the row", () => {
  expect(withoutRoom([40, 40, 40, 60], 3, 150, 30)).toEqual([1, 2]);
  expect(withoutRoom([40, 40, 40, 60], 3, 20, 30)).toEqual([0, 1, 2]);
});

test("a narrow tab does not come before a wide one that has no room", () => {
  expect(withoutRoom([40, 90, 20, 40], 0, 110, 30)).toEqual([1, 2, 3]);
});
