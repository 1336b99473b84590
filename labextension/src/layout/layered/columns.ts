/**
 * Newspaper columns: the ranks of a tall group split into columns of similar height, where few lines are cut.
 *
 * A cut line continues below its column, up the gutter in its own lane, and down into the next column. Lanes
 * are nested so that cut lines do not cross. One column is the common case and costs nothing.
 */

import { snap } from "../snap";
import type { LayoutOptions } from "../types";
import type { FlatGraph } from "./flat";
import type { Proper } from "./proper";
import type { Rows } from "./rows";

/** The path of a cut line: its y below the column, x in the gutter, y above the next column. */
interface Lane {
  readonly below: number;
  readonly gutter: number;
  readonly above: number;
}

export interface Columns {
  /** The column of each rank, and the x offset of its column. */
  readonly of: Int32Array;
  readonly shift: Float64Array;
  readonly top: Float64Array;
  readonly bottom: Float64Array;
  /** The lane of each cut segment. */
  readonly lanes: ReadonlyMap<number, Lane>;
  /** x of the right end of the content, y of its lower end. */
  readonly right: number;
  readonly low: number;
}

interface Laid {
  readonly g: FlatGraph;
  readonly p: Proper;
  readonly x: Float64Array;
  readonly rows: Rows;
}

export function flow(laid: Laid, o: LayoutOptions, mayFold: boolean): Columns {
  const { g, p, x, rows } = laid;
  const starts = [0, ...(mayFold ? breaks(laid, o) : [])];
  const of = new Int32Array(p.ranks);
  starts.forEach((start, c) => {
    of.fill(c, start);
  });
  const folded = starts.length > 1;
  const outRank = g.outs && folded ? p.ranks - 1 : p.ranks;
  const left = new Float64Array(starts.length).fill(Number.POSITIVE_INFINITY);
  const right = new Float64Array(starts.length).fill(Number.NEGATIVE_INFINITY);
  for (let v = 0; v < p.nodes; v++) {
    if (p.rank[v] === outRank) continue;
    const c = of[p.rank[v]!]!;
    left[c] = Math.min(left[c]!, x[v]! - p.width[v]! / 2);
    right[c] = Math.max(right[c]!, x[v]! + p.width[v]! / 2);
  }
  const wires = starts.map((start) => (start ? cutWires(p, x, start - 1) : []));
  const most = Math.max(...wires.map((w) => w.length));
  const top = rows.top.slice();
  const bottom = rows.bottom.slice();
  const shift = new Float64Array(starts.length);
  const lanes = new Map<number, Lane>();
  const headroom = folded ? (most + 1) * o.laneGap : 0;
  let edge = o.pad;
  let low = 0;
  starts.forEach((start, c) => {
    const end = starts[c + 1] ?? outRank;
    const rise = (start === 0 ? 0 : rows.top[start]! - g.header) - headroom;
    for (let r = start; r < end; r++) {
      if (r === 0 && g.ins) continue;
      top[r]! -= rise;
      bottom[r]! -= rise;
    }
    const cut = wires[c]!;
    const gutter = snap(edge + (c ? o.gutter / 2 : 0));
    const foot = start ? bottom[start - 1]! : 0;
    cut.forEach((segments, i) => {
      const lane = {
        below: foot + (i + 1) * o.laneGap,
        gutter: gutter + i * o.laneGap,
        above: g.header + (i + 0.5) * o.laneGap,
      };
      for (const s of segments) lanes.set(s, lane);
    });
    if (c) edge = gutter + Math.max(0, cut.length - 1) * o.laneGap + o.gutter / 2;
    shift[c] = snap(edge - left[c]!);
    edge = shift[c]! + right[c]!;
    const next = wires[c + 1]?.length ?? 0;
    low = Math.max(low, bottom[end - 1]! + (next ? (next + 1) * o.laneGap : 0));
  });
  const columns = { of, shift, top, bottom, lanes, right: edge, low };
  return outRank < p.ranks ? returnBelow(laid, columns, o.laneGap, outRank) : columns;
}

