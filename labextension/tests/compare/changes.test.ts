import { describe, expect, it } from "vitest";
import {
  asComparison,
  asTextRows,
  Changes,
  Counterparts,
  initialExpansion,
  Row,
  SceneOffset,
  SIDES,
  Tally,
} from "../../src/compare";
import { boxWords, unchangedModules } from "../../src/compare/model/change_summary";
import { dotColor, groupKind } from "../../src/compare/view/change_signs";
import { spansOf } from "../../src/compare/view/line_wrap";
import { Explorer } from "../../src/explorer";
import { Picture } from "../../src/picture";
import { type GraphOf, sevenWide } from "../programs";
import { changesOf, comparisonOf, MATCHES, programs } from "./compared";
import { lost } from "./lost";
import { matched } from "./matched";

const pictureOf = (changes: Changes, side: 0 | 1): Picture => {
  const snapshot = changes.snapshots[side];
  return new Picture(snapshot, snapshot.graph(0), true, sevenWide);
};

const counterparts = (changes: Changes): Counterparts =>
  new Counterparts(changes, [pictureOf(changes, 0), pictureOf(changes, 1)]);

describe("changes", () => {
  it("give the match of each node of either side", () => {
    const changes = changesOf();
    for (const side of SIDES) {
      MATCHES.forEach((names, match) => {
        for (const name of names[side + 1] as readonly string[]) {
          const node = changes.snapshots[side].find(`forward/${name}`) ?? -1;
          expect(changes.of(side, node)).toBe(match);
          expect(changes.nodes(match, side)).toContain(node);
        }
      });
    }
  });

  it("list changed matches in reading order", () => {
    const changes = changesOf();
    expect(changes.list.map((match) => changes.kind(match))).toEqual([
      "rewritten",
      "changed",
      "removed",
      "added",
    ]);
    expect(changes.ops(changes.list[0] ?? -1, 1)).toBe("permute, addmm");
    expect(changes.path(changes.list[2] ?? -1)).toBe("model.second");
  });
});

describe("a tally", () => {
  it("includes what only the other side of a module has", () => {
    const changes = changesOf();
    const picture = pictureOf(changes, 1);
    const tally = new Tally(changes, picture, 1);
    const second = picture.itemAt("forward:L__self__model.second") ?? -1;
    const third = picture.itemAt("forward:L__self__model.third") ?? -1;
    expect(tally.counts(second)).toMatchObject({ removed: 1, added: 1 });
    expect(tally.changesIn(third)).toBe(0);
  });

  it("reports changed values of an op's folded parameter", () => {
    const program = {
      name: "forward",
      nodes: [
        { name: "x", op: "placeholder" },
        { name: "w", op: "placeholder", parameter: "fc.weight" },
        { name: "linear", op: "call_function", inputs: ["x", "w"] },
        { name: "relu", op: "call_function", inputs: ["linear"] },
      ],
    } as const;
    const ids = program.nodes.map(({ name }) => `forward/${name}`);
    const changes = matched(
      [program],
      [program],
      ids.map((id) => [id === "forward/w" ? "changed" : "same", [id], [id]]),
    );
    const picture = pictureOf(changes, 1);
    const tally = new Tally(changes, picture, 1);
    const kinds = ["linear", "relu"].map((name) => {
      const node = changes.snapshots[1].find(`forward/${name}`) ?? -1;
      return tally.kind(picture.itemOf(node));
    });
    expect(kinds).toEqual(["changed", "same"]);
  });

  it("counts the nodes of a group without a module", () => {
    const changes = changesOf();
    const picture = pictureOf(changes, 0);
    const model = picture.itemAt("forward:L__self__model") ?? -1;
    expect(new Tally(changes, picture, 0).counts(model)).toMatchObject({
      rewritten: 1,
      changed: 1,
      removed: 1,
      same: 2,
    });
  });

  it("counts all identical modules of a folded box", async () => {
    const changes = lost();
    const explorer = new Explorer(changes.snapshots[0], sevenWide, { width: 900, height: 700 });
    const { picture } = explorer;
    await explorer.openTo(1);
    const { state } = explorer;
    const slot = state.scene.members.indexOf(4);
    const first = state.scene.item[slot] ?? -1;
    const tally = new Tally(changes, picture, 0);
    expect(tally.changesIn(first)).toBe(0);
    expect(tally.countsAt(state.scene, slot)).toMatchObject({ same: 4, removed: 4 });
    expect(boxWords(tally, explorer, first)).toBe("in all 4: 4 removed");
    expect(dotColor(tally, explorer, first)).toBeDefined();
  });

  it("calls a module added or removed only if all of it is", () => {
    expect(groupKind({ removed: 3 })).toBe("removed");
    expect(groupKind({ removed: 3, same: 1 })).toBe("changed");
    expect(groupKind({ removed: 3, rewritten: 1 })).toBe("rewritten");
    expect(groupKind({ added: 2 })).toBe("added");
    expect(groupKind({ same: 9 })).toBeUndefined();
  });
});

