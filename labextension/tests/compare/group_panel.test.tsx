// @vitest-environment happy-dom
/** The panel of a selected module. */
import { expect, test } from "vitest";
import { Changes, type Columns } from "../../src/compare";
import { slotsOfNodes } from "../../src/compare/camera/scene_offset";
import { insideOf } from "../../src/compare/model/group_details";
import { Explorer } from "../../src/explorer";
import { type Stage, settled } from "../panels/stage";
import { type GraphOf, sevenWide } from "../programs";
import { matched } from "./matched";
import { columnsOf } from "./shown";
import { telling } from "./telling";

function selecting(): { columns: Columns; place: Stage; select: (name: string) => Promise<void> } {
  const columns = columnsOf();
  const place = telling(columns);
  const select = async (name: string): Promise<void> => {
    const explorer = columns.row.explorer(1);
    const node = explorer.snapshot.find(`forward/${name}`) ?? -1;
    columns.lead(1);
    explorer.select([explorer.picture.parentOf(explorer.picture.boxOf(node))]);
    await settled();
  };
  return { columns, place, select };
}

test("a module shows its counterpart, its counts, its ops and each change in it", async () => {
  const { columns, place, select } = selecting();
  await select("addmm");
  expect(place.text()).toContain("model.first changed inside");
  expect(place.text()).toContain("~ 1⇄ 1");
  expect(place.text()).toMatch(/ops\s*2 → 3/);
  const rows = [...place.root.querySelectorAll(".exirviz-change-row")].map(({ textContent }) => textContent);
  expect(rows).toEqual([
    expect.stringContaining("linear → permute, addmm"),
    expect.stringContaining("relu dtype"),
  ]);
  place.find(".exirviz-change-row", "relu").click();
  await settled();
  expect(columns.changes.kind(columns.state.match)).toBe("changed");
  place.find(".exirviz-link", "model.first").click();
  await settled();
  expect(place.text()).toContain("model.first changed inside");
});

test("a module without a change says so", async () => {
  const { place, select } = selecting();
  await select("sin");
  expect(place.text()).toContain("model.third is unchanged");
  expect(place.text()).toContain("no change");
  expect(place.root.querySelectorAll(".exirviz-change-row").length).toBe(0);
});

test("state that is folded into an op is listed where that op is", () => {
  const before: GraphOf = {
    name: "forward",
    nodes: [
      { name: "weight", op: "placeholder", parameter: "fc.weight" },
      { name: "x", op: "placeholder" },
      { name: "linear", inputs: ["x", "weight"], module: "fc" },
    ],
  };
  const { snapshots } = matched([before], [before], []);
  const explorer = new Explorer(snapshots[0], sevenWide, { width: 500, height: 700 });
  const [weight, linear] = ["weight", "linear"].map((name) => snapshots[0].find(`forward/${name}`) ?? -1);
  expect(explorer.picture.boxOf(weight ?? -1)).toBe(-1);
  const slots = slotsOfNodes([weight ?? -1], explorer.state);
  expect(slots.length).toBe(1);
  expect(slots).toEqual(slotsOfNodes([linear ?? -1], explorer.state));
  explorer.dispose();
});

test("a node removed from a module is a change in it, whichever side is selected", async () => {
  const { columns, select } = selecting();
  await select("neg");
  const inside = insideOf(columns.pair, columns.state.groups);
  expect(inside?.changes.map((match) => columns.changes.kind(match))).toEqual(["removed", "added"]);
});

/** Two layers that use one weight, which is above all ops. */
const SHARED: GraphOf = {
  name: "forward",
  nodes: [
    { name: "weight", op: "placeholder", parameter: "weight" },
    { name: "x", op: "placeholder" },
    { name: "sin", inputs: ["x"], module: "layers.0" },
    { name: "linear", inputs: ["sin", "weight"], module: "layers.0" },
    { name: "linear_1", inputs: ["linear", "weight"], module: "layers.1" },
  ],
};

test("state that two modules share is one change of both, read where it is drawn", () => {
  const names = ["weight", "sin", "linear", "linear_1"];
  const { comparison, snapshots } = matched(
    [SHARED],
    [SHARED],
    names.map((name) => ["changed", [name], [name]] as const),
  );
  const counts = [{ changed: 3 }, { changed: 2 }] as const;
  const modules = ["layers.0", "layers.1"].map((path, i) => {
    const at = snapshots[0].scopes.findIndex((scope) => scope.path === path);
    const changed = { counts: counts[i] ?? {}, own: counts[i] ?? {} };
    return { path, cls: "Layer", depth: 1, a: at, b: at, before: 1, after: 1, ...changed };
  });
  const columns = columnsOf(undefined, new Changes({ ...comparison, modules }, snapshots));
  const { picture } = columns.row.explorer(1);
  const layers = ["sin", "linear_1"].map((name) =>
    picture.parentOf(picture.boxOf(snapshots[1].find(`forward/${name}`) ?? -1)),
  );
  const inside = insideOf(columns.pair, [[], layers]);
  expect(inside?.sides.map((side) => side?.names)).toEqual([
    ["layers.0", "layers.1"],
    ["layers.0", "layers.1"],
  ]);
  expect(inside?.counts).toMatchObject({ changed: 4, same: 0 });
  expect(inside?.own).toEqual(inside?.counts);
  expect(inside?.changes).toEqual([1, 2, 0, 3]);
});
