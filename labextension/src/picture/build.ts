/**
 * A graph and everything nested in it as a tree of items: modules by scope, branches and delegates inside the
 * node that holds them, parameters folded into the ops that eat them where that is asked for.
 */
import { type Graph, NONE, type Snapshot } from "../snapshot";
import { Containers } from "./containers";
import { isFoldable, stateKind } from "./fold";
import { type Holders, holders } from "./holders";
import { Edges, ItemKind, Items } from "./items";
import { type LineGroup, lineGroups } from "./lines";
import type { OurGroup } from "./ours";

export interface Built {
  readonly items: Items;
  readonly edges: Edges;
  /** Item of each node of the Snapshot; a holder's is its group; -1 where it is folded or not in this picture. */
  readonly itemOf: Int32Array;
  /** Folded state by the leaf that eats it, in the order of its arguments. */
  readonly chips: ReadonlyMap<number, readonly number[]>;
  /** The op's own box within a holder, by the holder's item. */
  readonly callOf: ReadonlyMap<number, number>;
  /** What the items of kind `Ours` are, by their `ref`. */
  readonly ours: readonly OurGroup[];
}

interface Place {
  /** The item that holds the graph; -1 at the top. */
  readonly item: number;
  /** Scopes around the holder, which are not drawn again inside it. */
  readonly scopes: ReadonlySet<number>;
  /** The box that feeds the graph's placeholders. */
  readonly feeds?: number;
}

class Builder implements Built {
  readonly items = new Items();
  readonly edges = new Edges();
  readonly itemOf: Int32Array;
  readonly chips = new Map<number, number[]>();
  readonly callOf = new Map<number, number>();
  readonly ours: OurGroup[] = [];
  private readonly shown = new Set<number>();
  private readonly containers: Containers;
  /** Leaves whose value a node's users take: itself, or the outputs of the graphs it holds. */
  private readonly sources = new Map<number, readonly number[]>();

  constructor(
    private readonly snapshot: Snapshot,
    private readonly fold: boolean,
  ) {
    this.itemOf = new Int32Array(snapshot.nodeCount).fill(-1);
    this.containers = new Containers(snapshot.scopes);
  }

  /** Leaves the output leaves of the graph. */
  graph(graph: Graph, place: Place): number[] {
    this.shown.add(graph.number);
    const held = holders(graph, this.shown);
    for (const numbers of held.graphs.values()) for (const number of numbers) this.shown.add(number);
    const modules = new Map<number, number>();
    const folded = this.foldedOf(graph, held);
    const lines = this.linesOf(graph, folded);
    const outputs: number[] = [];
    const idle: number[] = [];
    for (let position = 0; position < graph.count; position++) {
      if (folded[position]) continue;
      if (this.isIdle(graph, position)) {
        idle.push(position);
        continue;
      }
      const parent = this.line(graph, place, modules, position, lines.get(position));
      const leaf = this.node(graph, position, parent, held);
      if (graph.op(position) === "output") outputs.push(leaf);
      if (graph.op(position) === "placeholder" && place.feeds !== undefined)
        this.edges.add(place.feeds, leaf);
      this.connect(graph, position, leaf, folded);
    }
    this.putAside(graph, place, idle, held);
    return outputs;
  }

  private foldedOf(graph: Graph, held: Holders): Uint8Array {
    const folded = new Uint8Array(graph.count);
    for (let position = 0; position < graph.count; position++) {
      const op = graph.op(position);
      if (op !== "placeholder" && op !== "get_attr") continue;
      if (held.swallowed.has(position)) folded[position] = 2;
      else if (this.fold && isFoldable(this.snapshot, graph, position)) folded[position] = 1;
    }
    return folded;
  }

  /** State that is drawn stands with its users, where they are all in one module. */
  private scopeFor(graph: Graph, position: number): number {
    const own = graph.columns.scopes[position] ?? NONE;
    if (own !== NONE || !isFoldable(this.snapshot, graph, position)) return own;
    let common: number[] | undefined;
    for (const user of graph.usersOf(position)) {
      const chain = this.snapshot.scopeChain(graph.columns.scopes[user] ?? NONE);
      const before = common;
      common = before ? before.filter((scope, depth) => chain[depth] === scope) : chain;
    }
    return common?.at(-1) ?? NONE;
  }

