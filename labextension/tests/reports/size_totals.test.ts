import { expect, test } from "vitest";
import { inputAndResultBytes } from "../../src/reports/sizes";
import { NodeValues } from "../../src/snapshot";
import { snapshotOf } from "../programs";

test("results count once, not again for their items and their memory", () => {
  const snapshot = snapshotOf({
    name: "forward",
    nodes: [
      { name: "x", op: "placeholder", shape: [4, 2] },
      { name: "sorted", target: "aten.sort.default", inputs: ["x"], shape: [4, 2] },
      { name: "item", target: "getitem", inputs: ["sorted"], shape: [4, 2] },
      { name: "memory", target: "alloc", shape: [4] },
      { name: "sum", target: "aten.sum.dim_IntList", inputs: ["item"], shape: [4] },
      { name: "output", op: "output", inputs: ["sum"] },
    ],
  });
  expect(inputAndResultBytes(new NodeValues(snapshot), 0)).toEqual({
    inputs: 4 * 2 * 4,
    results: 4 * 2 * 4 + 4 * 4,
  });
});