/** Lines that leave a split group return below its columns and leave at the first column. */
function returnBelow({ p, x }: Laid, columns: Columns, laneGap: number, rank: number): Columns {
  const { of, shift, top, bottom } = columns;
  const lanes = new Map(columns.lanes);
  const wires = cutWires(p, x, rank - 1).reverse();
  of[rank] = 0;
  wires.forEach((segments, i) => {
    const y = columns.low + (i + 1) * laneGap;
    for (const s of segments) lanes.set(s, { below: y, gutter: x[p.to[s]!]! + shift[0]!, above: y });
  });
  const low = columns.low + (wires.length + 1) * laneGap;
  top[rank] = low;
  bottom[rank] = low;
  return { ...columns, lanes, low };
}

/** The segments that leave rank r, grouped by line, from the rightmost line to the leftmost. */
function cutWires(p: Proper, x: Float64Array, r: number): number[][] {
  const wires = new Map<string, { at: number; segments: number[] }>();
  for (let s = 0; s < p.from.length; s++) {
    const u = p.from[s]!;
    if (p.rank[u] !== r) continue;
    const key = `${u} ${p.fromDx[s]}`;
    const wire = wires.get(key);
    if (wire) wire.segments.push(s);
    else wires.set(key, { at: x[u]! + p.fromDx[s]!, segments: [s] });
  }
  return [...wires.values()].sort((a, b) => b.at - a.at).map((w) => w.segments);
}

/** The first rank of each further column; none if the group is not tall. */
function breaks({ g, p, x, rows }: Laid, o: LayoutOptions): number[] {
  const first = g.ins ? 1 : 0;
  const end = g.outs ? p.ranks - 1 : p.ranks;
  if (end - first < 4) return [];
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (let v = 0; v < p.nodes; v++) {
    left = Math.min(left, x[v]!);
    right = Math.max(right, x[v]!);
  }
  for (let v = 0; v < g.boxes; v++) {
    left = Math.min(left, x[v]! - g.width[v]! / 2);
    right = Math.max(right, x[v]! + g.width[v]! / 2);
  }
  const height = rows.bottom[end - 1]! - rows.top[first]!;
  const width = right - left + o.gutter;
  if (height <= o.foldHeight || height <= o.maxAspect * width) return [];
  const likely = Math.min(Math.round(Math.sqrt(height / width)), Math.ceil(height / (o.foldHeight / 2)));
  const wires = new Int32Array(p.ranks);
  for (let v = 0; v < p.nodes; v++) if (p.down.start[v] !== p.down.start[v + 1]) wires[p.rank[v]!]!++;
  const span = { first, end, height, wires, rows };
  let best: number[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (let columns = Math.max(2, likely - SPREAD); columns <= likely + SPREAD; columns++) {
    const { found, tallest } = cut(span, columns);
    if (tallest > WORTH_IT * height) continue;
    const cost = (tallest * columns) / height + UNLIKELY * Math.abs(Math.log(columns / likely));
    if (cost >= least) continue;
    least = cost;
    best = found;
  }
  return best;
}

interface Span {
  readonly first: number;
  readonly end: number;
  readonly height: number;
  /** How many lines leave each rank. */
  readonly wires: Int32Array;
  readonly rows: Rows;
}

/** The first rank of each further column, near to equal heights; and the height of the tallest. */
function cut({ first, end, height, wires, rows }: Span, columns: number) {
  const found: number[] = [];
  for (let c = 1; c < columns; c++) {
    const ideal = rows.top[first]! + (height * c) / columns;
    const slack = height / columns / 4;
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let r = (found[found.length - 1] ?? first) + 1; r < end; r++) {
      const off = Math.abs(rows.top[r]! - ideal);
      const cost = off / slack + wires[r - 1]!;
      // Positions farther down are more expensive.
      if (off / slack > least && rows.top[r]! > ideal) break;
      if (cost < least) {
        least = cost;
        best = r;
      }
    }
    if (best > 0) found.push(best);
  }
  const edges = [first, ...found];
  const tallest = Math.max(
    rows.bottom[end - 1]! - rows.top[edges[edges.length - 1]!]!,
    ...found.map((next, i) => rows.top[next]! - rows.top[edges[i]!]!),
  );
  return { found, tallest };
}

/** Also tries this many columns more or fewer: similar heights matter more than the shape of the whole. */
const SPREAD = 2;
const UNLIKELY = 0.2;
/** Columns are not worth their cut lines if one is still taller than this share of the whole. */
const WORTH_IT = 0.7;
