/**
 * The graph of one open group for the layered engine: numbered boxes of known size, no items, no hierarchy.
 * Two groups with equal `FlatGraph`s share one `FlatLayout`.
 *
 * Nodes 0…boxes-1 are boxes, then `ins` in ports, then `outs` out ports. An edge starts at an outlet and ends
 * at an inlet: an open child has one at a fixed x for each of its ports, all others have one outlet.
 */

import { type Csr, groupBy } from "../csr";

export interface FlatGraph {
  readonly boxes: number;
  readonly ins: number;
  readonly outs: number;
  /** Pixels, of boxes only. */
  readonly width: Float64Array;
  readonly height: Float64Array;
  /** 1 where the box is an open group, whose lines must meet its ports. */
  readonly pinned: Uint8Array;
  /** 1 where the box is a group, open or closed. */
  readonly isGroup: Uint8Array;
  /** Node of each outlet, and its x from the node's middle. */
  readonly outletNode: Int32Array;
  readonly outletDx: Float64Array;
  readonly edgeOutlet: Int32Array;
  readonly edgeTo: Int32Array;
  /** x of the end from the target's middle; 0 where the engine may choose. */
  readonly edgeDx: Float64Array;
  /** The group's own frame: title height above, and the smallest width. */
  readonly header: number;
  readonly minWidth: number;
  /** By box, as in `View`; absent if no box has a previous position. */
  readonly previousX?: Float64Array;
}

/** All positions, in pixels from the top left corner of the group's box. */
export interface FlatLayout {
  readonly width: number;
  readonly height: number;
  /** Middles of boxes and ports in x, their tops in y (in ports on the top border, out ports on the bottom). */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** As in `Scene`: the line of each edge, and its flags. */
  readonly pointStart: Int32Array;
  readonly points: Float64Array;
  readonly flags: Uint8Array;
  /** As in `Strokes`: what only this edge of its outlet draws. */
  readonly strokeStart: Int32Array;
  readonly strokePoints: Float64Array;
  /** The edge that ends in each out port; the edges that leave each in port. */
  readonly intoOut: Int32Array;
  readonly fromIn: Csr;
}

/** `intoOut` and `fromIn` of a layout of g. */
export function portEdges(g: FlatGraph): Pick<FlatLayout, "intoOut" | "fromIn"> {
  const intoOut = new Int32Array(g.outs).fill(-1);
  const port = new Int32Array(g.edgeTo.length);
  for (let e = 0; e < port.length; e++) {
    const out = g.edgeTo[e]! - g.boxes - g.ins;
    if (out >= 0) intoOut[out] = e;
    port[e] = Math.max(-1, g.outletNode[g.edgeOutlet[e]!]! - g.boxes);
  }
  return { intoOut, fromIn: groupBy(g.ins, port) };
}

export const nodeCount = (g: FlatGraph): number => g.boxes + g.ins + g.outs;
export const isIn = (g: FlatGraph, v: number): boolean => v >= g.boxes && v < g.boxes + g.ins;
export const isOut = (g: FlatGraph, v: number): boolean => v >= g.boxes + g.ins;
