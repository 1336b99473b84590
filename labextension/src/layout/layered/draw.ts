/** Draws a group's plan: its lines, its strokes and its size, in the coordinates of its box. */

import { Path } from "../path";
import { snap, snapUp } from "../snap";
import { EdgeFlag } from "../types";
import { type FlatLayout, nodeCount, portEdges } from "./flat";
import { nodeTop, nodeX, type Plan, passed, routeEdge, strokeOf } from "./route";

export function draw(plan: Plan, pad: number): FlatLayout {
  const { g, columns, flags } = plan;
  const n = nodeCount(g);
  const aside = new Int32Array(g.edgeTo.length);
  let asides = 0;
  for (let e = 0; e < aside.length; e++) if (flags[e]! & EdgeFlag.Aside) aside[e] = asides++;
  const lines = collect(aside.length, (e, path) => routeEdge(plan, e, path, aside[e]!));
  const strokes = strokeLines(plan, aside);
  const content = columns.right + pad + (asides ? (asides + 1) * plan.laneGap : 0);
  const width = snapUp(Math.max(content, g.minWidth));
  const centre = snap((width - content) / 2);
  for (const points of [lines.points, strokes.points])
    for (let i = 0; i < points.length; i += 2) points[i]! += centre;
  return {
    width,
    height: plan.height,
    x: Float64Array.from({ length: n }, (_, v) => nodeX(plan, v) + centre),
    y: Float64Array.from({ length: n }, (_, v) => nodeTop(plan, v)),
    pointStart: lines.start,
    points: lines.points,
    flags,
    strokeStart: strokes.start,
    strokePoints: strokes.points,
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

/** An outlet's edges from the nearest to the farthest, each from where the previous one turned off. */
function strokeLines(plan: Plan, aside: Int32Array) {
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
  return collect(aside.length, (e, path) => strokeOf(plan, e, path, aside[e]!, drawnBefore[e]!));
}
