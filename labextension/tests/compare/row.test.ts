import { afterEach, describe, expect, it } from "vitest";
import { Changes, Columns, keptState, openLike, Row, StageColumns } from "../../src/compare";
import { joined } from "../../src/compare/columns/stage_columns";
import { type Comparison, KINDS, type MatchKind } from "../../src/compare/model/schema";
import { isHighlighted } from "../../src/compare/model/state";
import { Explorer } from "../../src/explorer";
import type { Snapshot } from "../../src/snapshot";
import { comparedFirst, type Stages, type StageTree, savedComparing } from "../../src/stages";
import { sevenWide, snapshotOf } from "../programs";
import { comparisonOf, type MatchOf, programs } from "./compared";

const SCREEN = { width: 400, height: 700 };

const third = (): Snapshot =>
  snapshotOf({
    name: "forward",
    nodes: [
      { name: "x", op: "placeholder" },
      { name: "permute", inputs: ["x"], module: "model.first" },
      { name: "mm", inputs: ["permute"], module: "model.first" },
      { name: "add", inputs: ["mm"], module: "model.first" },
      { name: "relu", inputs: ["add"], module: "model.first" },
      { name: "neg", inputs: ["relu"], module: "model.second" },
      { name: "sin", inputs: ["neg"], module: "model.third" },
      { name: "output", op: "output", inputs: ["sin"] },
    ],
  });

const LATER: readonly MatchOf[] = [
  ["same", ["x"], ["x"]],
  ["same", ["permute"], ["permute"]],
  ["rewritten", ["addmm"], ["mm", "add"]],
  ["same", ["relu"], ["relu"]],
  ["same", ["neg"], ["neg"]],
  ["removed", ["clone"], []],
  ["same", ["sin"], ["sin"]],
  ["same", ["output"], ["output"]],
];

/** The comparison of two programs whose nodes are matched by name. */
function between(a: Snapshot, b: Snapshot, matches: readonly MatchOf[]): Comparison {
  const nodes = (snapshot: Snapshot, names: readonly string[]): number[] =>
    names.map((name) => snapshot.find(`forward/${name}`) ?? -1);
  const counts = (kind: MatchKind): number => matches.filter(([each]) => each === kind).length;
  return {
    ...comparisonOf(programs()),
    a: "after",
    b: "last",
    counts: Object.fromEntries(KINDS.map((kind) => [kind, counts(kind)])),
    modules: [],
    matches: {
      kinds: matches.map(([kind]) => KINDS.indexOf(kind)),
      fields: matches.map(() => 0),
      evidence: matches.map(() => 0),
      reasons: matches.map(() => -1),
      rules: matches.map(() => -1),
      a_counts: matches.map(([, names]) => names.length),
      a_nodes: matches.flatMap(([, names]) => nodes(a, names)),
      b_counts: matches.map(([, , names]) => names.length),
      b_nodes: matches.flatMap(([, , names]) => nodes(b, names)),
    },
  };
}

let shown: Columns | undefined;
afterEach(() => shown?.dispose());

function rowOfThree(): Row {
  const [a, b] = programs();
  const c = third();
  const changes = [new Changes(comparisonOf([a, b]), [a, b]), new Changes(between(b, c, LATER), [b, c])];
  return new Row(
    [a, b, c].map((snapshot) => new Explorer(snapshot, sevenWide, SCREEN)),
    changes,
  );
}

function three(): Columns {
  shown = new Columns(rowOfThree());
  return shown;
}

const node = (row: Row, column: number, name: string): number =>
  row.explorer(column).snapshot.find(`forward/${name}`) ?? -1;

const names = (row: Row, column: number, nodes: readonly number[] | undefined): string[] =>
  (nodes ?? []).map((each) => row.explorer(column).snapshot.name(each)).sort();

const settled = () => new Promise((done) => setTimeout(done, 20));

