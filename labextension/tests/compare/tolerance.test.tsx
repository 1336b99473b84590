// @vitest-environment happy-dom
/** The tab of values shows the tolerance, and the wider one of dtypes that round more. */
import { expect, test } from "vitest";
import { Columns, Row } from "../../src/compare";
import { MeasurementRuns } from "../../src/compare/measurements/measurement_runs";
import { ColumnsContext } from "../../src/compare/view/context";
import { ValuesTab } from "../../src/compare/view/values_tab";
import { Explorer } from "../../src/explorer";
import { settled, stage } from "../panels/stage";
import { sevenWide } from "../programs";
import { changes, values } from "./sample";

test.each([
  [undefined, "max |a|"],
  [[["bfloat16", 0.0156]] as const, "max |a|; 0.0156 × for values computed in bfloat16"],
])("with coarse dtypes %o", async (coarse, evidenceText) => {
  const explorers = changes.snapshots.map(
    (snapshot) => new Explorer(snapshot, sevenWide, { width: 300, height: 300 }),
  );
  const columns = new Columns(new Row(explorers, [changes]), { at: 0 });
  const record = coarse ? { ...values, coarse } : values;
  const measured = [new MeasurementRuns(changes, { known: async () => ({ values: record }), values: "" })];
  const place = stage();
  place.show(
    <ColumnsContext.Provider value={{ columns, measured, isDark: false }}>
      <ValuesTab />
    </ColumnsContext.Provider>,
  );
  await settled();
  expect(place.text()).toContain(evidenceText);
  columns.dispose();
});
