import { describe, expect, it } from "vitest";
import { type Changes, Tally } from "../../src/compare";
import { UnitedProgram } from "../../src/compare/superimposed/united_program";
import { Picture } from "../../src/picture";
import type { GraphOf } from "../programs";
import { sevenWide } from "../programs";
import { changesOf, type MatchOf } from "./compared";
import { matched } from "./matched";

const namesIn = ({ snapshot }: UnitedProgram, graph = 0): string[] => [
  ...snapshot.graph(graph).columns.names,
];

/** "a → b" for each edge of a united graph. */
function edges({ snapshot }: UnitedProgram, number = 0): string[] {
  const graph = snapshot.graph(number);
  return Array.from({ length: graph.count }, (_, to) => to).flatMap((to) =>
    Array.from(graph.inputsOf(to), (from) => `${graph.name(from)} → ${graph.name(to)}`),
  );
}

const pictureOf = ({ snapshot }: UnitedProgram, isFolded = true): Picture =>
  new Picture(snapshot, snapshot.graph(0), isFolded, sevenWide);

const same = (...names: readonly string[]): MatchOf[] => names.map((name) => ["same", [name], [name]]);
const removed = (...names: readonly string[]): MatchOf[] => names.map((name) => ["removed", [name], []]);
const added = (...names: readonly string[]): MatchOf[] => names.map((name) => ["added", [], [name]]);

const chain = (...names: readonly string[]): GraphOf => ({
  name: "forward",
  nodes: names.map((name, i) => ({
    name,
    ...(name === "x" ? { op: "placeholder" as const } : {}),
    ...(name === "output" ? { op: "output" as const } : {}),
    inputs: names.slice(Math.max(0, i - 1), i),
  })),
});

describe("a united program", () => {
  it("has all of the second, and removed nodes between their neighbours", () => {
    const union = new UnitedProgram(changesOf());
    expect(namesIn(union)).toEqual([
      "x",
      "permute",
      "addmm",
      "relu",
      "dropout",
      "neg",
      "clone",
      "sin",
      "output",
    ]);
    expect(edges(union)).toEqual(
      expect.arrayContaining(["relu → dropout", "dropout → neg", "relu → neg", "addmm → relu"]),
    );
    expect(edges(union)).toHaveLength(9);
  });

  it("says for each node what it became, and which side it is from", () => {
    const before = changesOf();
    const union = new UnitedProgram(before);
    const kinds = Object.fromEntries(
      namesIn(union).map((name, node) => [name, union.changes.kindOf(1, node)]),
    );
    expect(kinds).toEqual({
      x: "same",
      permute: "rewritten",
      addmm: "rewritten",
      relu: "changed",
      dropout: "removed",
      neg: "same",
      clone: "added",
      sin: "same",
      output: "same",
    });
    namesIn(union).forEach((name, node) => {
      const origin = union.originOf(node);
      expect(origin && before.snapshots[origin.side].name(origin.node)).toBe(name);
      expect(union.isGhost(node)).toBe(name === "dropout");
    });
  });

  it("counts the changes of each module, with its removed nodes", () => {
    const union = new UnitedProgram(changesOf());
    const picture = pictureOf(union);
    const tally = new Tally(union.changes, picture, 1);
    const scope = union.snapshot.scopes.findIndex(({ path }) => path === "model.second");
    expect(tally.counts(picture.moduleItem(0, scope) ?? -1)).toMatchObject({ removed: 1, added: 1 });
    const ghost = picture.boxOf(union.snapshot.find("dropout") ?? -1);
    expect(tally.kind(ghost)).toBe("removed");
  });

  it("continues through several removed nodes in a row", () => {
    const union = new UnitedProgram(
      matched(
        [chain("x", "abs", "neg", "exp", "sin", "output")],
        [chain("x", "sin", "output")],
        [...same("x"), ...removed("abs", "neg", "exp"), ...same("sin", "output")],
      ),
    );
    expect(namesIn(union)).toEqual(["x", "abs", "neg", "exp", "sin", "output"]);
    expect(edges(union)).toEqual([
      "x → abs",
      "abs → neg",
      "neg → exp",
      "x → sin",
      "exp → sin",
      "sin → output",
    ]);
  });

  it("keeps names unique if another node has the name now", () => {
    const union = new UnitedProgram(
      matched(
        [chain("x", "abs", "output")],
        [chain("x", "neg", "abs", "output")],
        [...same("x"), ...removed("abs"), ...added("neg", "abs"), ...same("output")],
      ),
    );
    expect(namesIn(union).sort()).toEqual(["abs", "abs (before)", "neg", "output", "x"]);
  });

  it("has no backward edges if the order was reversed", () => {
    // neg read abs through what was removed; now abs reads neg.
    const union = new UnitedProgram(
      matched(
        [chain("x", "abs", "exp", "neg", "output")],
        [chain("x", "neg", "abs", "output")],
        [
          ...same("x"),
          ["moved", ["abs"], ["abs"]],
          ...removed("exp"),
          ["moved", ["neg"], ["neg"]],
          ...same("output"),
        ],
      ),
    );
    const graph = union.snapshot.graph(0);
    for (let to = 0; to < graph.count; to++) {
      for (const from of graph.inputsOf(to)) expect(from).toBeLessThan(to);
    }
    expect(edges(union)).toContain("abs → exp");
    expect(edges(union)).not.toContain("exp → neg");
  });

  it("signs the chips of added and removed state", () => {
    const net = (weight: string): GraphOf => ({
      name: "forward",
      nodes: [
        { name: `p_${weight}`, op: "placeholder", parameter: `conv.${weight}` },
        { name: "x", op: "placeholder" },
        { name: "conv", inputs: ["x", `p_${weight}`] },
        { name: "output", op: "output", inputs: ["conv"] },
      ],
    });
    const union = new UnitedProgram(
      matched(
        [net("weight")],
        [net("fused")],
        [...removed("p_weight"), ...added("p_fused"), ...same("x", "conv", "output")],
      ),
    );
    const picture = pictureOf(union);
    expect(picture.words.chips(picture.boxOf(union.snapshot.find("conv") ?? -1))).toEqual([
      { text: "+fused 2×3", short: "+fused" },
      { text: "−W 2×3", short: "−W" },
    ]);
  });
});

