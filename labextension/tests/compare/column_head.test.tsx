// @vitest-environment happy-dom
/** The headers of columns while boxes have the colours of measurements. */
import { expect, test } from "vitest";
import { Columns, Row, StageColumns } from "../../src/compare";
import { MeasurementRuns } from "../../src/compare/measurements/measurement_runs";
import { Head } from "../../src/compare/view/column_head";
import { ColumnsContext } from "../../src/compare/view/context";
import { Explorer } from "../../src/explorer";
import { ExplorerContext } from "../../src/frame/context";
import type { StageRecord, Stages } from "../../src/stages";
import { settled, stage } from "../panels/stage";
import { sevenWide } from "../programs";
import { changesOf } from "./compared";
import { costs } from "./sample";

test("only a column without colours says that it was not measured", async () => {
  const [first, second] = [changesOf(), changesOf()];
  const explorers = [...first.snapshots, second.snapshots[1]].map(
    (snapshot) => new Explorer(snapshot, sevenWide, { width: 300, height: 300 }),
  );
  const columns = new Columns(new Row(explorers, [first, second]), { paint: "costs", at: 0 });
  const measured = [
    new MeasurementRuns(first, { known: async () => ({ costs }), values: "" }),
    new MeasurementRuns(second, { known: async () => ({}), values: "" }),
  ];
  const place = stage();
  const says = async (): Promise<string[]> => {
    await settled();
    return [...place.root.querySelectorAll(".exirviz-since")].map(({ textContent }) => textContent ?? "");
  };
  place.show(
    <ColumnsContext.Provider value={{ columns, measured, isDark: false }}>
      {explorers.map((explorer, column) => (
        <ExplorerContext.Provider key={column} value={explorer}>
          <Head column={column} mount="m" />
        </ExplorerContext.Provider>
      ))}
    </ColumnsContext.Provider>,
  );
  const isShown = [false, false, true];
  expect((await says()).map((text) => text.includes("costs not measured"))).toEqual(isShown);
  columns.store.set({ paint: "changes" });
  expect((await says()).join()).not.toContain("not measured");
  columns.dispose();
});

test("a column says at once that its stage was deleted", async () => {
  const changes = changesOf();
  const explorers = changes.snapshots.map(
    (snapshot) => new Explorer(snapshot, sevenWide, { width: 300, height: 300 }),
  );
  const notified: (() => void)[] = [];
  const there = new Set(["one", "two"]);
  const source = {
    state: {},
    subscribe: (listener: () => void) => {
      notified.push(listener);
      return () => undefined;
    },
  };
  const record = (id: string) => (there.has(id) ? ({ id, name: id } as StageRecord) : undefined);
  const stages = { source, record, tree: { stages: [] } } as unknown as Stages;
  const stageColumns = new StageColumns(["one", "two"], stages, () => undefined);
  const columns = new Columns(new Row(explorers, [changes]), { at: 0 }, stageColumns);
  const place = stage();
  place.show(
    <ColumnsContext.Provider value={{ columns, measured: [], isDark: false }}>
      {explorers.map((explorer, column) => (
        <ExplorerContext.Provider key={column} value={explorer}>
          <Head column={column} mount="m" />
        </ExplorerContext.Provider>
      ))}
    </ColumnsContext.Provider>,
  );
  const says = async (): Promise<boolean[]> => {
    await settled();
    return [...place.root.querySelectorAll(".exirviz-pane-head")].map(
      ({ textContent }) => textContent?.includes("deleted") ?? false,
    );
  };
  expect(await says()).toEqual([false, false]);
  there.delete("one");
  source.state = {};
  for (const listener of notified) listener();
  expect(await says()).toEqual([true, false]);
  columns.dispose();
});
