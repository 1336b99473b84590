/** A panel about the selection in columns, in its own container. Needs a DOM. */
import type { ComponentChild } from "preact";
import type { Columns } from "../../src/compare";
import { MeasurementRuns } from "../../src/compare/measurements/measurement_runs";
import { ColumnsContext } from "../../src/compare/view/context";
import { Selected } from "../../src/compare/view/selection_panel";
import { type Stage, stage } from "../panels/stage";

export function telling(columns: Columns, what: ComponentChild = <Selected />): Stage {
  const place = stage();
  const measured = [new MeasurementRuns(columns.changes, { known: async () => ({}), values: "" })];
  place.show(
    <ColumnsContext.Provider value={{ columns, measured, isDark: false }}>{what}</ColumnsContext.Provider>,
  );
  return place;
}
