import { describe, expect, test } from "vitest";
import {
  asTree,
  cellsOf,
  isInferred,
  type Move,
  moved,
  NO_MAPPING,
  StageMapping,
  type StageTree,
  wayBetween,
  weakest,
} from "../../src/stages";
import { Links } from "../../src/stages/links";
import { asLineage } from "../../src/stages/narrow";
import type { Lineage, StageRecord } from "../../src/stages/schema";

const stage = (id: string, parent: string | null): StageRecord => ({
  id,
  name: id,
  parent,
  state: "ready",
  step: { kind: parent ? "decompose" : "start", title: id },
});

/** root → a → b → c, root → d, a → e */
const tree: StageTree = {
  stages: [
    stage("root", null),
    stage("a", "root"),
    stage("b", "a"),
    stage("c", "b"),
    stage("d", "root"),
    stage("e", "a"),
  ],
};

const lineage = (
  ...links: readonly (readonly [number, number, NonNullable<Lineage["kinds"]>[number]])[]
): Links =>
  new Links({
    nodes: links.map(([node]) => node),
    ancestors: links.map(([, ancestor]) => ancestor),
    kinds: links.map(([, , kind]) => kind),
    evidence: links.map((_, i) => i),
  });

describe("the way between two stages", () => {
  test.each([
    ["root", "c", [], ["a", "b", "c"]],
    ["c", "root", ["c", "b", "a"], []],
    ["c", "d", ["c", "b", "a"], ["d"]],
    ["c", "e", ["c", "b"], ["e"]],
    ["a", "a", [], []],
  ])("%s to %s", (from, to, up, down) => {
    expect(wayBetween(tree, from, to)).toEqual({ up, down });
  });
});

describe("mapping", () => {
  const core = lineage([5, 1, "from_node"], [6, 1, "from_node"], [7, 2, "name"]);
  const edge = lineage([9, 5, "from_node"], [10, 7, "identity"]);
  const other = lineage([3, 1, "identity"], [4, 1, "identity"]);

  test("goes down, with composed links and their chain", () => {
    const down = new StageMapping([], [core, edge]);
    expect(down.of(1)).toEqual([{ node: 9, chain: ["from_node", "from_node"] }]);
    expect(down.of(2)).toEqual([{ node: 10, chain: ["name", "identity"] }]);
    expect(down.of(4)).toEqual([]);
  });

  test("a composed link is as strong as its weakest link", () => {
    expect(weakest(new StageMapping([], [core, edge]).of(2)[0]?.chain ?? [])).toBe("name");
    expect(isInferred("name") && isInferred("structure")).toBe(true);
    expect(isInferred("from_node") || isInferred("delegate_map")).toBe(false);
  });

  test("goes through the common ancestor to another branch", () => {
    const over = new StageMapping([edge, core], [other]);
    expect(over.nodes(9)).toEqual([3, 4]);
    expect(over.of(9).map(({ chain }) => chain)).toEqual([
      ["from_node", "from_node", "identity"],
      ["from_node", "from_node", "identity"],
    ]);
  });

  test("the fast method finds the same nodes", () => {
    for (const mapping of [new StageMapping([edge, core], [other]), new StageMapping([], [core, edge])]) {
      for (let node = 0; node < 12; node++) {
        expect(mapping.nodes(node)).toEqual(mapping.of(node).map((relatives) => relatives.node));
      }
    }
  });

  test("of several chains the strongest is kept", () => {
    const first = lineage([5, 1, "name"], [6, 1, "from_node"]);
    const second = lineage([8, 5, "from_node"], [8, 6, "from_node"]);
    expect(new StageMapping([], [first, second]).of(1)).toEqual([
      { node: 8, chain: ["from_node", "from_node"] },
    ]);
  });

  test("is empty for unrelated stages", () => {
    expect(NO_MAPPING.nodes(3)).toEqual([]);
  });
});

describe("the strip", () => {
  const at = (id: string) => cellsOf(tree).find(({ record }) => record.id === id);

  test("a first child is in its parent's row, a branch below", () => {
    expect([at("root"), at("a"), at("b"), at("c")].map((cell) => cell?.row)).toEqual([0, 0, 0, 0]);
    expect(at("e")).toMatchObject({ row: 1, depth: 2, from: 0 });
    expect(at("d")).toMatchObject({ row: 2, depth: 1, from: 0 });
  });

  test("no two stages have one place", () => {
    const places = cellsOf(tree).map(({ row, depth }) => `${row} ${depth}`);
    expect(new Set(places).size).toBe(places.length);
  });

  test.each<[string, Move, string | undefined]>([
    ["root", "child", "a"],
    ["a", "parent", "root"],
    ["root", "parent", undefined],
    ["c", "child", undefined],
    ["c", "below", "e"],
    ["e", "below", "d"],
    ["d", "above", "e"],
    ["b", "first", "root"],
    ["b", "last", "d"],
  ])("from %s, %s leads to %s", (from, move, to) => {
    expect(moved(tree, from, move)).toBe(to);
  });
});

describe("external data is validated", () => {
  test("a tree with a stage before its parent, a duplicate, or a missing step is refused", () => {
    const [root, a] = tree.stages;
    expect(asTree({ stages: [root, a] }).stages).toHaveLength(2);
    expect(() => asTree({ stages: [a, root] })).toThrow("comes before its parent");
    expect(() => asTree({ stages: [root, root] })).toThrow("Two stages are called root");
    expect(() => asTree({ stages: [{ ...root, step: undefined }] })).toThrow("step of stage 0");
    expect(() => asTree({ stages: [] })).toThrow("no stages");
  });

  test("a lineage with missing nodes or unknown evidence is refused", () => {
    const good = { nodes: [0, 1], ancestors: [0, 0], evidence: [0, 0], kinds: ["from_node"] };
    expect(asLineage(good, 2, 1).nodes).toEqual([0, 1]);
    expect(() => asLineage({ ...good, nodes: [0, 2] }, 2, 1)).toThrow("nodes of a lineage");
    expect(() => asLineage({ ...good, ancestors: [0, 1] }, 2, 1)).toThrow("ancestors of a lineage");
    expect(() => asLineage({ ...good, evidence: [0, 1] }, 2, 1)).toThrow("evidence of a lineage");
    expect(() => asLineage({ ...good, kinds: ["guess"] }, 2, 1)).toThrow("does not know");
    expect(() => asLineage({ ...good, nodes: [0] }, 2, 1)).toThrow("equally long");
  });
});
