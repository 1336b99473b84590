/**
 * The structure of a picture: its items, their parents, its edges, and which groups are identical. No text
 * and no sizes. Built once per graph and form.
 */
import { type Hierarchy, shapes, type Tree } from "../layout";
import { type Graph, NONE, type Snapshot, short } from "../snapshot";
import { groupOurs, type OurGroup } from "./auto_groups";
import { type Built, build, type Form } from "./build";
import { type Edges, ItemKind } from "./items";

export interface Structure {
  readonly hierarchy: Hierarchy;
  /** By item: an `ItemKind`, what it represents, and its graph. */
  readonly kind: Uint8Array;
  readonly ref: Int32Array;
  readonly graph: Int32Array;
  readonly ours: readonly OurGroup[];
  /** By item: the op called or the class of a module, independent of sizes. */
  readonly alike: Int32Array;
  readonly built: Built;
}

export function structure(snapshot: Snapshot, graph: Graph, form: Form): Structure {
  const built = build(snapshot, graph, form);
  const { items } = built;
  const alike = numbered(built, kindsOf(snapshot));
  const bare = bareTree(items.parent, items.kind, built.edges);
  const grouped = groupOurs(bare, alike);
  const count = grouped.hierarchy.root;
  const kind = new Uint8Array(count).fill(ItemKind.Ours);
  kind.set(items.kind);
  const ref = new Int32Array(count);
  // Groups that were inserted come after the program's items.
  for (let item = items.length; item < count; item++) ref[item] = item + built.ours.length - items.length;
  ref.set(items.ref);
  const graphs = new Int32Array(count).fill(graph.number);
  graphs.set(items.graph);
  const equal = numbered(built, sizedKindsOf(snapshot));
  const shape = shapes(grouped.hierarchy, widened(equal, count));
  const hierarchy = { ...grouped.hierarchy, tree: { ...grouped.hierarchy.tree, shape } };
  const ours = [...built.ours, ...grouped.groups];
  return { hierarchy, kind, ref, graph: graphs, ours, alike: widened(alike, count), built };
}

function widened(numbers: Int32Array, count: number): Int32Array {
  const wide = new Int32Array(count);
  wide.set(numbers);
  return wide;
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

/** The text that identifies an item's kind: items with equal texts are equivalent. */
type KindOf = (kind: number, ref: number) => string;

function numbered({ items }: Built, kindOf: KindOf): Int32Array {
  const numbers = new Map<string, number>();
  const found = new Int32Array(items.length);
  for (let i = 0; i < items.length; i++) {
    const text = kindOf(items.kind[i] ?? 0, items.ref[i] ?? 0);
    const number = numbers.get(text) ?? numbers.size + 1;
    numbers.set(text, number);
    found[i] = number;
  }
  return found;
}

/** The op called, or the class of a module. */
function kindsOf(snapshot: Snapshot): KindOf {
  const { targets } = snapshot.skeleton;
  return (kind, ref) => {
    if (kind === ItemKind.Module) return `module ${snapshot.scopes[ref]?.cls}`;
    if (kind === ItemKind.Graph || kind === ItemKind.Ours) return "graph";
    const { graph, position } = snapshot.locate(ref);
    const op = graph.op(position);
    if (op === "placeholder" || op === "get_attr") return "input";
    return `op ${targets[graph.columns.targets[position] ?? 0]?.text}`;
  };
}

/** The same with the dtypes and shapes of a node's value and inputs, including its parameters. */
function sizedKindsOf(snapshot: Snapshot): KindOf {
  const kindOf = kindsOf(snapshot);
  const sizes = snapshot.skeleton.values.map(short);
  const sizeOf = ({ columns }: Graph, position: number): string =>
    sizes[columns.values[position] ?? NONE] ?? "–";
  return (kind, ref) => {
    const what = kindOf(kind, ref);
    if (kind !== ItemKind.Node && kind !== ItemKind.Holder) return what;
    const { graph, position } = snapshot.locate(ref);
    // A delegate, or its part in a module, is identified by its ops: its other inputs may belong to another
    // part.
    if (kind === ItemKind.Holder && snapshot.placement(graph).delegates.get(position)?.is_linked) return what;
    let text = `${what} ${sizeOf(graph, position)}`;
    for (const input of graph.inputsOf(position)) text += ` ${sizeOf(graph, input)}`;
    return text;
  };
}
