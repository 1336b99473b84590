/**
 * The picture of one graph, the same whichever modules are open: items with their text, the tree with sizes for the
 * layout, and the runs of identical modules. Immutable; expensive parts are computed when first needed.
 */
import {
  findRuns,
  foldRuns,
  type Hierarchy,
  Layout,
  partRun,
  type Run,
  type Scene,
  type SplitsRun,
  shapes,
  type Tree,
  type View,
} from "../layout";
import {
  type Graph,
  type GraphNumber,
  type NodeNumber,
  NodeValues,
  OP_KINDS,
  type ScopeNumber,
  type Snapshot,
} from "../snapshot";
import { BoxLabels } from "./box_labels";
import type { Form } from "./build";
import { ItemKind } from "./items";
import type { Measure } from "./sizes";
import { Sizing } from "./sizing";
import { NO_STRETCHES, type Stretches } from "./stretch";
import { type Structure, structure } from "./structure";

export class Picture {
  /** Without the sizes of boxes that no `view` has shown yet; `sizedTree` has them all. */
  readonly tree: Tree;
  readonly layout: Layout;
  /** The number of items; also the layout's number for the top. */
  readonly count: number;
  readonly words: BoxLabels;
  private readonly structure: Structure;
  private readonly sizing: Sizing;
  private readonly runsOf = new Map<number, readonly Run[]>();
  private readonly byKind = new Map<number, ReadonlyMap<number, readonly number[]>>();
  private readonly kindCounts = new Map<number, Uint32Array>();
  private keys: Map<string, number> | undefined;
  private equals: Map<number, number> | undefined;
  private opShapes: Int32Array | undefined;

  constructor(
    readonly snapshot: Snapshot,
    readonly graph: Graph,
    readonly isFolded: boolean,
    measure: Measure,
    /** Whether delegates have boxes; else their ops are drawn in their modules. */
    readonly isByDelegate = false,
    /** The shapes and bytes that are drawn. */
    readonly values = new NodeValues(snapshot),
  ) {
    this.structure = structure(snapshot, graph, { isFolded, isByDelegate });
    this.count = this.structure.hierarchy.root;
    this.words = new BoxLabels(snapshot, graph, this.structure, values);
    const { hierarchy } = this.structure;
    this.sizing = new Sizing(hierarchy, this.words, measure);
    this.tree = { ...hierarchy.tree, width: this.sizing.width, height: this.sizing.height };
    this.layout = new Layout(this.tree, {}, undefined, { ...hierarchy, tree: this.tree });
  }

  get form(): Form {
    return { isFolded: this.isFolded, isByDelegate: this.isByDelegate };
  }

  /** Computes all sizes, step by step, for `sizedTree`. */
  sizeInSteps(): Generator<void, void> {
    return this.sizing.steps();
  }

  /** The tree with all sizes, for a worker. */
  sizedTree(): Tree {
    this.sizing.sizeAll();
    return this.tree;
  }

  get hierarchy(): Hierarchy {
    return this.layout.hierarchy;
  }

  kindOf(item: number): number {
    return this.structure.kind[item] ?? ItemKind.Node;
  }

  isGroup(item: number): boolean {
    return this.tree.isGroup[item] === 1;
  }

  /** The node of a leaf, or of an op that holds graphs; -1 for others. */
  nodeOf(item: number): NodeNumber {
    return this.structure.refs.node(item);
  }

  /** The scope of a module; NONE for others. */
  scopeOf(item: number): ScopeNumber {
    return this.structure.refs.scope(item);
  }

  /** The graph of a branch, a loop body or a delegate. */
  graphOf(item: number): Graph | undefined {
    if (this.kindOf(item) === ItemKind.Graph) return this.snapshot.graphs[this.structure.refs.graph(item)];
    const delegate = this.words.delegateOf(item);
    return delegate && this.snapshot.graphs[delegate.graph];
  }

  /** For a part of a delegate, or a box inside it: the boxes that show the delegate's other parts. */
  otherParts(item: number): number[] {
    const part = [item, ...this.around(item)].find((each) => this.words.partOf(each));
    if (part === undefined) return [];
    const call = this.nodeOf(part);
    return [...this.structure.built.partOf.keys()].filter(
      (each) => each !== part && this.nodeOf(each) === call,
    );
  }

