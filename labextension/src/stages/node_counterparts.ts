/**
 * Which node of one stage takes the place of a node of another in the picture.
 *
 * By lineage if it leads from one node to one; among several, to the one with the same op, or the one that is
 * not part of another's result. Nodes without lineage (inputs, items of results) correspond by name if the op
 * is the same. This decides only where boxes are; it claims no ancestry.
 */
import { ITEM, opTitle, type Snapshot } from "../snapshot";
import type { StageMapping } from "./stage_mapping";

export interface NodeRelatives {
  /** By node of the new Snapshot: an ancestor in the old one; -1 if it has none. */
  readonly ancestor: Int32Array;
  /** By node of the old Snapshot: a descendant in the new one; -1 if it has none. */
  readonly descendant: Int32Array;
}

interface NodeCounterparts extends NodeRelatives {
  /** By node of the new Snapshot: the node of the old one at the same place; -1 if it is new. */
  readonly before: Int32Array;
}

export function nodeCounterparts(from: Snapshot, to: Snapshot, mapping: StageMapping): NodeCounterparts {
  const found = new Int32Array(to.nodeCount).fill(-1);
  const taken = new Uint8Array(from.nodeCount);
  const take = (old: number | undefined, node: number | undefined): void => {
    if (old === undefined || node === undefined || taken[old] || found[node] !== -1) return;
    found[node] = old;
    taken[old] = 1;
  };
  const down = Array.from({ length: from.nodeCount }, (_, old) => mapping.nodes(old));
  const up = reversed(down, to.nodeCount);
  down.forEach((nodes, old) => {
    if (nodes.length === 1 && up[nodes[0] ?? 0]?.length === 1) take(old, nodes[0]);
  });
  const [was, is] = [titles(from), titles(to)];
  const isAlike = (old: number, node: number): boolean => was(old) === is(node);
  const isWhole = (old: number, node: number): boolean => was(old) !== ITEM && is(node) !== ITEM;
  for (const matters of [isAlike, isWhole]) {
    down.forEach((nodes, old) => {
      take(
        old,
        only(nodes, (node) => up[node]?.length === 1 && matters(old, node)),
      );
    });
    up.forEach((olds, node) => {
      take(
        only(olds, (old) => down[old]?.length === 1 && matters(old, node)),
        node,
      );
    });
  }
  for (let node = 0; node < to.nodeCount; node++) {
    const namesake = found[node] === -1 ? from.find(to.id(node)) : undefined;
    if (namesake !== undefined && isAlike(namesake, node)) take(namesake, node);
  }
  const first = (lists: readonly (readonly number[])[]): Int32Array =>
    Int32Array.from(lists, ([node = -1]) => node);
  return { before: found, ancestor: first(up), descendant: first(down) };
}

function reversed(lists: readonly (readonly number[])[], count: number): number[][] {
  const found = Array.from({ length: count }, (): number[] => []);
  lists.forEach((nodes, i) => {
    for (const node of nodes) found[node]?.push(i);
  });
  return found;
}

function only(nodes: readonly number[], holds: (node: number) => boolean): number | undefined {
  const found = nodes.filter(holds);
  return found.length === 1 ? found[0] : undefined;
}

/** The title of a node's op, computed once per op. */
function titles(snapshot: Snapshot): (node: number) => string {
  const known = new Map<number, string>();
  return (node) => {
    const { graph, position } = snapshot.locate(node);
    const op = graph.op(position);
    if (op !== "call_function") return op;
    const number = graph.columns.targets[position] ?? 0;
    const title = known.get(number) ?? opTitle(op, graph.target(position), "");
    known.set(number, title);
    return title;
  };
}
