/** The graphs of a comparison as subjects of measurements: of one program, and of both. */
import { otherSide } from "../model/changes";
import type { Row } from "../model/row";
import type { SuperimposedGraph } from "../superimposed/superimposed_graph";
import type { Subject } from "./readings";

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
