/** The nodes that stay bright while others are dimmed: those connected to the selection. */
import type { Picture } from "../picture";
import type { Focus } from "../store";
import { ancestors, between, descendants } from "./reachability";

/** Node numbers. Selected nodes outside the first one's graph are ignored. */
export function focusNodes(picture: Picture, selected: readonly number[], focus: Focus): Set<number> {
  const groups = selected.map((item) => nodesOf(picture, item)).filter((nodes) => nodes.length > 0);
  const first = groups[0]?.[0];
  if (first === undefined) return new Set();
  const { graph } = picture.snapshot.locate(first);
  const inGraph = (nodes: readonly number[]): number[] =>
    nodes.map((node) => node - graph.base).filter((position) => position >= 0 && position < graph.count);
  const start = groups.flatMap(inGraph);
  const found =
    focus.direction === "between"
      ? between(graph, inGraph(groups[0] ?? []), inGraph(groups[groups.length - 1] ?? []))
      : new Set([
          ...(focus.direction === "descendants" ? [] : ancestors(graph, start, focus.steps)),
          ...(focus.direction === "ancestors" ? [] : descendants(graph, start, focus.steps)),
        ]);
  return new Set([...found].map((position) => graph.base + position));
}

/** The nodes of an item: for a group all that it contains. */
export function nodesOf(picture: Picture, item: number): number[] {
  const own = picture.nodeOf(item);
  if (!picture.isGroup(item)) return own < 0 ? [] : [own];
  const inside = Array.from(picture.leavesOf(item), (leaf) => picture.nodeOf(leaf));
  return own < 0 ? inside : [own, ...inside.filter((node) => node !== own)];
}

/** By slot: 1 if it shows or contains one of the nodes. */
export function slotsOf(
  picture: Picture,
  slotOf: Int32Array,
  slots: number,
  nodes: Iterable<number>,
): Uint8Array {
  const marks = new Uint8Array(slots);
  for (const node of nodes) {
    let item = picture.boxOf(node);
    while (item !== -1) {
      const slot = slotOf[item] ?? -1;
      if (slot >= 0) {
        if (marks[slot]) break;
        marks[slot] = 1;
      }
      item = picture.parentOf(item);
    }
  }
  return marks;
}
