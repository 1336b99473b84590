/**
 * Group layouts put together: world positions of all that is seen, and each visible edge as one line, from its
 * source up through the out ports of open groups, across, and down through in ports to its target.
 */

import { IntList } from "./csr";
import type { Hierarchy } from "./hierarchy";
import { Path } from "./path";
import type { Placed } from "./quotient";
import { type Piece, Strands } from "./strands";
import { type Ink, Kind, type Scene } from "./types";

/** Where the boxes are. */
interface Boxes {
  readonly item: Int32Array;
  readonly rect: Float64Array;
  readonly depth: Uint16Array;
  readonly kind: Uint8Array;
  readonly members: Int32Array;
  readonly slotOf: Int32Array;
}

/** `groups` are the open groups, children first; the root comes last. */
export function compose(h: Hierarchy, groups: Int32Array, placed: (group: number) => Placed): Scene {
  const isOpen = new Uint8Array(h.root + 1);
  for (const g of groups) isOpen[g] = 1;
  const boxes = placeBoxes(h, groups, placed, isOpen);
  const top = placed(h.root).layout;
  return {
    width: top.width,
    height: top.height,
    ...boxes,
    ...drawEdges(h, groups, placed, isOpen, boxes),
    ink: drawInk(h, groups, placed, isOpen, boxes),
  };
}

function placeBoxes(
  h: Hierarchy,
  groups: Int32Array,
  placed: (group: number) => Placed,
  isOpen: Uint8Array,
): Boxes {
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
    local.kids.forEach((kid, k) => {
      if (slotOf[kid] === -1) slotOf[kid] = slotOf[quotient.item[quotient.nodeOf[k]!]!]!;
    });
  }
  return { item, rect, depth, kind, members, slotOf };
}

function drawEdges(
  h: Hierarchy,
  groups: Int32Array,
  placed: (group: number) => Placed,
  isOpen: Uint8Array,
  { rect, slotOf }: Boxes,
) {
  const strands = new Strands(placed, isOpen);
  const edgeSource = new IntList();
  const edgeTarget = new IntList();
  const edgeValue = new IntList();
  const edgeCount = new IntList();
  const edgeFlags = new IntList();
  const pointStart = new IntList();
  const path = new Path();
  const append = ({ group, edge }: Piece): number => {
    const { pointStart: at, points, flags } = placed(group).layout;
    const slot = group === h.root ? -1 : slotOf[group]!;
    const [dx, dy] = slot < 0 ? [0, 0] : [rect[4 * slot]!, rect[4 * slot + 1]!];
    path.copy(points, at[edge]!, at[edge + 1]!, dx, dy);
    return flags[edge]!;
  };
  const across = (group: number, edge: number): void => {
    const value = placed(group).quotient.value[edge]!;
    const up = strands.upwards(strands.sourceItem(group, edge), value);
    const first = up[up.length - 1];
    const source = first ? strands.sourceItem(first.group, first.edge) : strands.sourceItem(group, edge);
    strands.downwards(strands.targetItem(group, edge), value, (down, target) => {
      pointStart.push(path.points);
      path.begin();
      let flags = 0;
      for (let i = up.length - 1; i >= 0; i--) flags |= append(up[i]!);
      flags |= append({ group, edge });
      for (const piece of down) flags |= append(piece);
      const last = down[down.length - 1] ?? { group, edge };
      edgeSource.push(slotOf[source]!);
      edgeTarget.push(slotOf[target]!);
      edgeValue.push(value);
      edgeCount.push(placed(last.group).quotient.count[last.edge]!);
      edgeFlags.push(flags);
    });
  };
  for (let i = groups.length - 1; i >= 0; i--) {
    const { flat } = placed(groups[i]!).quotient;
    for (let e = 0; e < flat.edgeTo.length; e++) {
      const inside = flat.edgeTo[e]! < flat.boxes && flat.outletNode[flat.edgeOutlet[e]!]! < flat.boxes;
      if (inside) across(groups[i]!, e);
    }
  }
  pointStart.push(path.points);
  return {
    edgeSource: edgeSource.toArray(),
    edgeTarget: edgeTarget.toArray(),
    edgeValue: edgeValue.toArray(),
    edgeCount: edgeCount.toArray(),
    edgeFlags: Uint8Array.from(edgeFlags.toArray()),
    pointStart: pointStart.toArray(),
    points: path.toArray(),
  };
}

function drawInk(
  h: Hierarchy,
  groups: Int32Array,
  placed: (group: number) => Placed,
  isOpen: Uint8Array,
  { rect, slotOf }: Boxes,
): Ink {
  const value = new IntList();
  const arrives = new IntList();
  const group = new IntList();
  const strokeFlags = new IntList();
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
      path.copy(layout.ink, layout.inkStart[e]!, layout.inkStart[e + 1]!, dx, dy);
      value.push(quotient.value[e]!);
      arrives.push(to < flat.boxes && !isOpen[item[to]!] ? 1 : 0);
      group.push(slot);
      strokeFlags.push(layout.flags[e]!);
    }
  }
  pointStart.push(path.points);
  return {
    value: value.toArray(),
    arrives: Uint8Array.from(arrives.toArray()),
    group: group.toArray(),
    flags: Uint8Array.from(strokeFlags.toArray()),
    pointStart: pointStart.toArray(),
    points: path.toArray(),
  };
}
