import { expect, test } from "vitest";
import { NONE, PAGE_VERSION, readFile, readSections } from "../../src/snapshot";
import { branching, detailOf, fileOf, skeletonOf, stack } from "../programs";

const good = skeletonOf(stack(2));

test("a file is read as it was written", async () => {
  const snapshot = await readFile(fileOf(good, detailOf(good)));
  const graph = snapshot.graph(0);
  expect(graph.columns.names).toEqual(good.graphs[0]?.names);
  expect([...graph.inputsOf(graph.position("linear_1") ?? -1)].map((i) => graph.name(i))).toEqual([
    "relu_0",
    "p_1",
  ]);
  expect([...graph.usersOf(graph.position("linear_0") ?? -1)].map((i) => graph.name(i))).toEqual(["relu_0"]);
  expect(snapshot.valueText(graph.position("p_0") ?? -1)).toBe("f32[3, 3]");
});

test("the detail is loaded on demand, once", async () => {
  const file = fileOf(good, detailOf(good));
  const { sections } = await import("../../src/snapshot/container");
  const parts = sections(file);
  let requests = 0;
  const snapshot = await readSections(parts.skeleton, async () => {
    requests++;
    return parts.detail;
  });
  expect([requests, snapshot.detailNow]).toEqual([0, undefined]);
  await Promise.all([snapshot.detail(), snapshot.detail()]);
  expect(requests).toBe(1);
  expect(snapshot.detailNow?.calls).toHaveLength(1);
});

test("a failed load of the detail may be repeated", async () => {
  const { sections } = await import("../../src/snapshot/container");
  const parts = sections(fileOf(good, detailOf(good)));
  let attempts = 0;
  const snapshot = await readSections(parts.skeleton, async () => {
    if (attempts++ === 0) throw new Error("gone");
    return parts.detail;
  });
  await expect(snapshot.detail()).rejects.toThrow("gone");
  await expect(snapshot.detail()).resolves.toBeDefined();
});

test("nodes are found by id, by plain name, and in nested graphs", async () => {
  const skeleton = skeletonOf(...branching());
  const snapshot = await readFile(fileOf(skeleton, detailOf(skeleton)));
  const sin = snapshot.find("forward/true_graph/sin") ?? -1;
  expect([snapshot.name(sin), snapshot.id(sin)]).toEqual(["sin", "forward/true_graph/sin"]);
  expect(snapshot.find("gt")).toBe(1);
  expect(snapshot.find("nobody")).toBeUndefined();
  expect(snapshot.graph(0).subgraphsOf(2)).toEqual([1]);
});

test.each([
  ["not a snapshot", new TextEncoder().encode("PK\u0003\u0004 and so on"), /does not begin/],
  ["an empty file", new Uint8Array(), /does not begin/],
  ["a file cut in its header", fileOf(good, {}).subarray(0, 30), /header claims/],
  ["a file cut in its sections", fileOf(good, {}).subarray(0, 300), /ends within/],
  [
    "a newer schema",
    fileOf(good, {}, (h) => ({ ...h, schema: 99 })),
    /schema 99, and this viewer reads up to/,
  ],
  [
    "a bomb",
    fileOf(good, {}, (h) => ({ ...h, sections: h.sections.map((s) => ({ ...s, bytes: 2 ** 30 })) })),
    /claims/,
  ],
  ["no detail", fileOf(good, {}, (h) => ({ ...h, sections: h.sections.slice(0, 1) })), /lacks/],
  ["no skeleton", fileOf([], {}), /skeleton does not follow/],
])("refuses %s, with the reason", async (_, file, why) => {
  await expect(readFile(file)).rejects.toThrow(why);
});

const graph = good.graphs[0];

test.each([
  ["an input that comes later", { inputs: graph?.inputs.map(() => -1) }, /what is not before it/],
  ["a missing value", { values: graph?.values.map(() => 999) }, /value is missing/],
  ["columns of different lengths", { ops: [0] }, /differ in length/],
  ["an op without a name", { ops: graph?.ops.map(() => 77) }, /op has no name/],
])("refuses %s", async (_, change, why) => {
  const bad = { ...good, graphs: [{ ...graph, ...change }] };
  await expect(readFile(fileOf(bad, detailOf(good)))).rejects.toThrow(why);
});

test("refuses a detail with an index out of range, when it is loaded", async () => {
  const detail = detailOf(good);
  const bad = {
    ...detail,
    graphs: detail.graphs.map((each) => ({ ...each, calls: each.calls.map(() => 5) })),
  };
  const snapshot = await readFile(fileOf(good, bad));
  await expect(snapshot.detail()).rejects.toThrow(/points nowhere/);
});

const withPage = (page: unknown) => {
  const { page: _own, ...skeleton } = skeletonOf(...branching("mlp"));
  return readFile(fileOf(skeleton, detailOf(skeleton), undefined, page));
};

test("page data is read from its own section", async () => {
  const snapshot = await withPage(skeletonOf(...branching("mlp")).page);
  const sin = snapshot.find("forward/true_graph/sin") ?? -1;
  expect(snapshot.scopes[snapshot.ownerOf(sin)]?.path).toBe("mlp");
});

test("page data of another version is ignored", async () => {
  const snapshot = await withPage({ version: PAGE_VERSION + 1, placements: "in another form" });
  expect(snapshot.ownerOf(snapshot.find("forward/true_graph/sin") ?? -1)).toBe(NONE);
});
