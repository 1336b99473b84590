/** The nodes that stay bright while others are dimmed: those connected to the selection. */
import type { Picture } from "../picture";
import type { Graph } from "../snapshot";
import type { Focus } from "../store";

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

type Step = (position: number) => Int32Array;

/** Positions within `steps` of the start, including it. */
function reached(start: readonly number[], step: Step, steps: number): Set<number> {
  const found = new Set(start);
  let front = [...start];
  for (let distance = 0; distance < steps && front.length; distance++) {
    const next: number[] = [];
    for (const position of front) {
      for (const other of step(position)) {
        if (found.has(other)) continue;
        found.add(other);
        next.push(other);
      }
    }
    front = next;
  }
  return found;
}

const ancestors = (graph: Graph, start: readonly number[], steps: number): Set<number> =>
  reached(start, (position) => graph.inputsOf(position), steps);

const descendants = (graph: Graph, start: readonly number[], steps: number): Set<number> =>
  reached(start, (position) => graph.usersOf(position), steps);

/** Every node on a path from one set to the other, in either direction. */
function between(graph: Graph, a: readonly number[], b: readonly number[]): Set<number> {
  const all = Number.POSITIVE_INFINITY;
  const forward = common(descendants(graph, a, all), ancestors(graph, b, all));
  return forward.size ? forward : common(descendants(graph, b, all), ancestors(graph, a, all));
}

const common = (a: ReadonlySet<number>, b: ReadonlySet<number>): Set<number> =>
  new Set([...a].filter((each) => b.has(each)));
