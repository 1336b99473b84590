/**
 * One group, alone, in layers: from its `FlatGraph` to its `FlatLayout`. The recipe, in order.
 *
 * A generator, so that a caller on the main thread can pause between steps; `finish` runs it to its end.
 */

import { attachments } from "./attach";
import { flow } from "./columns";
import { backEdges } from "./cycles";
import { type FlatGraph, type FlatLayout, nodeCount, portEdges } from "./flat";
import { order } from "./order";
import { Path } from "./path";
import { place } from "./place";
import { properGraph } from "./proper";
import { ranks } from "./ranks";
import { inkEdge, nodeTop, nodeX, type Plan, passed, routeEdge } from "./route";
import { rows } from "./rows";
import { snap, snapUp } from "./snap";
import { straightenSpine } from "./spine";
import { EdgeFlag, type LayoutOptions } from "./types";

export function* layered(g: FlatGraph, o: LayoutOptions): Generator<void, FlatLayout> {
  const edges = g.edgeTo.length;
  const sources = g.edgeOutlet.map((outlet) => g.outletNode[outlet]!);
  const back = backEdges(nodeCount(g), sources, g.edgeTo);
  const ranked = ranks(g, back);
  const flags = new Uint8Array(edges);
  for (let e = 0; e < edges; e++) {
    const span = ranked.rank[g.edgeTo[e]!]! - ranked.rank[sources[e]!]!;
    flags[e] = back[e] ? EdgeFlag.Aside : span > o.stubSpan ? EdgeFlag.Stub : span > 1 ? EdgeFlag.Long : 0;
  }
  const skip = flags.map((f) => f & (EdgeFlag.Aside | EdgeFlag.Stub));
  const p = properGraph(g, ranked, skip);
  const layers = yield* order(p, o.sweeps);
  const x = yield* place(p, layers, o);
  straightenSpine(g, p, layers, x, o.boxGap);
  for (let v = 0; v < x.length; v++) x[v] = snap(x[v]!);
  const ends = attachments(g, p, x).map(snap);
  const columns = flow({ g, p, x, rows: rows(g, p, x, ends, o.rankGap) }, o, !back.includes(1));
  return draw(
    { g, p, x, ends, columns, height: snapUp(columns.low + o.pad), flags, laneGap: o.laneGap },
    o.pad,
  );
}

function draw(plan: Plan, pad: number): FlatLayout {
  const { g, columns, flags } = plan;
  const n = nodeCount(g);
  const aside = new Int32Array(g.edgeTo.length);
  let asides = 0;
  for (let e = 0; e < aside.length; e++) if (flags[e]! & EdgeFlag.Aside) aside[e] = asides++;
  const lines = collect(aside.length, (e, path) => routeEdge(plan, e, path, aside[e]!));
  const ink = inkLines(plan, aside);
  const content = columns.right + pad + (asides ? (asides + 1) * plan.laneGap : 0);
  const width = snapUp(Math.max(content, g.minWidth));
  const centre = snap((width - content) / 2);
  for (const points of [lines.points, ink.points])
    for (let i = 0; i < points.length; i += 2) points[i]! += centre;
  return {
    width,
    height: plan.height,
    x: Float64Array.from({ length: n }, (_, v) => nodeX(plan, v) + centre),
    y: Float64Array.from({ length: n }, (_, v) => nodeTop(plan, v)),
    pointStart: lines.start,
    points: lines.points,
    flags,
    inkStart: ink.start,
    ink: ink.points,
    ...portEdges(g),
  };
}

function collect(
  count: number,
  line: (e: number, path: Path) => void,
): { start: Int32Array; points: Float64Array } {
  const path = new Path();
  const start = new Int32Array(count + 1);
  for (let e = 0; e < count; e++) {
    start[e] = path.points;
    line(e, path);
  }
  start[count] = path.points;
  return { start, points: path.toArray() };
}

/** An outlet's edges from the nearest to the farthest, each from where the one before it turned off. */
function inkLines(plan: Plan, aside: Int32Array) {
  const { g, flags } = plan;
  const drawn = new Int32Array(g.outletNode.length).fill(-1);
  const drawnBefore = new Int32Array(aside.length);
  const nearFirst = Int32Array.from(aside.keys()).sort((a, b) => passed(plan, a) - passed(plan, b) || a - b);
  for (const e of nearFirst) {
    if (flags[e]! & (EdgeFlag.Aside | EdgeFlag.Stub)) continue;
    const outlet = g.edgeOutlet[e]!;
    drawnBefore[e] = drawn[outlet]!;
    drawn[outlet] = Math.max(drawn[outlet]!, passed(plan, e));
  }
  return collect(aside.length, (e, path) => inkEdge(plan, e, path, aside[e]!, drawnBefore[e]!));
}

/** Runs a generator to its end. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
