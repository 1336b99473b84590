/** With what the pictures of a comparison are painted: what changed, or what was measured, as far as it was. */
import type { Above, Paint } from "../canvas/look";
import type { Theme } from "../canvas/theme";
import type { CanvasView } from "../canvas/view";
import type { Columns } from "./columns";
import { costPaint, marksOf, valuePaint, withMarks } from "./gauge";
import type { Measuring, MeasuringState } from "./measuring";
import { withNext } from "./next";
import { changePaint, signPrimitives } from "./signs";
import type { PairPaint } from "./state";

export interface Shown {
  readonly columns: Columns;
  readonly views: readonly CanvasView[];
  /** Of each pair. */
  readonly measured: readonly Measuring[];
}

/** `onPaint`: a picture is being painted. */
export function color(shown: Shown, theme: Theme, onPaint: () => void): void {
  const { columns, views } = shown;
  const { row } = columns;
  views.forEach((view, column) => {
    view.theme = theme;
    view.boxPaint = paintOf(shown, column, theme);
    const { values } = measuredOf(shown, column);
    const isTold = (): boolean => paintAt(shown, column) === "changes";
    const signs: Above = (look, camera, screen) => {
      onPaint();
      const tally = isTold() ? row.tally(column) : undefined;
      return signPrimitives(tally, columns.lit(column), look, camera, screen);
    };
    const above = withNext(signs, () => (isTold() ? row.nextTally(column) : undefined));
    view.above = values ? withMarks(above, marksOf(values, row.toldOf(column).side)) : above;
  });
}

function measuredOf({ columns, measured }: Shown, column: number): Partial<MeasuringState> {
  return measured[columns.row.toldOf(column).pair.at]?.store.state ?? {};
}

/** What is chosen, as far as it was measured; else what changed. */
function paintAt(shown: Shown, column: number): PairPaint {
  const { values, costs } = measuredOf(shown, column);
  const { paint } = shown.columns.state;
  return (paint === "values" && values) || (paint === "costs" && costs) ? paint : "changes";
}

function paintOf(shown: Shown, column: number, theme: Theme): Paint {
  const { row } = shown.columns;
  const { pair, side } = row.toldOf(column);
  const { values, costs } = measuredOf(shown, column);
  const paint = paintAt(shown, column);
  if (paint === "values" && values) return valuePaint(values, side, row.explorer(column), theme);
  if (paint === "costs" && costs) return costPaint(costs, pair, side, theme);
  return changePaint(
    () => row.tally(column),
    theme,
    () => row.explorer(column).state.scene,
  );
}
