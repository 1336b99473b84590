/** The contrast of text on the canvas, from the tables of both themes: WCAG AA. */
import { describe, expect, test } from "vitest";
import { mixed, THEMES, type Theme } from "../../src/canvas/theme";
import { dimOnTint, groundAtDepth } from "../../src/canvas/tint";
import { CHANGE_KINDS, colorOf, textColorOn } from "../../src/compare/view/change_colors";
import { HEAT, HEAT_PARTS } from "../../src/overlay";

const WORDS = 4.5;
const LINES = 3;
/** The opacity of the tint on a badge. */
const BADGE = 0.16;

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const hexOf = ({ tint }: Theme): string =>
  `#${tint
    .split(",")
    .map((each) => Number(each).toString(16).padStart(2, "0"))
    .join("")}`;

test("the measure is right for black on white and grey on grey", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#777777", "#888888")).toBeLessThan(LINES);
});

describe.each(Object.entries(THEMES))("%s", (_, theme) => {
  test("text and dimmed text on background, panel and box", () => {
    for (const ground of [theme.ground, theme.panel, theme.box]) {
      expect(contrast(theme.text, ground)).toBeGreaterThanOrEqual(WORDS);
      expect(contrast(theme.dim, ground)).toBeGreaterThanOrEqual(WORDS);
    }
  });

  test("titles, classes and badges at any depth of modules", () => {
    for (let depth = 0; depth < 16; depth++) {
      const ground = groundAtDepth(theme, depth);
      expect(contrast(theme.text, ground)).toBeGreaterThanOrEqual(WORDS);
      expect(contrast(dimOnTint(theme), ground)).toBeGreaterThanOrEqual(WORDS);
      expect(contrast(theme.text, mixed(hexOf(theme), ground, BADGE))).toBeGreaterThanOrEqual(WORDS);
    }
  });

  test("names, values and badges on every heat colour", () => {
    const [least, most] = HEAT_PARTS;
    for (let step = 0; step <= 20; step++) {
      const hot = mixed(HEAT, theme.box, least + ((most - least) * step) / 20);
      expect(contrast(theme.text, hot)).toBeGreaterThanOrEqual(WORDS);
      expect(contrast(theme.text, mixed(hexOf(theme), hot, BADGE))).toBeGreaterThanOrEqual(WORDS);
    }
    // so text that is dimmed elsewhere is not dimmed there
    expect(contrast(dimOnTint(theme), mixed(HEAT, theme.box, most))).toBeLessThan(WORDS);
  });

  test("heat colours differ in lightness, which changes in one direction", () => {
    const [least, most] = HEAT_PARTS;
    const steps = Array.from({ length: 21 }, (_, i) =>
      luminance(mixed(HEAT, theme.box, least + ((most - least) * i) / 20)),
    );
    const sign = theme.isDark ? 1 : -1;
    for (const [i, at] of steps.entries())
      if (i) expect(sign * (at - (steps[i - 1] ?? 0))).toBeGreaterThan(0);
  });

  test("rings of selected boxes and search results", () => {
    for (const ground of [theme.ground, groundAtDepth(theme, 3), groundAtDepth(theme, 15)]) {
      expect(contrast(theme.accent, ground)).toBeGreaterThanOrEqual(LINES);
      expect(contrast(theme.match, ground)).toBeGreaterThanOrEqual(LINES);
    }
  });
});

test("names on the colours of changes are readable", () => {
  for (const kind of CHANGE_KINDS)
    expect(contrast(textColorOn(kind), colorOf(kind))).toBeGreaterThanOrEqual(WORDS);
});