describe("a row of three columns", () => {
  it("composes counterparts, both ways, through groups", () => {
    const row = rowOfThree();
    const from = row.nodes(0, [node(row, 0, "linear")]);
    expect(names(row, 1, from[1])).toEqual(["addmm", "permute"]);
    expect(names(row, 2, from[2])).toEqual(["add", "mm", "permute"]);
    const back = row.nodes(2, [node(row, 2, "mm")]);
    expect(names(row, 0, back[0])).toEqual(["linear"]);
    const clone = row.nodes(1, [node(row, 1, "clone")]);
    expect([clone[0], clone[2]]).toEqual([[], []]);
  });

  it("finds a module in every column", () => {
    const row = rowOfThree();
    const item = (column: number): number =>
      row.explorer(column).picture.itemAt("forward:L__self__model.second") ?? -1;
    expect(row.counterparts(0, [item(0)])).toEqual([[item(0)], [item(1)], [item(2)]]);
    expect(row.counterparts(2, [item(2)])).toEqual([[item(0)], [item(1)], [item(2)]]);
  });

  it("is refused if comparisons and columns do not fit", () => {
    const { explorers, pairs } = rowOfThree();
    expect(() => new Row(explorers.slice(0, 2), [...pairs.map(({ changes }) => changes)])).toThrow();
    expect(() => new Row(explorers, [])).toThrow(/3 columns have 0/);
  });

  it("colours a column by changes since its left neighbour, and shows the changes in the next", () => {
    const row = rowOfThree();
    const box = row.explorer(1).picture.boxOf(node(row, 1, "clone"));
    expect(row.tally(1).kind(box)).toBe("added");
    expect(row.nextTally(1)?.kind(box)).toBe("removed");
    expect(row.nextTally(0)).toBeUndefined();
    expect(row.nextTally(2)).toBeUndefined();
  });
});

describe("three columns", () => {
  it("highlight what the pointer is on in all the others", async () => {
    const columns = three();
    for (const explorer of columns.explorers) await explorer.openAll();
    await settled();
    const { scene, picture } = columns.row.explorer(0).state;
    columns.hover(0, scene.slotOf[picture.boxOf(node(columns.row, 0, "linear"))] ?? -1);
    expect([0, 1, 2].map((column) => columns.highlighted(column).size)).toEqual([0, 2, 3]);
    expect([0, 1, 2].map((column) => isHighlighted(columns.state.hovered, column))).toEqual([
      false,
      true,
      true,
    ]);
    columns.hover(0, -1);
    expect([0, 1, 2].some((column) => isHighlighted(columns.state.hovered, column))).toBe(false);
  });

  it("select in all, and make the used pair current", () => {
    const columns = three();
    columns.lead(2);
    const last = columns.row.explorer(2);
    last.select([last.picture.boxOf(node(columns.row, 2, "add"))]);
    expect(columns.state.at).toBe(1);
    expect(columns.pair.changes.kind(columns.state.match)).toBe("rewritten");
    const { picture, selected } = columns.row.explorer(0).state;
    expect(selected.map((item) => picture.words.title(item))).toEqual(["linear"]);
    columns.showPair(0);
    expect(names(columns.row, 1, columns.changes.nodes(columns.state.match, 1))).toEqual([
      "addmm",
      "permute",
    ]);
  });

  it("open a module in all", async () => {
    const columns = three();
    for (const explorer of columns.explorers) await explorer.closeAll();
    await settled();
    const [explorer] = columns.explorers;
    await explorer?.toggle(explorer.picture.itemAt("forward:L__self__model") ?? -1);
    await settled();
    expect(columns.explorers.map(({ state }) => state.open.size)).toEqual([1, 1, 1]);
  });

  it("step through the changes of all pairs in reading order", async () => {
    const columns = three();
    const seen: string[] = [];
    for (let i = 0; i < columns.changeCount + 1; i++) {
      await columns.step(1);
      seen.push(`${columns.state.at} ${columns.changes.kind(columns.state.match)}`);
      expect(columns.position).toBe(i % columns.changeCount);
    }
    expect(seen).toEqual([
      "0 rewritten",
      "1 rewritten",
      "0 changed",
      "0 removed",
      "0 added",
      "1 removed",
      "0 rewritten",
    ]);
    await columns.step(-1);
    expect(columns.position).toBe(columns.changeCount - 1);
  });

  it("follow one camera, each its neighbour's, or none", () => {
    const columns = three();
    columns.lead(0);
    const { viewportStore } = columns.row.explorer(0);
    viewportStore.set({ camera: { ...viewportStore.state.camera, zoom: 0.9 } });
    expect(columns.explorers.map((each) => each.viewportStore.state.camera.zoom)).toEqual([0.9, 0.9, 0.9]);
    columns.cameras.setOne(false);
    viewportStore.set({ camera: { ...viewportStore.state.camera, zoom: 0.5 } });
    expect(columns.row.explorer(2).viewportStore.state.camera.zoom).toBe(0.9);
  });

  it("stay as they are when another is added", () => {
    const { explorers, pairs } = rowOfThree();
    const [first, second] = pairs.map(({ changes }) => changes);
    if (!first || !second) throw new Error("There are two comparisons.");
    const two = new Columns(new Row(explorers.slice(0, 2), [first]));
    two.store.set({ isOneCamera: false, leader: 0 });
    const row = new Row(explorers, [first, second]);
    openLike(row, new Set(two.explorers));
    const state = keptState(two, row);
    two.dispose();
    expect(state).toMatchObject({ isOneCamera: false, leader: 0, at: 1, match: -1 });
    const open = row.explorer(1).state.open;
    expect(row.explorer(2).state.open.size).toBe(row.counterparts(1, [...open])[2]?.length);
    shown = new Columns(row, state);
    shown.explorers[0]?.select([shown.explorers[0].picture.boxOf(node(row, 0, "linear"))]);
    shown.resume();
    expect(shown.row.explorer(2).state.selected.length).toBeGreaterThan(0);
  });
});

