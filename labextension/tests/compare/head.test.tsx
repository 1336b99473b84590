// @vitest-environment happy-dom
/** What the heads of columns say while boxes have the colours of what was measured. */
import { expect, test } from "vitest";
import { Columns, Row } from "../../src/compare";
import { Measuring } from "../../src/compare/measuring";
import { ColumnsContext } from "../../src/compare/view/context";
import { Head } from "../../src/compare/view/head";
import { Explorer } from "../../src/explorer";
import { ExplorerContext } from "../../src/frame/context";
import { settled, stage } from "../panels/stage";
import { sevenWide } from "../programs";
import { changesOf } from "./compared";
import { costs } from "./sample";

test("a column that has no colours because nothing was measured of it says so, and no other", async () => {
  const [first, second] = [changesOf(), changesOf()];
  const explorers = [...first.snapshots, second.snapshots[1]].map(
    (snapshot) => new Explorer(snapshot, sevenWide, { width: 300, height: 300 }),
  );
  const columns = new Columns(new Row(explorers, [first, second]), { paint: "costs", at: 0 });
  const measured = [
    new Measuring(first, { known: async () => ({ costs }), values: "" }),
    new Measuring(second, { known: async () => ({}), values: "" }),
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
  const isSaid = [false, false, true];
  expect((await says()).map((text) => text.includes("costs not measured"))).toEqual(isSaid);
  columns.store.set({ paint: "changes" });
  expect((await says()).join()).not.toContain("not measured");
  columns.dispose();
});
