import { afterEach, describe, expect, it, vi } from "vitest";
import { Changes, Columns, Row } from "../../src/compare";
import { KINDS } from "../../src/compare/model/schema";
import { Explorer } from "../../src/explorer";
import { Snapshot } from "../../src/snapshot";
import { type GraphOf, sevenWide } from "../programs";
import type { MatchOf } from "./compared";
import { matched } from "./matched";

/** State is above all ops, as torch writes it. */
const twoLayers = (names: { readonly first: string; readonly second: string }): GraphOf => ({
  name: "forward",
  nodes: [
    { name: "p_one", op: "placeholder", parameter: "one.weight" },
    { name: "p_two", op: "placeholder", parameter: "two.weight" },
    { name: "x", op: "placeholder" },
    { name: names.first, inputs: ["x", "p_one"] },
    { name: names.second, inputs: [names.first, "p_two"] },
    { name: "output", op: "output", inputs: [names.second] },
  ],
});

const LINEAR = twoLayers({ first: "linear", second: "linear_1" });
const MATMUL = twoLayers({ first: "mm", second: "mm_1" });
const STATE: readonly MatchOf[] = ["p_one", "p_two"].map((name) => ["moved", [name], [name]]);
const REST: readonly MatchOf[] = ["x", "output"].map((name) => ["same", [name], [name]]);

const rewritten = matched(
  [LINEAR],
  [MATMUL],
  [...STATE, ...REST, ["rewritten", ["linear"], ["mm"]], ["rewritten", ["linear_1"], ["mm_1"]]],
);
const delegated = matched(
  [MATMUL],
  [MATMUL],
  [...STATE, ...REST, ["same", ["mm"], ["mm"]], ["changed", ["mm_1"], ["mm_1"]]],
);

let shown: Columns | undefined;
afterEach(() => shown?.dispose());

function columnsOf(changes: readonly (typeof rewritten)[]): Columns {
  const [first] = changes;
  if (!first) throw new Error("Nothing is compared.");
  const snapshots = [first.snapshots[0], ...changes.map((each) => each.snapshots[1])];
  const explorers = snapshots.map(
    (snapshot) => new Explorer(snapshot, sevenWide, { width: 400, height: 700 }),
  );
  shown = new Columns(new Row(explorers, changes));
  return shown;
}

async function walked(columns: Columns): Promise<string[]> {
  const seen: string[] = [];
  for (let i = 0; i < columns.changeCount; i++) {
    await columns.step(1);
    expect(columns.position).toBe(i);
    const { at, match } = columns.state;
    const [node = -1] = columns.changes.nodes(match, 1);
    seen.push(`${at} ${columns.changes.snapshots[1].name(node)}`);
  }
  return seen;
}

describe("stepping through changes", () => {
  it("begins with what matters; moved state comes last, in the order of the ops that draw it", async () => {
    expect(await walked(columnsOf([rewritten]))).toEqual(["0 mm", "0 mm_1", "0 p_one", "0 p_two"]);
    expect(rewritten.list.map((match) => rewritten.readAt(match))).toEqual([4, 4, 5, 5]);
  });

  it("begins with delegated nodes, not with those that only moved", async () => {
    const { comparison, snapshots } = rewritten;
    const kinds = comparison.matches.kinds.map(() => KINDS.indexOf("moved"));
    const rules = comparison.matches.kinds.map((_, match) => (match < 4 ? 0 : 1));
    const rule = { kind: "moved", text: "", short: "", count: 1 } as const;
    const moved = new Changes(
      {
        ...comparison,
        matches: { ...comparison.matches, kinds, rules },
        rules: [{ ...rule, minor: true }, rule],
      },
      snapshots,
    );
    expect((await walked(columnsOf([moved]))).slice(0, 2)).toEqual(["0 mm", "0 mm_1"]);
  });

  it("reaches the state of all columns after the changes of its op in each", async () => {
    expect(await walked(columnsOf([rewritten, delegated]))).toEqual([
      "0 mm",
      "0 mm_1",
      "1 mm_1",
      "0 p_one",
      "1 p_one",
      "0 p_two",
      "1 p_two",
    ]);
  });
});

describe("the reading position of a match", () => {
  it("orders some matches in the same way as all of them", () => {
    expect(rewritten.inOrder([0, 1, 4, 5])).toEqual([4, 0, 5, 1]);
    expect(rewritten.inOrder([1, 0, 5])).toEqual([0, 5, 1]);
  });

  it("is computed on demand, and once", () => {
    const looked = vi.spyOn(Snapshot.prototype, "locate");
    const changes = new Changes(rewritten.comparison, rewritten.snapshots);
    expect(looked).not.toHaveBeenCalled();
    expect(changes.list).toHaveLength(4);
    const calls = looked.mock.calls.length;
    expect(calls).toBeGreaterThan(0);
    changes.list.map((match) => changes.readAt(match));
    changes.inOrder(changes.list);
    expect(looked).toHaveBeenCalledTimes(calls);
    looked.mockRestore();
  });
});
