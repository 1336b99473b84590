import { expect, test } from "vitest";
import { countOps } from "../../src/panels/modules";
import { snapshotOf, stack } from "../programs";

test("ops are listed before inputs and outputs, however many of these there are", () => {
  const snapshot = snapshotOf(stack(3));
  const nodes = Array.from({ length: snapshot.nodeCount }, (_, node) => node);
  expect(countOps(snapshot, nodes).map(({ name, nodes: of }) => [name, of.length])).toEqual([
    ["aten.linear.default", 3],
    ["aten.relu.default", 3],
    ["placeholder", 4],
    ["output", 1],
  ]);
});