  /** Why a group of ours is one; undefined for what the program itself groups. */
  reasonOf(item: number): string | undefined {
    return this.structure.ours[this.structure.refs.group(item)]?.reason;
  }

  /** The graph that contains an item. */
  graphAround(item: number): Graph {
    return this.snapshot.graphs[this.structure.graph[item] ?? 0] ?? this.graph;
  }

  /** The items of a module call: one in each graph that draws it. */
  moduleItems(scope: ScopeNumber): readonly number[] {
    return this.itemsBy(ItemKind.Module).get(scope) ?? [];
  }

  /** The item of a module call in a graph; undefined if this picture does not draw it. */
  moduleItem(graph: GraphNumber, scope: ScopeNumber): number | undefined {
    return this.moduleItems(scope).find((item) => this.structure.graph[item] === graph);
  }

  /**
   * The item of a module call in the picture's graph, else in the first that draws it; undefined if none
   * does.
   */
  firstModule(scope: number): number | undefined {
    return this.moduleItem(this.graph.number, scope) ?? this.moduleItems(scope)[0];
  }

  /**
   * The item of a branch, a loop body or a delegate; for a delegate whose ops are drawn in modules, its first
   * op.
   */
  graphItem(graph: number): number | undefined {
    const own = this.itemsBy(ItemKind.Graph).get(graph)?.[0];
    const inner = this.snapshot.graphs[graph];
    if (own !== undefined || !inner) return own;
    const holder = this.snapshot.holderOf(inner);
    const item = holder === undefined ? -1 : this.itemOf(holder);
    return item < 0 ? undefined : item;
  }

  parentOf(item: number): number {
    return this.tree.parent[item] ?? -1;
  }

  /** The number of ops of each kind in an item, by the indices of `OP_KINDS`; without inputs and outputs. */
  opKinds(item: number): Uint32Array {
    const known = this.kindCounts.get(item);
    if (known) return known;
    const counts = new Uint32Array(OP_KINDS.length);
    for (const leaf of this.leavesOf(item)) {
      const node = this.nodeOf(leaf);
      if (node < 0) continue;
      const kind = this.snapshot.kindNumber(node);
      if (OP_KINDS[kind] !== "io") counts[kind] = (counts[kind] ?? 0) + 1;
    }
    this.kindCounts.set(item, counts);
    return counts;
  }

  /** Groups around an item, innermost first. */
  around(item: number): number[] {
    const found: number[] = [];
    for (let at = this.parentOf(item); at !== -1; at = this.parentOf(at)) found.push(at);
    return found;
  }

  childrenOf(item: number): Int32Array {
    const { start, item: items } = this.hierarchy.children;
    return items.subarray(start[item], start[item + 1]);
  }

  /** Leaves in an item. */
  leavesOf(item: number): Int32Array {
    const { from, to, leaf } = this.hierarchy;
    return leaf.subarray(from[item], to[item]);
  }

  /**
   * The box of a node: for a holder of graphs, the op's own box inside; -1 if it is folded or not in this
   * picture.
   */
  boxOf(node: number): number {
    const item = this.structure.built.itemOf[node] ?? -1;
    return this.structure.built.callOf.get(item) ?? item;
  }

  /** The item of a node: for a holder of graphs, their group. */
  itemOf(node: number): number {
    return this.structure.built.itemOf[node] ?? -1;
  }

  /** State and memory folded into a leaf. */
  chipsOf(item: number): readonly number[] {
    return this.structure.built.chips.get(item) ?? [];
  }

  /** The item of a key; undefined if this picture has none. */
  itemAt(key: string): number | undefined {
    if (!this.keys) {
      this.keys = new Map();
      for (let item = 0; item < this.count; item++) this.keys.set(this.words.key(item), item);
    }
    return this.keys.get(key);
  }

  /** The number of siblings with the same ops, shapes and parameters as a group, including itself. */
  equalsOf(item: number): number {
    if (!this.equals) {
      this.equals = new Map();
      for (let i = 0; i < this.count; i++) {
        if (!this.isGroup(i)) continue;
        const key = this.shapeKey(i);
        this.equals.set(key, (this.equals.get(key) ?? 0) + 1);
      }
    }
    return this.equals.get(this.shapeKey(item)) ?? 1;
  }

