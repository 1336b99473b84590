/**
 * The structure of a picture: its items, their parents, its edges, and which groups are identical. No text
 * and no sizes. Built once per graph and form.
 */
import { type Hierarchy, shapes, type Tree } from "../layout";
import { type Graph, NONE, type Snapshot, short } from "../snapshot";
import { groupOurs, type OurGroup } from "./auto_groups";
import { type Built, build, type Form } from "./build";
import { type Edges, ItemKind, ItemRefs } from "./items";

export interface Structure {
  readonly hierarchy: Hierarchy;
  /** By item: an `ItemKind`, what it represents, and its graph. */
  readonly kind: Uint8Array;
  readonly refs: ItemRefs;
  readonly graph: Int32Array;
  readonly ours: readonly OurGroup[];
  /** By item: the op called or the class of a module, independent of sizes. */
  readonly alike: Int32Array;
  readonly built: Built;
}

export function structure(snapshot: Snapshot, graph: Graph, form: Form): Structure {
  const built = build(snapshot, graph, form);
  const { items } = built;
  const alike = kindsOf(snapshot, built);
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
  const equal = sizedKindsOf(snapshot, built, alike);
  const shape = shapes(grouped.hierarchy, widened(equal, count));
  const hierarchy = { ...grouped.hierarchy, tree: { ...grouped.hierarchy.tree, shape } };
  const ours = [...built.ours, ...grouped.groups];
  return {
    hierarchy,
    kind,
    refs: new ItemRefs(kind, ref),
    graph: graphs,
    ours,
    alike: widened(alike, count),
    built,
  };
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

/** Numbers equal texts alike, from 1. */
class Numbers {
  private readonly known = new Map<string, number>();

  of(text: string): number {
    const number = this.known.get(text) ?? this.known.size + 1;
    this.known.set(text, number);
    return number;
  }
}

/** By item: one number for each op called and each class of a module. */
function kindsOf(snapshot: Snapshot, { items }: Built): Int32Array {
  const { targets } = snapshot.skeleton;
  const numbers = new Numbers();
  const numberOf = targets.map(({ text }) => numbers.of(`op ${text}`));
  const refs = new ItemRefs(items.kind, items.ref);
  const [graphs, inputs] = [numbers.of("graph"), numbers.of("input")];
  const found = new Int32Array(items.length);
  for (let i = 0; i < found.length; i++) {
    const kind = items.kind[i];
    if (kind === ItemKind.Module) found[i] = numbers.of(`module ${snapshot.scopes[refs.scope(i)]?.cls}`);
    else if (kind === ItemKind.Graph || kind === ItemKind.Ours) found[i] = graphs;
    else {
      const { graph, position } = snapshot.locate(refs.node(i));
      const op = graph.op(position);
      const isInput = op === "placeholder" || op === "get_attr";
      found[i] = isInput ? inputs : (numberOf[graph.columns.targets[position] ?? 0] ?? 0);
    }
  }
  return found;
}

/** The same with the dtypes and shapes of a node's value and inputs, including its parameters. */
function sizedKindsOf(snapshot: Snapshot, { items }: Built, kinds: Int32Array): Int32Array {
  const shapeTexts = new Numbers();
  const sizes = snapshot.skeleton.values.map((value) => shapeTexts.of(short(value)));
  const sizeOf = ({ columns }: Graph, position: number): number =>
    sizes[columns.values[position] ?? NONE] ?? 0;
  const numbers = new Numbers();
  const refs = new ItemRefs(items.kind, items.ref);
  const found = new Int32Array(items.length);
  for (let i = 0; i < found.length; i++) {
    let text = `${kinds[i]}`;
    const kind = items.kind[i];
    if (kind === ItemKind.Node || kind === ItemKind.Holder) {
      const { graph, position } = snapshot.locate(refs.node(i));
      // A delegate, or its part in a module, is identified by its ops: its other inputs may belong to another
      // part.
      if (kind === ItemKind.Node || !snapshot.placement(graph).delegates.get(position)?.is_linked) {
        text += ` ${sizeOf(graph, position)}`;
        for (const input of graph.inputsOf(position)) text += ` ${sizeOf(graph, input)}`;
      }
    }
    found[i] = numbers.of(text);
  }
  return found;
}
