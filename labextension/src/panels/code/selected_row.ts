/** The rows of a selection in the program's text. Pure. */
import { NONE } from "../../snapshot";
import { nodesOf, type Selection } from "../../ui/actions";
import { RowKind, type Rows } from "./rows";

/** The row of the selection: its first node, or the heading of its module or graph. */
export function rowOf(rows: Rows, selection: Selection): number {
  if (selection.kind === "module") return rows.headingOf(RowKind.Module, selection.scope);
  if (selection.kind === "graph") return rows.headingOf(RowKind.Graph, selection.graph);
  const [first] = nodesOf(selection);
  return first === undefined ? NONE : rows.rowOf(first);
}

/** The index of a row among the visible ones, which are in order. */
export function placeOf(shown: Int32Array, row: number): number | undefined {
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shown[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return shown[low] === row ? low : undefined;
}
