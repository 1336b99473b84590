/**
 * Lays out one group in layers: from its `FlatGraph` to its `FlatLayout`. The steps, in order.
 *
 * A generator, so that a caller on the main thread can pause between steps; `finish` runs it to its end.
 */

import { snap, snapUp } from "../snap";
import { EdgeFlag, type LayoutOptions } from "../types";
import { attachments } from "./attach";
import { flow } from "./columns";
import { draw } from "./draw";
import { type FlatGraph, type FlatLayout, nodeCount } from "./flat";
import { order } from "./order";
import { place, straightenSpine } from "./place";
import { properGraph } from "./proper";
import { backEdges, ranks } from "./ranks";
import { rows } from "./rows";

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

/** Runs a generator to its end. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