describe("a united program with nested graphs", () => {
  const branch = (...names: readonly string[]): GraphOf => ({ ...chain(...names), name: "true_graph" });
  const holder: GraphOf = {
    name: "forward",
    nodes: [
      { name: "x", op: "placeholder" },
      { name: "true_graph", op: "get_attr", holds: "true_graph" },
      { name: "cond", target: "higher_order.cond", inputs: ["x", "true_graph"] },
      { name: "output", op: "output", inputs: ["cond"] },
    ],
  };
  const inBranch = (names: readonly string[]): string[] => names.map((name) => `forward/true_graph/${name}`);

  it("has nodes removed in a branch in the branch", () => {
    const union = new UnitedProgram(
      matched(
        [holder, branch("x", "abs", "sin", "output")],
        [holder, branch("x", "sin", "output")],
        [
          ...same("x", "true_graph", "cond", "output", ...inBranch(["x", "sin", "output"])),
          ...removed(...inBranch(["abs"])),
        ],
      ),
    );
    expect(namesIn(union, 1)).toEqual(["x", "abs", "sin", "output"]);
    expect(union.snapshot.graphs).toHaveLength(2);
  });

  it("has a removed branch in its holder", () => {
    const changes: Changes = matched(
      [holder, branch("x", "sin", "output")],
      [chain("x", "output")],
      [
        ...same("x"),
        ...removed("true_graph", "cond"),
        ...same("output"),
        ...removed(...inBranch(["x", "sin", "output"])),
      ],
    );
    const union = new UnitedProgram(changes);
    expect(namesIn(union, 1)).toEqual(["x", "sin", "output"]);
    const picture = pictureOf(union);
    const inner = picture.boxOf(union.snapshot.find("forward/true_graph/sin") ?? -1);
    const outer = picture.itemOf(union.snapshot.find("forward/cond") ?? -1);
    expect(picture.around(inner)).toContain(outer);
  });
});
