/** The position of every box of a scene: each group's layout moved to its box, outer ones first. */

import { Kind, type Scene } from "../types";
import type { Hierarchy } from "./hierarchy";
import type { Placed } from "./quotient";

/** The open groups of one view, each laid out alone. */
export interface Assembly {
  readonly h: Hierarchy;
  /** Children before parents; the root comes last. */
  readonly groups: Int32Array;
  readonly placed: (group: number) => Placed;
  readonly isOpen: Uint8Array;
}

export type Boxes = Pick<Scene, "item" | "rect" | "depth" | "kind" | "members" | "slotOf">;

export function placeBoxes(all: Assembly): Boxes {
  const { h, groups, placed, isOpen } = all;
  let slots = 0;
  for (const g of groups) slots += placed(g).quotient.item.length;
  const item = new Int32Array(slots);
  const rect = new Float64Array(4 * slots);
  const depth = new Uint16Array(slots);
  const kind = new Uint8Array(slots);
  const members = new Int32Array(slots);
  const slotOf = new Int32Array(h.root).fill(-1);
  let next = 0;
  for (let i = groups.length - 1; i >= 0; i--) {
    const g = groups[i]!;
    const { quotient, layout, local } = placed(g);
    const at = g === h.root ? -1 : slotOf[g]!;
    const [x0, y0, level] = at < 0 ? [0, 0, 0] : [rect[4 * at]!, rect[4 * at + 1]!, depth[at]! + 1];
    quotient.item.forEach((it, v) => {
      const slot = next++;
      const w = quotient.flat.width[v]!;
      item[slot] = it;
      rect.set([x0 + layout.x[v]! - w / 2, y0 + layout.y[v]!, w, quotient.flat.height[v]!], 4 * slot);
      depth[slot] = level;
      kind[slot] = isOpen[it] ? Kind.Open : h.tree.isGroup[it] ? Kind.Closed : Kind.Leaf;
      members[slot] = quotient.members[v]!;
      slotOf[it] = slot;
    });
    local.children.forEach((child, k) => {
      if (slotOf[child] === -1) slotOf[child] = slotOf[quotient.item[quotient.nodeOf[k]!]!]!;
    });
  }
  return { item, rect, depth, kind, members, slotOf };
}
