/**
 * The measurements of a column, computed once for all views, and the graphs of a comparison as subjects of
 * measurements: of one program, and of both.
 */
import type { CostDiff, Ends } from "../costs/cost_diff";
import { otherSide } from "../model/changes";
import type { Row } from "../model/row";
import type { SuperimposedGraph } from "../superimposed/superimposed_graph";
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
    origins: (node) => [{ side, node }],
  };
}

/** In a superimposed graph a node also represents its counterpart. */
export function superimposedSubject({ explorer, union, pair }: SuperimposedGraph): Subject {
  return {
    explorer,
    changes: union.changes,
    side: 1,
    origins: (node) => {
      const own = union.originOf(node);
      if (!own) return [];
      const other = otherSide(own.side);
      const match = pair.changes.of(own.side, own.node);
      const [only, ...more] = match < 0 ? [] : pair.changes.nodes(match, other);
      const isOne = only !== undefined && !more.length && pair.changes.nodes(match, own.side).length === 1;
      return isOne ? [own, { side: other, node: only }] : [own];
    },
  };
}
