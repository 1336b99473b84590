import { expect, test } from "vitest";
import { fittingWidth } from "../../src/ui/clip";

test("a shortened name shows the whole letters that fit", () => {
  const sevenWide = (letters: number): number => 7 * letters;
  expect(fittingWidth(40, 20, sevenWide)).toBe(35);
  expect(fittingWidth(42, 20, sevenWide)).toBe(42);
  expect(fittingWidth(1000, 20, sevenWide)).toBe(140);
  expect(fittingWidth(5, 20, sevenWide)).toBe(0); // not even one letter fits
});