  /** The item of a scope, made with those around it when it is first met. The root module is not drawn. */
  private module(graph: Graph, place: Place, modules: Map<number, number>, scope: number): number {
    if (scope === NONE || place.scopes.has(scope)) return place.item;
    const known = modules.get(scope);
    if (known !== undefined) return known;
    const parent = this.snapshot.scopes[scope]?.parent ?? NONE;
    const outer = this.module(graph, place, modules, parent);
    const item = this.snapshot.isWhole(scope)
      ? outer
      : this.items.add(ItemKind.Module, scope, this.container(graph, outer, modules, scope), graph.number);
    modules.set(scope, item);
    return item;
  }

  /** The item of a list of modules that stands between a module and the one that calls it, where many do. */
  private container(graph: Graph, outer: number, modules: Map<number, number>, scope: number): number {
    const container = this.containers.of(scope);
    if (!container) return outer;
    const known = modules.get(container.key);
    if (known !== undefined) return known;
    const { path } = container;
    const reason = `modules held by ${path}, which is not called itself`;
    const item = this.our(graph, outer, { title: path, subtitle: "list of modules", reason });
    modules.set(container.key, item);
    return item;
  }

  /** Groups by line of source, where the detail that tells lines is here. */
  private linesOf(graph: Graph, folded: Uint8Array): ReadonlyMap<number, LineGroup> {
    const detail = this.snapshot.detailNow;
    if (!detail) return new Map();
    const isCall = (position: number): boolean => {
      const op = graph.op(position);
      return !folded[position] && op !== "placeholder" && op !== "get_attr" && op !== "output";
    };
    return lineGroups(this.snapshot, detail, graph, isCall);
  }

  /** Where a node goes: into its module, or into the group of its line there. */
  private line(
    graph: Graph,
    place: Place,
    modules: Map<number, number>,
    position: number,
    line?: LineGroup,
  ): number {
    const module = this.module(graph, place, modules, this.scopeFor(graph, position));
    if (!line) return module;
    const known = modules.get(line.key);
    if (known !== undefined) return known;
    const item = this.our(graph, module, line);
    modules.set(line.key, item);
    return item;
  }

  private isIdle(graph: Graph, position: number): boolean {
    return (
      this.fold &&
      graph.usersOf(position).length === 0 &&
      stateKind(this.snapshot, graph, position) !== undefined
    );
  }

  /** State that nothing reads, after all else, out of the way in one place. */
  private putAside(graph: Graph, place: Place, idle: readonly number[], held: Holders): void {
    if (idle.length === 0) return;
    const reason = "parameters and buffers that no op of this graph reads";
    const item = this.our(graph, place.item, { title: "unused state", subtitle: "", reason });
    for (const position of idle) this.node(graph, position, item, held);
  }

  private our(graph: Graph, parent: number, group: OurGroup): number {
    return this.items.add(ItemKind.Ours, this.ours.push(group) - 1, parent, graph.number);
  }

  private node(graph: Graph, position: number, parent: number, held: Holders): number {
    const node = graph.base + position;
    const numbers = (held.graphs.get(position) ?? []).filter(
      (number) => this.snapshot.graph(number).count > 0,
    );
    if (numbers.length === 0) {
      const leaf = this.items.add(ItemKind.Node, node, parent, graph.number);
      this.itemOf[node] = leaf;
      return leaf;
    }
    const holder = this.items.add(ItemKind.Holder, node, parent, graph.number);
    const call = this.items.add(ItemKind.Node, node, holder, graph.number);
    this.itemOf[node] = holder;
    this.callOf.set(holder, call);
    const scopes = new Set(this.snapshot.scopeChain(graph.columns.scopes[position] ?? NONE));
    const outputs = numbers.flatMap((number) => {
      const item = this.items.add(ItemKind.Graph, number, holder, graph.number);
      return this.graph(this.snapshot.graph(number), { item, scopes, feeds: call });
    });
    this.sources.set(node, outputs.length ? outputs : [call]);
    return call;
  }

  private connect(graph: Graph, position: number, leaf: number, folded: Uint8Array): void {
    const done = new Set<number>();
    for (const from of graph.inputsOf(position)) {
      if (done.has(from)) continue;
      done.add(from);
      if (folded[from] === 1) this.chips.set(leaf, [...(this.chips.get(leaf) ?? []), graph.base + from]);
      if (folded[from]) continue;
      const node = graph.base + from;
      const own = this.itemOf[node] ?? -1;
      for (const source of this.sources.get(node) ?? (own < 0 ? [] : [own])) this.edges.add(source, leaf);
    }
  }
}

export function build(snapshot: Snapshot, graph: Graph, fold: boolean): Built {
  const builder = new Builder(snapshot, fold);
  builder.graph(graph, { item: -1, scopes: new Set() });
  return builder;
}
