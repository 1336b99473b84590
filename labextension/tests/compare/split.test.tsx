// @vitest-environment happy-dom
/** A module that one side draws as several boxes is one module: in all texts, and as a counterpart. */
import { expect, test } from "vitest";
import type { Columns, Tally } from "../../src/compare";
import { insideOf } from "../../src/compare/model/group_details";
import { settled } from "../panels/stage";
import { columnsOf } from "./shown";
import { split } from "./split";
import { telling } from "./telling";

const SCREEN = { width: 700, height: 900 };
/** The module around a node, by name. */
function boxes(columns: Columns): { readonly was: number; readonly own: number; readonly taken: number } {
  const around = (side: 0 | 1, id: string): number => {
    const { picture, snapshot } = columns.row.explorer(side);
    return picture.parentOf(picture.boxOf(snapshot.find(id) ?? -1));
  };
  return {
    was: around(0, "forward/neg"),
    own: around(1, "forward/neg"),
    taken: around(1, "forward/inner/sin"),
  };
}

const scopesOf = ({ changes }: Columns, path: string): readonly [number, number] => {
  const found = changes.comparison.modules?.find((each) => each.path === path);
  return [found?.a ?? -1, found?.b ?? -1];
};

test("each of its boxes corresponds to the other side's box, and that to all of them", () => {
  const columns = columnsOf(SCREEN, split());
  const { was, own, taken } = boxes(columns);
  const { counterparts } = columns.pair;
  expect(own).not.toBe(taken);
  expect([own, taken].map((item) => counterparts.of(1, item))).toEqual([was, was]);
  expect(counterparts.of(0, was)).toBe(own);
  expect(new Set(counterparts.all(0, [was]))).toEqual(new Set([own, taken]));
  expect(counterparts.all(1, [own, taken])).toEqual([was]);
});

test("any of its boxes selects the whole module and shows what is in that box", async () => {
  const columns = columnsOf(SCREEN, split());
  const { was, own, taken } = boxes(columns);
  const place = telling(columns);
  const parts = { [own]: "2 ops, in forward", [taken]: "2 ops, in inner" };
  for (const [item, part] of Object.entries(parts)) {
    columns.lead(1);
    columns.row.explorer(1).select([Number(item)]);
    await settled();
    expect(columns.row.explorer(0).state.selected).toEqual([was]);
    expect(place.text()).toContain("attn changed inside");
    expect(place.text()).toMatch(/ops\s*4this box/);
    expect(place.text()).toContain(`1 of 2: ${part}`);
    expect(insideOf(columns.pair, columns.state.groups)?.counts).toMatchObject({
      moved: 2,
      removed: 1,
      added: 1,
    });
  }
  columns.lead(0);
  columns.row.explorer(0).select([was]);
  await settled();
  expect(new Set(columns.row.explorer(1).state.selected)).toEqual(new Set([own, taken]));
  expect(place.text()).toMatch(/ops\s*4/);
  expect(place.text()).not.toContain("this box");
  expect(place.text()).not.toContain("equal");
});

test("only a module that the comparison has on one side is said to be missing on the other", async () => {
  const columns = columnsOf(SCREEN, split());
  const place = telling(columns);
  await columns.showModule(scopesOf(columns, "attn"));
  await settled();
  expect(place.text()).not.toContain("is not in");
  await columns.showModule(scopesOf(columns, "drop"));
  await settled();
  expect(place.text()).toContain("drop is not in after");
  const { picture } = columns.row.explorer(1);
  columns.lead(1);
  columns.row.explorer(1).select([picture.graphItem(1) ?? -1]);
  await settled();
  expect(place.text()).toContain("inner is not a group of its own in before");
});

test("the pointer on one box highlights all visible boxes of the other side, or the closed one around them", async () => {
  const columns = columnsOf(SCREEN, split());
  const { was, own, taken } = boxes(columns);
  const after = columns.row.explorer(1);
  const holders = after.picture.around(taken);
  const slotOf = (side: 0 | 1, item: number): number =>
    columns.row.explorer(side).state.scene.slotOf[item] ?? -1;
  for (const explorer of columns.explorers) {
    await explorer.arrange({ open: new Set() }, { how: "fit" });
    await settled();
  }
  columns.hover(0, slotOf(0, was));
  expect(columns.highlighted(1)).toEqual(new Set([slotOf(1, own), slotOf(1, holders.at(-1) ?? -1)]));
  await after.arrange({ open: new Set(holders) }, { how: "fit" });
  expect(columns.highlighted(1)).toEqual(new Set([slotOf(1, own), slotOf(1, taken)]));
  for (const item of [own, taken]) {
    columns.hover(1, slotOf(1, item));
    expect(columns.highlighted(0)).toEqual(new Set([slotOf(0, was)]));
  }
});

test("each of its boxes counts its content, and the first also removed nodes", () => {
  const columns = columnsOf(SCREEN, split());
  const { was, own, taken } = boxes(columns);
  const tally = (side: 0 | 1): Tally => columns.pair.tally(side);
  expect(tally(0).counts(was)).toEqual({ same: 1, moved: 2, removed: 1, added: 1 });
  expect(tally(1).counts(own)).toMatchObject({ same: 1, added: 1, removed: 1, moved: 0 });
  expect(tally(1).counts(taken)).toMatchObject({ same: 0, added: 0, removed: 0, moved: 2 });
});
