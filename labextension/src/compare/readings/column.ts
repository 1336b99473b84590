/** What was measured of a column: one for all who ask, so that the picture and what is said of it look once. */
import type { Ends, Expense } from "../expense";
import type { Parting } from "../parting";
import type { Row } from "../row";
import { Readings } from "./readings";
import { columnSubject } from "./subjects";

const known = new WeakMap<Row, Map<number, Readings>>();

export function columnReadings(
  row: Row,
  column: number,
  values: Parting | undefined,
  costs: Expense | undefined,
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
