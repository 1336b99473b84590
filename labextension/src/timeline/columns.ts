/** Many ops in few pixels: the largest value in each column of pixels. */
import { type Axis, opsInView, xOfOp } from "./axis";

interface Column {
  /** The op with the largest value in this column. */
  readonly op: number;
  readonly value: number;
}

/** By pixel of the axis's width; undefined if no op has a value. Every op in view counts in its columns. */
export function columnsOf(axis: Axis, sizeOf: (op: number) => number): (Column | undefined)[] {
  const columns: (Column | undefined)[] = new Array(Math.max(0, Math.ceil(axis.width)));
  const [first, last] = opsInView(axis);
  for (let op = first; op <= last; op++) {
    const value = sizeOf(op);
    if (!(value >= 0)) continue;
    const [start, end] = [xOfOp(axis, op) - axis.left, xOfOp(axis, op + 1) - axis.left];
    if (end - start < 1e-6) continue;
    const from = Math.max(0, Math.floor(start));
    const to = Math.min(columns.length - 1, Math.max(from, Math.ceil(end) - 1));
    for (let x = from; x <= to; x++) {
      const before = columns[x];
      if (!before || value > before.value) columns[x] = { op, value };
    }
  }
  return columns;
}

/** Neighbouring columns with the same op, as one. */
export function mergedColumns(
  columns: readonly (Column | undefined)[],
): readonly { readonly from: number; readonly to: number; readonly op: number; readonly value: number }[] {
  const merged: { from: number; to: number; op: number; value: number }[] = [];
  columns.forEach((column, x) => {
    if (!column) return;
    const last = merged.at(-1);
    if (last && last.to === x && last.op === column.op) last.to = x + 1;
    else merged.push({ from: x, to: x + 1, ...column });
  });
  return merged;
}

interface Bar {
  readonly span: number;
  readonly x: number;
  readonly width: number;
  /** The number of spans in it: more than one if they are narrower than a pixel. */
  readonly count: number;
}

/** Spans in view as bars; neighbours narrower than a pixel become one. */
export function barsOf(
  axis: Axis,
  { first, last }: { readonly first: readonly number[]; readonly last: readonly number[] },
): Bar[] {
  const bars: { span: number; x: number; width: number; count: number }[] = [];
  const right = axis.left + axis.width;
  for (let span = 0; span < first.length; span++) {
    const start = Math.max(axis.left, xOfOp(axis, first[span] ?? 0));
    const end = Math.min(right, xOfOp(axis, (last[span] ?? 0) + 1));
    if (end <= start) continue;
    const before = bars.at(-1);
    if (before && end - start < 1 && before.width <= 1 && start < before.x + 1) {
      before.width = Math.min(1, end - before.x);
      before.count++;
    } else bars.push({ span, x: start, width: end - start, count: 1 });
  }
  return bars;
}
