/**
 * Each visible edge as one line: from its source up through the out ports of open groups, across, and down
 * through in ports to its target. Returns the edge arrays of a `Scene`.
 */

import { IntList } from "../csr";
import { Path } from "../path";
import type { Scene } from "../types";
import type { Assembly, Boxes } from "./boxes";
import { type Piece, Strands } from "./strands";

type Lines = Pick<
  Scene,
  "edgeSource" | "edgeTarget" | "edgeValue" | "edgeCount" | "edgeFlags" | "pointStart" | "points"
>;

export function drawEdges(all: Assembly, { rect, slotOf }: Boxes): Lines {
  const { h, groups, placed, isOpen } = all;
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
