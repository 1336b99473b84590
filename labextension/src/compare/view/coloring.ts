/** What the boxes of a comparison are painted with: changes, or measurements if they exist. */

import { type Level, levelOf } from "../../canvas/detail_level";
import { placeOf, slotsIn } from "../../canvas/drawlist";
import type { Above, Look } from "../../canvas/look";
import type { Place } from "../../canvas/op_boxes";
import type { Primitive } from "../../canvas/primitives";
import type { Theme } from "../../canvas/theme";
import type { CanvasView } from "../../canvas/view";
import { visibleWorld } from "../../geometry/camera";
import { Kind, type Scene } from "../../layout";
import type { Columns } from "../columns/columns";
import { endsOf } from "../costs/cost_diff";
import { columnReadings, measurementPaint, paintAs, withReadings } from "../measurements";
import type { MeasurementRuns } from "../measurements/measurement_runs";
import type { Counts } from "../model/schema";
import type { PairPaint } from "../model/state";
import type { Tally } from "../model/tally";
import { colorOf, isChange } from "./change_colors";
import { badge, changePaint, groupKind, outline, partsOf, pill, signPrimitives } from "./change_signs";

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

/**
 * Adds the changes of a column's boxes in the next column, while its colours show changes since the previous
 * one: hollow signs below, and a dashed line around removed boxes. `tallyNow`: the changes in the next column;
 * undefined while changes are hidden.
 */
function withNext(above: Above, tallyNow: () => Tally | undefined): Above {
  return (look, camera, screen) => {
    const { under, over } = above(look, camera, screen);
    const level = levelOf(camera.zoom);
    const tally = tallyNow();
    if (!tally || level === "shapes") return { under, over };
    const { kind, item } = look.scene;
    const lines: Primitive[] = [];
    const signs: Primitive[] = [];
    for (const slot of slotsIn(look, visibleWorld(camera, screen), 1 / camera.zoom)) {
      const of = item[slot] ?? -1;
      if (kind[slot] === Kind.Open || look.stretches?.has(of)) continue;
      const at = placeOf(look, slot, camera);
      if (kind[slot] !== Kind.Leaf) groupNext(look, at, tally.countsAt(look.scene, slot), level, signs);
      else {
        const change = tally.kind(of);
        if (change === "removed") lines.push(outline(at, 6, change, level));
        if (isChange(change)) badge(look, at, change, signs, true);
      }
    }
    return { under: [...lines, ...under], over: [...signs, ...over] };
  };
}

/** Zoomed out, there is no room for counts between two boxes. */
function groupNext(look: Look, at: Place, counts: Counts, level: Level, out: Primitive[]): void {
  const most = groupKind(counts);
  if (!most) return;
  if (level === "full") pill(look, at, partsOf(counts, look.theme), out, colorOf(most), true);
  else badge(look, at, most, out, true);
}
