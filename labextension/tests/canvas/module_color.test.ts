/** Between stages, a closed module changes from its old to its new colour like an op. */
import { expect, test } from "vitest";
import { closedFill } from "../../src/canvas/module_boxes";
import { mixed } from "../../src/canvas/theme";
import { groundAtDepth } from "../../src/canvas/tint";
import { theme as LIGHT } from "./theme";

const look = (part: number, before?: () => undefined) => ({
  paint: () => undefined,
  spread: { before, part: () => part },
  theme: LIGHT,
  scene: { depth: Int32Array.of(0) } as never,
});
const ground = groundAtDepth(LIGHT, 0);

test("a module that the CPU runs turns white as the colours spread, not at once", () => {
  const fills = [0, 0.5, 1].map((part) => closedFill(look(part), 0, LIGHT.box));
  expect(fills).toEqual([ground, mixed(LIGHT.box, ground, 0.5), LIGHT.box]);
});

test("it stays white where it was white before", () => {
  expect(
    closedFill(
      look(0, () => undefined),
      0,
      LIGHT.box,
    ),
  ).toBe(LIGHT.box);
});
