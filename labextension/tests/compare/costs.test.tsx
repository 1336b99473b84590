// @vitest-environment happy-dom
/** The tab of costs: names that have a line of their own, and what the whole model leaves of one run. */
import { expect, test } from "vitest";
import { Changes, Columns, Row } from "../../src/compare";
import { Measuring } from "../../src/compare/measuring";
import { ColumnsContext } from "../../src/compare/view/context";
import { CostsTab } from "../../src/compare/view/costs";
import { Explorer } from "../../src/explorer";
import { settled, stage } from "../panels/stage";
import { sevenWide } from "../programs";
import { changesOf } from "./compared";
import { costs } from "./sample";

test("a name is whole on a line above its costs, and the whole model says what it is without", async () => {
  const { comparison, snapshots } = changesOf();
  const [named] = comparison.modules ?? [];
  if (!named) throw new Error("The small programs have modules.");
  const changes = new Changes({ ...comparison, modules: [{ ...named, path: "" }, named] }, snapshots);
  const record = {
    ...costs,
    rules: [{ rule: "", matches: 1, before: 0.002, after: 0.001, ratio: 0.5 }],
    modules: [0, 1].map((module) => ({ module, before: 0.009, after: 0.018, ratio: 2 })),
  };
  const explorers = changes.snapshots.map(
    (snapshot) => new Explorer(snapshot, sevenWide, { width: 300, height: 300 }),
  );
  const columns = new Columns(new Row(explorers, [changes]), { at: 0 });
  const measured = [new Measuring(changes, { known: async () => ({ costs: record }), values: "" })];
  const place = stage();
  place.show(
    <ColumnsContext.Provider value={{ columns, measured, isDark: false }}>
      <CostsTab />
    </ColumnsContext.Provider>,
  );
  await settled();
  const rows = [...place.root.querySelectorAll(".exirviz-rule")];
  expect(rows.length).toBe(3);
  for (const row of rows) {
    expect(row.classList).toContain("exirviz-rule-cost");
    expect([...row.children].map(({ className }) => className)).toEqual([
      "exirviz-rule-text",
      "exirviz-cost",
    ]);
  }
  expect(place.text()).toContain("of it in no node, and so in no row below: 1 ms → 2 ms");
  expect(rows.some(({ firstChild }) => firstChild?.textContent === "the whole model")).toBe(true);
  expect(place.text()).toContain("One run takes 1 ms → 2 ms more than the whole model");
  columns.dispose();
});
