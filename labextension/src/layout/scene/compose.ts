/** Combines group layouts: the world positions of everything visible. */

import { IntList } from "../csr";
import { Path } from "../path";
import type { Scene, Strokes } from "../types";
import { type Assembly, type Boxes, placeBoxes } from "./boxes";
import type { Hierarchy } from "./hierarchy";
import { drawEdges } from "./lines";
import type { Placed } from "./quotient";

/** `groups` are the open groups, children first; the root comes last. */
export function compose(h: Hierarchy, groups: Int32Array, placed: (group: number) => Placed): Scene {
  const isOpen = new Uint8Array(h.root + 1);
  for (const g of groups) isOpen[g] = 1;
  const all = { h, groups, placed, isOpen };
  const boxes = placeBoxes(all);
  const { width, height } = placed(h.root).layout;
  return { width, height, ...boxes, ...drawEdges(all, boxes), strokes: drawStrokes(all, boxes) };
}

/** The strokes of each group, moved to its position. */
function drawStrokes(all: Assembly, { rect, slotOf }: Boxes): Strokes {
  const { h, groups, placed, isOpen } = all;
  const value = new IntList();
  const arrives = new IntList();
  const group = new IntList();
  const flags = new IntList();
  const pointStart = new IntList();
  const path = new Path();
  for (let i = groups.length - 1; i >= 0; i--) {
    const g = groups[i]!;
    const { quotient, layout } = placed(g);
    const { flat, item } = quotient;
    const slot = g === h.root ? -1 : slotOf[g]!;
    const [dx, dy] = slot < 0 ? [0, 0] : [rect[4 * slot]!, rect[4 * slot + 1]!];
    for (let e = 0; e < flat.edgeTo.length; e++) {
      const to = flat.edgeTo[e]!;
      pointStart.push(path.points);
      path.begin();
      path.copy(layout.strokePoints, layout.strokeStart[e]!, layout.strokeStart[e + 1]!, dx, dy);
      value.push(quotient.value[e]!);
      arrives.push(to < flat.boxes && !isOpen[item[to]!] ? 1 : 0);
      group.push(slot);
      flags.push(layout.flags[e]!);
    }
  }
  pointStart.push(path.points);
  return {
    value: value.toArray(),
    arrives: Uint8Array.from(arrives.toArray()),
    group: group.toArray(),
    flags: Uint8Array.from(flags.toArray()),
    pointStart: pointStart.toArray(),
    points: path.toArray(),
  };
}
