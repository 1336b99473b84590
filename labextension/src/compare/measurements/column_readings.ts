/**
 * The measurements of a column, computed once for all views.
 */
import type { CostDiff, Ends } from "../costs/cost_diff";
import type { Row } from "../model/row";
import type { ValueDiff } from "../values/value_diff";
import { Readings, type Subject } from "./readings";

const known = new WeakMap<Row, Map<number, Readings>>();

export function columnReadings(
  row: Row,
  column: number,
  values: ValueDiff | undefined,
  costs: CostDiff | undefined,
  ends: Ends,
): Readings {
  const columns = known.get(row) ?? new Map<number, Readings>();
  known.set(row, columns);
  const last = columns.get(column);
  if (last?.isOf(values, costs, ends)) return last;
  const readings = new Readings(columnSubject(row, column), values, costs, ends);
  columns.set(column, readings);
  return readings;
}

/** The subject of a column: the same pair that its colours show. */
export function columnSubject(row: Row, column: number): Subject {
  const { pair, side } = row.colorPair(column);
  return {
    explorer: row.explorer(column),
    changes: pair.changes,
    side,
  };
}
