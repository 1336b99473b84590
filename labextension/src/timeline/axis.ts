/** The x axis: where each op begins, by its number or by the time before it, and which part is in view. */

export interface Axis {
  /** By op, and one more: where it begins. Ascending. */
  readonly edges: Float64Array;
  /** The visible range, in the axis's own unit. */
  readonly from: number;
  readonly to: number;
  /** Pixels. */
  readonly left: number;
  readonly width: number;
}

/** Every op has the same width. */
export const evenEdges = (count: number): Float64Array =>
  Float64Array.from({ length: count + 1 }, (_, i) => i);

/** Every op is as wide as its time; undefined if nothing is timed. */
export function timeEdges(times: Float64Array): Float64Array | undefined {
  const edges = new Float64Array(times.length + 1);
  times.forEach((time, op) => {
    edges[op + 1] = (edges[op] ?? 0) + (time > 0 ? time : 0);
  });
  return (edges.at(-1) ?? 0) > 0 ? edges : undefined;
}

export const wholeOf = (edges: Float64Array): number => edges.at(-1) ?? 0;

export const xOf = ({ from, to, left, width }: Axis, at: number): number =>
  left + ((at - from) / Math.max(1e-9, to - from)) * width;

export const xOfOp = (axis: Axis, op: number): number => xOf(axis, axis.edges[op] ?? wholeOf(axis.edges));

/** The op at a pixel; beyond both ends the nearest. */
export function opAtX(axis: Axis, x: number): number {
  const { edges, from, to, left, width } = axis;
  const at = from + ((x - left) / Math.max(1, width)) * (to - from);
  return opAtPlace(edges, at);
}

function opAtPlace(edges: Float64Array, at: number): number {
  const count = edges.length - 1;
  let low = 0;
  let high = Math.max(0, count - 1);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The ops in view, both included. */
export function opsInView(axis: Axis): readonly [number, number] {
  return [opAtPlace(axis.edges, axis.from), opAtPlace(axis.edges, axis.to)];
}

/** Zooms around a pixel, within the whole and down to a few ops. */
export function zoomed(axis: Axis, x: number, factor: number): Pick<Axis, "from" | "to"> {
  const whole = wholeOf(axis.edges);
  const least = (whole / Math.max(1, axis.edges.length - 1)) * 4;
  const span = Math.min(whole, Math.max(Math.min(least, whole), (axis.to - axis.from) * factor));
  const part = (x - axis.left) / Math.max(1, axis.width);
  const at = axis.from + part * (axis.to - axis.from);
  return moved(whole, at - part * span, span);
}

/** A range of this length that begins near a position, within the whole. */
export function moved(whole: number, from: number, span: number): Pick<Axis, "from" | "to"> {
  const start = Math.max(0, Math.min(from, whole - span));
  return { from: start, to: start + span };
}

/** Round steps for axis marks, about `most` of them. */
export function ticksOf({ from, to }: Pick<Axis, "from" | "to">, most: number): number[] {
  const rough = (to - from) / Math.max(1, most);
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? 10 * power;
  const ticks: number[] = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) ticks.push(tick);
  return ticks;
}
