/**
 * The bones of a picture: which items there are, what holds what, who feeds whom, which groups are equal. No text
 * and no size. Made once per graph and folding.
 */
import { type Hierarchy, shapes, type Tree } from "../layout";
import type { Graph, Snapshot } from "../snapshot";
import { type Built, build } from "./build";
import { type Edges, ItemKind } from "./items";
import { groupOurs, type OurGroup } from "./ours";

export interface Structure {
  readonly hierarchy: Hierarchy;
  /** By item: an `ItemKind`, what it stands for, the graph in which it stands. */
  readonly kind: Uint8Array;
  readonly ref: Int32Array;
  readonly graph: Int32Array;
  readonly ours: readonly OurGroup[];
  readonly built: Built;
}

export function structure(snapshot: Snapshot, graph: Graph, isFolded: boolean): Structure {
  const built = build(snapshot, graph, isFolded);
  const { items } = built;
  const alike = alikeOf(snapshot, built);
  const bare = bareTree(items.parent, items.kind, built.edges);
  const grouped = groupOurs(bare, alike);
  const count = grouped.hierarchy.root;
  const kind = new Uint8Array(count).fill(ItemKind.Ours);
  kind.set(items.kind);
  const ref = new Int32Array(count);
  // What grouping added is listed after what building made.
  for (let item = items.length; item < count; item++) ref[item] = item + built.ours.length - items.length;
  ref.set(items.ref);
  const graphs = new Int32Array(count).fill(graph.number);
  graphs.set(items.graph);
  const allAlike = new Int32Array(count);
  allAlike.set(alike);
  const shape = shapes(grouped.hierarchy, allAlike);
  const hierarchy = { ...grouped.hierarchy, tree: { ...grouped.hierarchy.tree, shape } };
  return { hierarchy, kind, ref, graph: graphs, ours: [...built.ours, ...grouped.groups], built };
}

function bareTree(parent: readonly number[], kind: readonly number[], edges: Edges): Tree {
  const none = new Float64Array(parent.length);
  const isGroup = new Uint8Array(parent.length);
  for (let item = 0; item < kind.length; item++) isGroup[item] = kind[item] === ItemKind.Node ? 0 : 1;
  return {
    parent: new Int32Array(parent),
    isGroup,
    width: none,
    height: none,
    shape: new Int32Array(parent.length),
    ...edges.bySource(parent.length),
  };
}

/** By item: the number of what makes items alike, the op called or the class of a module. */
function alikeOf(snapshot: Snapshot, { items }: Built): Int32Array {
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size + 1;
    numbers.set(text, number);
    return number;
  };
  const targets = snapshot.skeleton.targets.map((target) => numberOf(`op ${target.text}`));
  const classes = snapshot.scopes.map((scope) => numberOf(`module ${scope.cls}`));
  const state = numberOf("input");
  const nested = numberOf("graph");
  const alikeAs = (kind: number, ref: number): number => {
    if (kind === ItemKind.Module) return classes[ref] ?? 0;
    if (kind === ItemKind.Graph || kind === ItemKind.Ours) return nested;
    const { graph, position } = snapshot.locate(ref);
    const op = graph.op(position);
    if (op === "placeholder" || op === "get_attr") return state;
    return targets[graph.columns.targets[position] ?? 0] ?? 0;
  };
  const alike = new Int32Array(items.length);
  for (let i = 0; i < items.length; i++) alike[i] = alikeAs(items.kind[i] ?? 0, items.ref[i] ?? 0);
  return alike;
}
