/**
 * The line of each edge, from the bottom of its source to the top of its target, through its dummies.
 *
 * Points alternate between bands (straight down) and gaps (bends); `rows.ts` says why that keeps lines off
 * boxes. Back edges go around the right side in their own lanes; stubs show only their two ends.
 */

import type { Path } from "../path";
import { snap } from "../snap";
import { EdgeFlag } from "../types";
import type { Columns } from "./columns";
import { type FlatGraph, isIn, isOut } from "./flat";
import type { Proper } from "./proper";

export interface Plan {
  readonly g: FlatGraph;
  readonly p: Proper;
  readonly x: Float64Array;
  /** x of the lower end of each segment. */
  readonly ends: Float64Array;
  readonly columns: Columns;
  /** y of the group's own lower border. */
  readonly height: number;
  readonly flags: Uint8Array;
  readonly laneGap: number;
}

/** Appends the line of edge e; `aside` is the number of back edges before it. */
export function routeEdge(plan: Plan, e: number, path: Path, aside: number): void {
  const { g, flags } = plan;
  const outlet = g.edgeOutlet[e]!;
  const u = g.outletNode[outlet]!;
  path.move(nodeX(plan, u) + g.outletDx[outlet]!, nodeBottom(plan, u));
  if (flags[e]! & EdgeFlag.Aside) roundTheSide(plan, e, path, aside);
  else if (flags[e]! & EdgeFlag.Stub) stub(plan, e, path);
  else {
    path.to(path.x, plan.columns.bottom[plan.p.rank[u]!]!);
    throughDummies(plan, outlet, 0, passed(plan, e), path);
    arrive(plan, e, path);
  }
}

/**
 * Appends what edge e draws, if the first `drawn` dummies of its outlet are drawn already (-1: nothing is).
 */
export function strokeOf(plan: Plan, e: number, path: Path, aside: number, drawn: number): void {
  const { g, p, columns, flags } = plan;
  if (drawn < 0 || flags[e]! & (EdgeFlag.Aside | EdgeFlag.Stub)) {
    routeEdge(plan, e, path, aside);
    return;
  }
  const outlet = g.edgeOutlet[e]!;
  const passes = passed(plan, e);
  const start = Math.min(drawn, passes);
  if (start === 0) {
    const u = g.outletNode[outlet]!;
    path.move(nodeX(plan, u) + g.outletDx[outlet]!, columns.bottom[p.rank[u]!]!);
  } else {
    const d = p.chain[outlet]! + start - 1;
    path.move(nodeX(plan, d), columns.bottom[p.rank[d]!]!);
  }
  throughDummies(plan, outlet, start, passes, path);
  arrive(plan, e, path);
}

/** How many dummies an edge passes; 0 for back edges and stubs. */
export function passed({ g, p }: Plan, e: number): number {
  const s = p.lastSegment[e]!;
  if (s < 0) return 0;
  const before = p.from[s]!;
  return before < p.real ? 0 : before - p.chain[g.edgeOutlet[e]!]! + 1;
}

function throughDummies(plan: Plan, outlet: number, start: number, end: number, path: Path): void {
  const { p, columns } = plan;
  for (let i = start; i < end; i++) {
    const d = p.chain[outlet]! + i;
    bend(plan, p.up.item[p.up.start[d]!]!, path);
    path.to(nodeX(plan, d), columns.bottom[p.rank[d]!]!);
  }
}

function arrive(plan: Plan, e: number, path: Path): void {
  const s = plan.p.lastSegment[e]!;
  bend(plan, s, path);
  path.to(segmentEnd(plan, s), nodeTop(plan, plan.g.edgeTo[e]!));
}

/** From the lower end of a band to the top of the next one; across the gutter at the end of a column. */
function bend(plan: Plan, s: number, path: Path): void {
  const { p, columns } = plan;
  const r = p.rank[p.to[s]!]!;
  const x = segmentEnd(plan, s);
  const lane = columns.lanes.get(s);
  if (lane) {
    path.to(path.x, lane.below);
    path.to(lane.gutter, lane.below);
    path.to(lane.gutter, lane.above);
    path.to(x, lane.above);
  }
  path.to(x, columns.top[r]!);
}

/** Right of everything; its horizontal parts are in the gaps below the source and above the target. */
function roundTheSide(plan: Plan, e: number, path: Path, aside: number): void {
  const { g, p, columns, laneGap } = plan;
  const v = g.edgeTo[e]!;
  const away = 6 + Math.min(10, 2 * aside);
  const below = columns.bottom[p.rank[g.outletNode[g.edgeOutlet[e]!]!]!]! + away;
  const above = columns.top[p.rank[v]!]! - away;
  const lane = columns.right + (aside + 1) * laneGap;
  const end = nodeX(plan, v) + g.edgeDx[e]!;
  path.to(path.x, below);
  path.to(lane, below);
  path.to(lane, above);
  path.to(end, above);
  path.to(end, nodeTop(plan, v));
}

/** Pixels of a stub's two ends. */
const STUB = 12;

function stub(plan: Plan, e: number, path: Path): void {
  const { g } = plan;
  const v = g.edgeTo[e]!;
  const free = v < g.boxes && !g.pinned[v];
  const end = nodeX(plan, v) + (free ? STUB - g.width[v]! / 2 : g.edgeDx[e]!);
  path.to(path.x, path.y + STUB);
  path.lift();
  path.to(end, nodeTop(plan, v) - STUB);
  path.to(end, nodeTop(plan, v));
}

const segmentEnd = (plan: Plan, s: number): number =>
  plan.ends[s]! + plan.columns.shift[plan.columns.of[plan.p.rank[plan.p.to[s]!]!]!]!;

export const nodeX = ({ x, p, columns }: Plan, v: number): number =>
  x[v]! + columns.shift[columns.of[p.rank[v]!]!]!;

/** Boxes are in the middle of their band; ports are on the group's border. */
export function nodeTop(plan: Plan, v: number): number {
  const { g, p, columns, height } = plan;
  if (isIn(g, v)) return 0;
  if (isOut(g, v)) return height;
  const r = p.rank[v]!;
  return snap((columns.top[r]! + columns.bottom[r]! - g.height[v]!) / 2);
}

const nodeBottom = (plan: Plan, v: number): number =>
  nodeTop(plan, v) + (v < plan.g.boxes ? plan.g.height[v]! : 0);