const step = { kind: "transform", title: "Transform" } as const;
const TREE: StageTree = {
  stages: [
    { id: "1", name: "exported", parent: null, state: "ready", step },
    { id: "2", name: "core", parent: "1", state: "ready", step },
    { id: "3", name: "edge", parent: "2", state: "ready", step },
    { id: "4", name: "broken", parent: "3", state: "failed", step },
  ],
};

describe("stage columns", () => {
  const columnsOf = (ids: readonly string[]) => {
    const wanted: (readonly string[])[] = [];
    return { wanted, it: new StageColumns(ids, { tree: TREE } as Stages, (shown) => wanted.push(shown)) };
  };

  it("insert a stage at its position in the tree, else at the end", () => {
    expect(joined(["1", "3"], "2", TREE)).toEqual(["1", "2", "3"]);
    expect(joined(["3", "1"], "2", TREE)).toEqual(["3", "1", "2"]);
    expect(joined(["1", "2"], "3", TREE)).toEqual(["1", "2", "3"]);
  });

  it("keep at least two, move within the ends, and skip failed stages", () => {
    const two = columnsOf(["1", "2"]);
    two.it.toggle("2");
    two.it.move(0, -1);
    two.it.move(1, 2);
    expect(two.wanted).toEqual([]);
    two.it.move(1, 0);
    two.it.toggle("3");
    expect(two.wanted).toEqual([
      ["2", "1"],
      ["1", "2", "3"],
    ]);
    const many = columnsOf(["1", "2", "3"]);
    many.it.remove(1);
    expect(many.wanted).toEqual([["1", "3"]]);
    expect(many.it.tree.stages.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  });

  it("offer only what the page has comparisons of, else say what is missing", () => {
    const compared = [
      ["1", "2"],
      ["2", "3"],
    ];
    const comparing = savedComparing({ tree: TREE, compared }, () => undefined);
    const stages = { tree: TREE, source: { comparing } } as unknown as Stages;
    const two = new StageColumns(["1", "2"], stages, () => undefined);
    expect(two.whyNotToggled("3")).toBe("");
    expect(two.whyNotToggled("2")).toBe("At least two columns are needed");
    expect(two.whyNotMoved(0, 1)).toContain("no comparison of core with exported");
    expect([two.whyNotMoved(0, -1), two.whyNotMoved(1, 2)]).toEqual([
      "This is the first column",
      "This is the last column",
    ]);
    const three = new StageColumns(["1", "2", "3"], stages, () => undefined);
    expect(three.whyNotToggled("2")).toContain("no comparison of exported with edge");
    expect(three.whyNotToggled("3")).toBe("");
  });

  it("begin with a stage and its parent, or its child", () => {
    expect(comparedFirst(TREE, "2")).toEqual(["1", "2"]);
    expect(comparedFirst(TREE, "1")).toEqual(["1", "2"]);
    expect(comparedFirst({ stages: TREE.stages.slice(0, 1) }, "1")).toBeUndefined();
  });
});
