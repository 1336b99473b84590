// @vitest-environment happy-dom
/** The tab of costs: names on lines of their own, and why the whole model is less than one run. */
import type { JSX } from "preact";
import { expect, test } from "vitest";
import { Changes, Columns, Row } from "../../src/compare";
import { CostDiff } from "../../src/compare/costs/cost_diff";
import { MeasurementRuns } from "../../src/compare/measurements/measurement_runs";
import { PaintLegend, useEnds, usePaint } from "../../src/compare/view/color_choice";
import { ColumnsContext } from "../../src/compare/view/context";
import { CostsTab } from "../../src/compare/view/costs_tab";
import { Explorer } from "../../src/explorer";
import { settled, stage } from "../panels/stage";
import { sevenWide } from "../programs";
import { changesOf } from "./compared";
import { costs } from "./sample";
import { columnsOf } from "./shown";

test("a name is whole on a line above its costs, and the whole model says what it excludes", async () => {
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
  const measured = [new MeasurementRuns(changes, { known: async () => ({ costs: record }), values: "" })];
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
  expect(place.text()).toContain("overhead outside ops: 1 ms → 2 ms");
  expect(rows.some(({ firstChild }) => firstChild?.textContent === "the whole model")).toBe(true);
  expect(place.text()).toContain("One run takes 1 ms → 2 ms more than all modules");
  columns.dispose();
});

test("the legend ends with the largest change of all columns, whichever pair is current", async () => {
  const [first, second] = [changesOf(), changesOf()];
  const explorers = [...first.snapshots, second.snapshots[1]].map(
    (snapshot) => new Explorer(snapshot, sevenWide, { width: 300, height: 300 }),
  );
  const columns = new Columns(new Row(explorers, [first, second]), { at: 0 });
  const dearer = { ...costs, matches: [{ match: 0, before: 0.01, after: 0.05 }], modules: [] };
  const measured = [
    new MeasurementRuns(first, { known: async () => ({ costs }), values: "" }),
    new MeasurementRuns(second, { known: async () => ({ costs: dearer }), values: "" }),
  ];
  const place = stage();
  place.show(
    <ColumnsContext.Provider value={{ columns, measured, isDark: false }}>
      <PaintLegend paint="costs" />
    </ColumnsContext.Provider>,
  );
  for (const at of [0, 1]) {
    columns.showPair(at);
    await settled();
    expect(place.text()).toContain("slower by up to 40 ms an op, 10 ms a module");
    expect(place.text()).toContain("same scale for all columns");
  }
  columns.dispose();
});

test("modules beyond noise have a colour, even if no single change is", async () => {
  const { matches, modules = [] } = costs;
  const quiet = { ...costs, matches: matches.map((each) => ({ ...each, noise: true })) };
  const noise = modules.map((each) => ({ ...each, noise: true }));
  for (const [record, says] of [
    [quiet, "Colored: changes beyond noise"],
    [{ ...quiet, modules: noise }, "No change exceeds noise"],
  ] as const) {
    const changes = changesOf();
    const columns = columnsOf(undefined, changes);
    const measured = [new MeasurementRuns(changes, { known: async () => ({ costs: record }), values: "" })];
    const place = stage();
    place.show(
      <ColumnsContext.Provider value={{ columns, measured, isDark: false }}>
        <CostsTab />
        <PaintLegend paint="costs" />
      </ColumnsContext.Provider>,
    );
    await settled();
    expect(place.text()).toContain(says);
    expect(place.text().includes("no cost change exceeds noise")).toBe(record !== quiet);
  }
});

test("colours are not redrawn while a measurement runs, only at its end", async () => {
  const changes = changesOf();
  const columns = columnsOf(undefined, changes);
  const measuring = new MeasurementRuns(changes, { known: async () => ({}), values: "" });
  let drawn = 0;
  const Coloured = (): JSX.Element => {
    drawn++;
    return (
      <>
        {usePaint()} {useEnds().op}
      </>
    );
  };
  const place = stage();
  place.show(
    <ColumnsContext.Provider value={{ columns, measured: [measuring], isDark: false }}>
      <Coloured />
    </ColumnsContext.Provider>,
  );
  await settled();
  const before = drawn;
  for (const seconds of [1, 2, 3]) {
    measuring.store.set({ running: "costs", progress: { stage: "", title: "", text: "", seconds } });
    await settled();
  }
  expect(drawn).toBe(before);
  measuring.store.set({ costs: new CostDiff(costs) });
  await settled();
  expect(drawn).toBeGreaterThan(before);
  expect(place.text()).toContain(`${new CostDiff(costs).ends.op}`);
});
