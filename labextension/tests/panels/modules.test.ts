import { expect, test } from "vitest";
import { countOps, moduleFacts } from "../../src/panels/modules";
import { Picture } from "../../src/picture";
import { sevenWide, snapshotOf, stack } from "../programs";
import { snapshotAt } from "../stages/staged";

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

test("calls that compute nothing are listed after ops", async () => {
  const snapshot = await snapshotAt("llama2", "executorch");
  const nodes = Array.from({ length: snapshot.nodeCount }, (_, node) => node);
  const names = countOps(snapshot, nodes).map(({ name }) => name);
  expect(names[0]).toBe("aten.view_copy.default");
  const rest = ["executorch.exir.memory.alloc", "getitem", "executorch_call_delegate"];
  const from = Math.min(...rest.map((name) => names.indexOf(name)));
  expect(from).toBeGreaterThan(0);
  expect(new Set(names.slice(from, from + 3))).toEqual(new Set(rest));
  expect(names.slice(from + 3).filter((name) => name.includes("."))).toEqual([]);
});

test("the panel of a module counts the ops that its box does: not the memory of their results", async () => {
  const snapshot = await snapshotAt("llama2", "executorch");
  for (const isFolded of [true, false]) {
    const picture = new Picture(snapshot, snapshot.graph(0), isFolded, sevenWide);
    const counts = snapshot.scopes.flatMap(({ path }, scope) => {
      const item = picture.firstModule(scope);
      if (item === undefined) return [];
      return [[path, moduleFacts(snapshot, 0, scope, new Map()).ops, picture.words.opsOf(item)] as const];
    });
    expect(counts.length).toBeGreaterThan(10);
    expect(counts.filter(([, inPanel, inBox]) => inPanel !== inBox)).toEqual([]);
  }
});
