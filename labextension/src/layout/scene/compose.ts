/** Combines group layouts: the world positions of everything visible. */

import type { Scene } from "../types";
import { placeBoxes } from "./boxes";
import type { Hierarchy } from "./hierarchy";
import { drawEdges } from "./lines";
import type { Placed } from "./quotient";
import { drawInk } from "./strokes";

/** `groups` are the open groups, children first; the root comes last. */
export function compose(h: Hierarchy, groups: Int32Array, placed: (group: number) => Placed): Scene {
  const isOpen = new Uint8Array(h.root + 1);
  for (const g of groups) isOpen[g] = 1;
  const all = { h, groups, placed, isOpen };
  const boxes = placeBoxes(all);
  const { width, height } = placed(h.root).layout;
  return { width, height, ...boxes, ...drawEdges(all, boxes), ink: drawInk(all, boxes) };
}
