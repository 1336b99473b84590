/** Scales, and overlays of a real program; text stays readable on the strongest colour. */
import { describe, expect, test } from "vitest";
import { mixed } from "../../src/canvas/theme";
import { BUILT_IN, HEAT_PARTS, makeOverlay, ramp, type Scale, WITH_DETAIL } from "../../src/overlay";
import { readCorpus } from "../snapshots";

const SCALES: readonly Scale[] = ["linear", "log", "quantile"];
const VALUES = [0, 1, 2, 4, 8, 1000];

describe.each(SCALES)("%s", (scale) => {
  const { low, high, at, value } = ramp(VALUES, scale);

  test("goes from 0 to 1 and never down", () => {
    expect([at(low), at(high)]).toEqual([0, 1]);
    const steps = VALUES.map(at);
    expect([...steps].sort((a, b) => a - b)).toEqual(steps);
  });

  test("value` and `at` are inverse", () => {
    for (const part of [0, 1]) expect(at(value(part))).toBe(part);
    expect(at(value(0.4))).toBeCloseTo(0.4);
  });

  test("one value, none, and non-finite ones", () => {
    expect(ramp([5], scale).at(5)).toBeGreaterThanOrEqual(0);
    expect(ramp([], scale).at(5)).toBeLessThanOrEqual(1);
    expect(ramp([1, Number.NaN, Number.POSITIVE_INFINITY], scale).high).toBe(1);
  });
});

test("scales differ in what they spread", () => {
  const [linear = 0, log = 0, quantile = 0] = SCALES.map((scale) => ramp(VALUES, scale).at(8));
  expect(linear).toBeLessThan(log);
  expect(log).toBeLessThan(quantile);
});

describe("overlays of a program", async () => {
  const snapshot = await readCorpus("llama32.core");
  const nodes = Array.from({ length: snapshot.nodeCount }, (_, node) => node);

  test("every category counts all its nodes", async () => {
    await snapshot.detail();
    for (const name of ["dtype", "device", "module", ...WITH_DETAIL]) {
      const overlay = makeOverlay(snapshot, nodes, { name, scale: "linear" }, []);
      if (overlay?.legend.type !== "categories") throw new Error(`${name} is no overlay of categories.`);
      const counted = overlay.legend.swatches.reduce((sum, { count }) => sum + count, 0);
      expect(counted).toBe(nodes.filter((node) => overlay.text(node) !== undefined).length);
      expect(new Set(overlay.legend.swatches.map(({ color }) => color)).size).toBe(
        overlay.legend.swatches.length,
      );
    }
    expect(BUILT_IN).toContain("bytes");
  });

  test("files need the detail", async () => {
    const fresh = await readCorpus("llama32.core");
    expect(makeOverlay(fresh, nodes, { name: "file", scale: "linear" }, [])).toBeUndefined();
  });

  test("given numbers have their unit, and nodes without one have no colour", () => {
    const values = new Map([
      [1, 0.5],
      [2, 12.3456],
    ]);
    const series = [{ label: "self time", unit: "µs", values }];
    const overlay = makeOverlay(snapshot, nodes, { name: "self time", scale: "linear" }, series);
    expect(overlay?.text(2)).toBe("12.3 µs");
    expect(overlay?.color(3)).toBeUndefined();
    expect(overlay?.legend.type === "numbers" && overlay.legend.ticks.at(-1)).toBe("12.3 µs");
  });
});

test("text on the hottest box keeps a contrast of 4.5 in both themes", () => {
  for (const [box, textColor] of [
    ["#ffffff", "#1f2328"],
    ["#1e1e1e", "#e6e6e6"],
  ] as const) {
    expect(contrast(mixed("#D55E00", box, HEAT_PARTS[1]), textColor)).toBeGreaterThan(4.5);
  }
});

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [a, b].map(luminance).sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG's: linear channels, weighted like the eye. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.03928 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
