/** What the boxes of a comparison are painted with: changes, or measurements if they exist. */
import type { Above } from "../../canvas/look";
import type { Theme } from "../../canvas/theme";
import type { CanvasView } from "../../canvas/view";
import type { Scene } from "../../layout";
import type { Columns } from "../columns/columns";
import { endsOf } from "../costs/cost_diff";
import { columnReadings, measurementPaint, paintAs, withReadings } from "../measurements";
import type { MeasurementRuns } from "../measurements/measurement_runs";
import type { PairPaint } from "../model/state";
import { changePaint, signPrimitives } from "./change_signs";
import { withNext } from "./next_change_signs";

export interface Shown {
  readonly columns: Columns;
  readonly views: readonly CanvasView[];
  /** By pair. */
  readonly measured: readonly MeasurementRuns[];
}

/** `onPaint`: called for each painted graph. */
export function color(shown: Shown, theme: Theme, onPaint: () => void): void {
  const { columns, views, measured } = shown;
  const { row } = columns;
  const paint = paintOf(shown);
  const ends = endsOf(measured.map(({ store }) => store.state.costs));
  views.forEach((view, column) => {
    const { values, costs } = measured[row.colorPair(column).pair.at]?.store.state ?? {};
    const readings = columnReadings(row, column, values, costs, ends);
    const signs: Above = (look, camera, screen) => {
      onPaint();
      const tally = paint === "changes" ? row.tally(column) : undefined;
      return signPrimitives(tally, columns.highlighted(column), look, camera, screen);
    };
    const above = withNext(signs, () => (paint === "changes" ? row.nextTally(column) : undefined));
    view.theme = theme;
    const scene = (): Scene => row.explorer(column).state.scene;
    view.boxPaint =
      paint === "changes"
        ? changePaint(() => row.tally(column), theme, scene)
        : measurementPaint(readings, scene, paint, theme);
    view.isCompared = true;
    view.above = withReadings(above, readings, paint);
  });
}

/** One for all columns: the chosen mode if the current pair was measured; else changes. */
const paintOf = ({ columns, measured }: Shown): PairPaint =>
  paintAs(columns.state.paint, measured[columns.state.at]?.store.state ?? {});
