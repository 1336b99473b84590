import { afterEach, describe, expect, it } from "vitest";
import { Columns, Row } from "../../src/compare";
import { readabilityOf } from "../../src/compare/superimposed/readability";
import { SuperimposedGraph } from "../../src/compare/superimposed/superimposed_graph";
import { Explorer } from "../../src/explorer";
import { type GraphOf, sevenWide } from "../programs";
import { changesOf } from "./compared";
import { matched } from "./matched";

const SCREEN = { width: 700, height: 900 };
let shown: { columns: Columns; superimposed: SuperimposedGraph } | undefined;

function both(changes = changesOf()): { columns: Columns; superimposed: SuperimposedGraph } {
  const explorers = changes.snapshots.map((snapshot) => new Explorer(snapshot, sevenWide, SCREEN));
  const columns = new Columns(new Row(explorers, [changes]));
  shown = { columns, superimposed: new SuperimposedGraph(columns, columns.row.pair(0), sevenWide, SCREEN) };
  return shown;
}

afterEach(() => {
  shown?.superimposed.dispose();
  shown?.columns.dispose();
  for (const explorer of shown?.columns.explorers ?? []) explorer.dispose();
});

const boxOf = ({ explorer }: { explorer: Explorer }, name: string): number =>
  explorer.picture.boxOf(explorer.snapshot.find(name) ?? -1);

const selectedIn = (explorer: Explorer): string[] =>
  explorer.state.selected.map((item) => explorer.picture.words.title(item)).sort();

/** The effects of a change come a few promises later. */
const settled = () => new Promise((done) => setTimeout(done, 20));

describe("a superimposed graph", () => {
  it("begins with the modules that contain changes open", () => {
    const { superimposed } = both();
    const { picture, state } = superimposed.explorer;
    const open = [...state.open].map((item) => picture.words.title(item)).sort();
    expect(open).toEqual(["first", "model", "second"]);
  });

  it("copies its selection to the column that it belongs to, and back", () => {
    const { columns, superimposed } = both();
    superimposed.explorer.select([boxOf(superimposed, "dropout")]);
    expect(selectedIn(columns.row.explorer(0))).toEqual(["dropout"]);
    expect(columns.state.leader).toBe(0);
    expect(columns.changes.kind(columns.state.match)).toBe("removed");
    superimposed.explorer.select([boxOf(superimposed, "addmm")]);
    expect(selectedIn(columns.row.explorer(1))).toEqual(["addmm"]);
    expect(selectedIn(columns.row.explorer(0))).toEqual(["linear"]);
    expect(selectedIn(superimposed.explorer)).toEqual(["addmm"]);
    const module = superimposed.explorer.picture.around(boxOf(superimposed, "dropout"))[0] ?? -1;
    superimposed.explorer.select([module]);
    expect(selectedIn(columns.row.explorer(1))).toEqual(["second"]);
  });

  it("selects a module in its column if only a nested graph contains it", () => {
    const loop: readonly GraphOf[] = [
      {
        name: "forward",
        nodes: [
          { name: "x", op: "placeholder" },
          { name: "body", op: "get_attr", holds: "inner" },
          { name: "run", target: "higher_order.while_loop", inputs: ["body", "x"] },
        ],
      },
      {
        name: "inner",
        nodes: [
          { name: "y", op: "placeholder" },
          { name: "sin", inputs: ["y"], module: "step" },
        ],
      },
    ];
    const { columns, superimposed } = both(
      matched(loop, loop, [["changed", ["forward/inner/sin"], ["forward/inner/sin"]]]),
    );
    const [step = -1] = superimposed.explorer.picture.around(boxOf(superimposed, "forward/inner/sin"));
    superimposed.explorer.select([step]);
    expect(selectedIn(columns.row.explorer(1))).toEqual(["step"]);
  });

  it("shows what the list or a key asks for: all counterparts of a node, or a removed node", async () => {
    const { columns, superimposed } = both();
    const seen: string[][] = [];
    for (let i = 0; i < columns.changeCount; i++) {
      await columns.step(1);
      await settled();
      seen.push(selectedIn(superimposed.explorer));
    }
    expect(seen).toEqual([["addmm", "permute"], ["relu"], ["dropout"], ["clone"]]);
    const { scene } = superimposed.explorer.state;
    expect(scene.slotOf[boxOf(superimposed, "clone")]).toBeGreaterThan(0);
  });

  it("highlights the nodes of one match", () => {
    const { superimposed } = both();
    const { scene, picture } = superimposed.explorer.state;
    superimposed.hover(scene.slotOf[boxOf(superimposed, "permute")] ?? -1);
    const highlighted = [...superimposed.highlighted()].map((slot) =>
      picture.words.title(scene.item[slot] ?? -1),
    );
    expect(highlighted.sort()).toEqual(["addmm", "permute"]);
    superimposed.hover(-1);
    expect(superimposed.highlighted().size).toBe(0);
  });

  it("says for each box which side has it", () => {
    const { superimposed } = both();
    const evidenceText = (name: string): string => superimposed.words(boxOf(superimposed, name));
    expect(evidenceText("dropout")).toBe("− removed: only the program before has it");
    expect(evidenceText("clone")).toBe("+ added: only the program after has it");
    expect(evidenceText("permute")).toBe("⇄ rewritten from linear");
    expect(evidenceText("relu")).toBe("~ changed: dtype");
    expect(evidenceText("sin")).toBe("in both");
    const [module = -1] = superimposed.explorer.picture.around(boxOf(superimposed, "dropout"));
    expect(superimposed.words(module)).toBe("1 added, 1 removed");
  });
});

describe("whether a superimposed graph is readable", () => {
  const chain = (...names: readonly string[]) => [
    { name: "forward", nodes: names.map((name) => ({ name })) },
  ];

  it("depends on how much changed", () => {
    const few = matched(chain("a", "b", "c"), chain("a", "b"), [
      ["same", ["a"], ["a"]],
      ["same", ["b"], ["b"]],
      ["removed", ["c"], []],
    ]);
    expect(readabilityOf(few)).toEqual({ is: "fit", share: "1 of 3 ops changed (33%)" });
    const much = matched(chain("a", "b"), chain("a", "b"), [
      ["changed", ["a"], ["a"]],
      ["changed", ["b"], ["b"]],
    ]);
    expect(readabilityOf(much)).toEqual({ is: "much", share: "2 of 2 ops changed (100%)" });
    const unlike = matched(chain("a"), chain("b"), [
      ["removed", ["a"], []],
      ["added", [], ["b"]],
    ]);
    expect(readabilityOf(unlike).is).toBe("unlike");
  });
});
