import { describe, expect, it } from "vitest";
import { initialExpansion, Row, SIDES } from "../../src/compare";
import { Explorer } from "../../src/explorer";
import { type GraphOf, sevenWide } from "../programs";
import type { MatchOf } from "./compared";
import { matched } from "./matched";

const LAYERS = [0, 1, 2, 3, 4, 5];
const SCREEN = { width: 1200, height: 1600 };

const ops = (layer: number): string[] => [`linear_${layer}`, `relu_${layer}`];

/** Six identical layers in a row. */
function layered(): GraphOf {
  const names = LAYERS.flatMap(ops);
  const calls = names.map((name, i) => ({
    name,
    inputs: [names[i - 1] ?? "x"],
    module: `layers.${Math.floor(i / 2)}`,
  }));
  return {
    name: "forward",
    nodes: [
      { name: "x", op: "placeholder" },
      ...calls,
      { name: "output", op: "output", inputs: [names.at(-1) ?? ""] },
    ],
  };
}

/** The boxes of both columns at first, with this many changed ops in each layer. */
function seen(changes: readonly number[], screen = SCREEN): string[][] {
  const pair = (kind: MatchOf[0], name: string): MatchOf => [kind, [`forward/${name}`], [`forward/${name}`]];
  const matches = LAYERS.flatMap((layer) =>
    ops(layer).map((name, i) => pair(i < (changes[layer] ?? 0) ? "changed" : "same", name)),
  );
  const whole = matched([layered()], [layered()], [pair("same", "x"), ...matches, pair("same", "output")]);
  const explorers = whole.snapshots.map((snapshot) => new Explorer(snapshot, sevenWide, screen));
  const { open, scenes } = initialExpansion(new Row(explorers, [whole]), screen);
  return SIDES.map((side) => {
    const { picture } = explorers[side] as Explorer;
    const boxes = [...(scenes[side]?.item ?? [])].flatMap((item, slot) => {
      const members = scenes[side]?.members[slot] ?? 1;
      const [words, isOpen] = [picture.words.title(item), open[side]?.has(item)];
      return picture.isGroup(item) ? [`${isOpen ? "▾" : ""}${words} ×${members}`] : [];
    });
    return boxes;
  });
}

describe("the initial expansion of a run of identical layers", () => {
  it.each([
    ["the only one that changed", [0, 0, 0, 1, 0, 0], "0 ×3, ▾3 ×1, 4 ×2"],
    ["each that changed between others that did not", [0, 1, 0, 0, 1, 0], "0 ×1, ▾1 ×1, 2 ×2, ▾4 ×1, 5 ×1"],
    ["the first where all changed alike", [1, 1, 1, 1, 1, 1], "▾0 ×1, 1 ×5"],
    ["the first of those that changed alike", [0, 0, 1, 1, 1, 1], "0 ×2, ▾2 ×1, 3 ×3"],
    [
      "the one that changed otherwise, and one for all others",
      [1, 1, 2, 1, 1, 1],
      "▾0 ×1, 1 ×1, ▾2 ×1, 3 ×3",
    ],
  ])("opens %s", (_, changes, expected) => {
    for (const boxes of seen(changes)) expect(boxes.join(", ")).toBe(`▾layers ×1, ${expected}`);
  });

  it("opens as many as fit", () => {
    for (const boxes of seen([0, 1, 0, 0, 2, 0], { width: 1200, height: 200 }))
      expect(boxes.join(", ")).toBe("▾layers ×1, 0 ×1, 1 ×1, 2 ×2, ▾4 ×1, 5 ×1");
  });

  it("has no unchanged layer in a box with a changed one", () => {
    for (const boxes of seen([1, 1, 1, 0, 1, 1]))
      expect(boxes.join(", ")).toBe("▾layers ×1, ▾0 ×1, 1 ×2, 3 ×1, 4 ×2");
  });

  it("opens none if none changed", () => {
    expect(seen([])).toEqual([["layers ×1"], ["layers ×1"]]);
  });
});