describe("counterparts", () => {
  it("are symmetric", () => {
    const changes = changesOf();
    const both = counterparts(changes);
    const [a, b] = both.pictures;
    const paired = Array.from({ length: a.count }, (_, item) => [item, both.of(0, item)] as const).filter(
      ([, counterpart]) => counterpart >= 0,
    );
    expect(paired.length).toBeGreaterThan(6);
    for (const [item, counterpart] of paired) expect(both.of(1, counterpart)).toBe(item);
    const dropout = a.boxOf(changes.snapshots[0].find("forward/dropout") ?? -1);
    expect(both.of(0, dropout)).toBe(-1);
    const linear = a.boxOf(changes.snapshots[0].find("forward/linear") ?? -1);
    expect(b.words.title(both.of(0, linear))).toBe("addmm");
  });

  it("are the modules that the comparison pairs, not those of one name", () => {
    const changes = withoutSecond();
    const both = counterparts(changes);
    const [a, b] = both.pictures;
    const counterpartOf = (name: string): string => {
      const item = a.parentOf(a.boxOf(changes.snapshots[0].find(`forward/${name}`) ?? -1));
      const counterpart = both.of(0, item);
      return counterpart < 0 ? "" : b.words.title(counterpart);
    };
    expect(["sin", "cos", "neg"].map(counterpartOf)).toEqual(["0", "", "1"]);
  });
});

/** Three layers of which the second is removed: the third has the second's old name. */
function withoutSecond(): Changes {
  const layers = (...ops: readonly string[]): GraphOf => ({
    name: "forward",
    nodes: [
      { name: "x", op: "placeholder" },
      ...ops.map((name, i) => ({ name, inputs: [ops[i - 1] ?? "x"], module: `layers.${i}` })),
    ],
  });
  const { comparison, snapshots } = matched(
    [layers("sin", "cos", "neg")],
    [layers("sin", "neg")],
    [
      ["same", ["forward/sin"], ["forward/sin"]],
      ["removed", ["forward/cos"], []],
      ["same", ["forward/neg"], ["forward/neg"]],
    ],
  );
  const scope = (side: 0 | 1, path: string): number =>
    snapshots[side].scopes.findIndex((each) => each.path === path);
  const module = (a: number, b: number) => ({
    ...{ path: "layers", cls: "test.Layer", depth: 0, before: 1, after: 1, counts: {}, own: {} },
    ...{ a, b },
  });
  const modules = [
    module(scope(0, "layers.0"), scope(1, "layers.0")),
    module(scope(0, "layers.1"), -1),
    module(scope(0, "layers.2"), scope(1, "layers.1")),
  ];
  return new Changes({ ...comparison, modules }, snapshots);
}

describe("the initial expansion", () => {
  it("opens what changed on both sides and keeps unchanged modules closed", () => {
    const changes = changesOf();
    const screen = { width: 1200, height: 1600 };
    const explorers = changes.snapshots.map((snapshot) => new Explorer(snapshot, sevenWide, screen));
    const { open } = initialExpansion(new Row(explorers, [changes]), screen);
    for (const side of SIDES) {
      const { words } = pictureOf(changes, side);
      const titles = [...(open[side] ?? [])].map((item) => words.title(item)).sort();
      expect(titles).toEqual(["first", "model", "second"]);
    }
  });
});

describe("the offset", () => {
  it("is the distance between counterparts, the same from both sides", () => {
    const changes = changesOf();
    const pictures = [pictureOf(changes, 0), pictureOf(changes, 1)] as const;
    const shown = SIDES.map((side) => {
      const picture = pictures[side];
      const all = new Set(
        Array.from({ length: picture.count }, (_, item) => item).filter((item) => picture.isGroup(item)),
      );
      return { picture, scene: picture.layout.scene(picture.view(all, new Set())) };
    }) as [{ picture: Picture; scene: ReturnType<Picture["layout"]["scene"]> }, never];
    const drift = new SceneOffset(changes, shown);
    const top = (side: 0 | 1, name: string): { x: number; y: number } => {
      const { picture, scene } = shown[side] as (typeof shown)[0];
      const slot = scene.slotOf[picture.boxOf(changes.snapshots[side].find(`forward/${name}`) ?? -1)] ?? -1;
      const [x = 0, y = 0, width = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
      return { x: x + width / 2, y };
    };
    const [from, to] = [top(0, "sin"), top(1, "sin")];
    expect(to.y).toBeGreaterThan(from.y);
    expect(Math.abs(drift.at(0, from).y - (to.y - from.y))).toBeLessThan((to.y - from.y) / 3);
    expect(Math.sign(drift.at(1, to).y)).toBe(-Math.sign(drift.at(0, from).y));
  });
});

describe("a summary", () => {
  it("counts the modules without a change", () => {
    expect(unchangedModules(comparisonOf(programs()))).toBe(1);
  });
});

describe("received data", () => {
  it("is refused if it does not fit the programs", () => {
    const both = programs();
    const counts: [number, number] = [both[0].nodeCount, both[1].nodeCount];
    const right = comparisonOf(both);
    expect(asComparison(right, counts)).toBe(right);
    expect(() => asComparison(right, [2, counts[1]])).toThrow(/nodes of a/);
    expect(() => asComparison({ ...right, schema: 99 }, counts)).toThrow(/schema 99/);
    const matches = { ...right.matches, kinds: [...right.matches.kinds.slice(1), 77] };
    expect(() => asComparison({ ...right, matches }, counts)).toThrow(/kinds/);
    expect(() => asTextRows([{ a: 1 }])).toThrow(/kind/);
  });

  it("has marks that count whole characters", () => {
    const spans = spansOf({ line: 1, text: "a\u{1f600}bc", marks: [[1, 3]] });
    expect(spans.map(({ text, isMarked }) => [text, isMarked])).toEqual([
      ["a", false],
      ["\u{1f600}b", true],
      ["c", false],
    ]);
  });
});