  /** Siblings identical to a group, including itself, in order. */
  equalSiblings(item: number): number[] {
    const parent = this.parentOf(item);
    const siblings = this.childrenOf(parent === -1 ? this.count : parent);
    return Array.from(siblings).filter(
      (each) => this.isGroup(each) && this.shapeKey(each) === this.shapeKey(item),
    );
  }

  /** Whether two groups contain the same ops with the same edges, whatever their sizes. */
  areSimilar(a: number, b: number): boolean {
    this.opShapes ??= shapes(this.hierarchy, this.structure.alike);
    return this.opShapes[a] === this.opShapes[b];
  }

  /** Siblings with the same ops as a group that are not identical to it. */
  similarSiblings(item: number): number[] {
    const parent = this.parentOf(item);
    const siblings = this.childrenOf(parent === -1 ? this.count : parent);
    return Array.from(siblings).filter(
      (each) =>
        this.isGroup(each) && this.areSimilar(each, item) && this.shapeKey(each) !== this.shapeKey(item),
    );
  }

  /**
   * What is open, as the layout needs it. Runs of closed identical modules are folded, except in the groups
   * of `unrolled`, and so are hidden siblings. `previousX`: by item, its position in another scene.
   * `splitsRun`: whether two identical neighbours are in separate runs.
   */
  view(
    open: ReadonlySet<number>,
    unrolled: ReadonlySet<number>,
    previousX?: Float64Array,
    stretches: Stretches = NO_STRETCHES,
    splitsRun?: SplitsRun,
  ): View {
    const marks = new Uint8Array(this.count);
    for (const item of open) marks[item] = 1;
    const runs: Run[] = [];
    const look = (group: number): void => {
      this.sizing.size(this.childrenOf(group));
      const own = unrolled.has(group) ? [] : this.runs(group);
      runs.push(...(splitsRun ? own.flatMap((run) => partRun(run, splitsRun)) : own));
      for (const child of this.childrenOf(group)) if (marks[child]) look(child);
    };
    look(this.count);
    const alone = stretches.size ? marks.slice() : marks;
    for (const { items } of stretches.values()) for (const item of items) alone[item] = 1;
    const runHead = foldRuns(this.count, runs, alone);
    const view = { open: marks, runHead, ...(previousX && { previousX }) };
    return stretches.size ? { ...view, stretch: foldStretches(runHead, stretches) } : view;
  }

  /** The number of boxes in an open group: a folded run counts as one. */
  seenIn(group: number, { runHead }: View): number {
    let seen = 0;
    for (const child of this.childrenOf(group)) if (!runHead || runHead[child] === child) seen++;
    return seen;
  }

  /** Items of a kind by what they represent. */
  private itemsBy(kind: number): ReadonlyMap<number, readonly number[]> {
    const known = this.byKind.get(kind);
    if (known) return known;
    const found = this.structure.refs.itemsBy(kind);
    this.byKind.set(kind, found);
    return found;
  }

  private runs(group: number): readonly Run[] {
    const known = this.runsOf.get(group) ?? findRuns(this.tree, this.layout.local(group));
    this.runsOf.set(group, known);
    return known;
  }

  /** Parent and shape, of 32 bits each, in one number. */
  private shapeKey(item: number): number {
    return (this.parentOf(item) + 1) * 2 ** 32 + ((this.tree.shape[item] ?? 0) >>> 0);
  }
}

/** Enters the first item of each box of hidden siblings into `runHead`; returns the marks of these items. */
function foldStretches(runHead: Int32Array, stretches: Stretches): Uint8Array {
  const marks = new Uint8Array(runHead.length);
  for (const [head, { items }] of stretches) {
    marks[head] = 1;
    for (const item of items) runHead[item] = head;
  }
  return marks;
}

/** The items in a slot of a scene: one, or several identical ones of a folded run. */
export function itemsAt(picture: Picture, { item, members }: Scene, slot: number): readonly number[] {
  const [first, count] = [item[slot] ?? 0, members[slot] ?? 1];
  if (count === 1) return [first];
  const siblings = picture.equalSiblings(first);
  const from = siblings.indexOf(first);
  return siblings.slice(from, from + count);
}
