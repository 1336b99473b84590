/**
 * A graph with everything nested in it as a tree of items: modules, branches inside the node that holds them,
 * and what is part of an op (its parameters, its memory, its only result) folded into the op.
 *
 * A delegate's ops are drawn in their own modules, as before lowering, or in one box for each delegate. In
 * both cases lines join them to the nodes outside.
 */
import {
  type DelegateCall,
  type DelegatePart,
  type Graph,
  NONE,
  type NodeNumber,
  type ScopeNumber,
  type Snapshot,
} from "../snapshot";
import type { OurGroup } from "./auto_groups";
import { Containers } from "./containers";
import { type Holders, holders, isFoldable, mutationsOf, stateKind } from "./fold";
import { Edges, ItemKind, Items } from "./items";
import { type LineGroup, lineGroups } from "./lines";

/** The variants of one graph's picture. */
export interface Form {
  /** Whether parts of an op are folded into it. */
  readonly isFolded: boolean;
  /** Whether delegates have boxes; else their ops are drawn in their modules. */
  readonly isByDelegate: boolean;
}

export interface Built {
  readonly items: Items;
  readonly edges: Edges;
  /**
   * Item of each node of the Snapshot: for a holder its group, for a folded result its op; -1 if it has none.
   */
  readonly itemOf: Int32Array;
  /** Folded state and memory by the leaf that uses it, in the order of its arguments. */
  readonly chips: ReadonlyMap<number, readonly number[]>;
  /** Names of what a leaf's value is written to when the graph ends. */
  readonly writes: ReadonlyMap<number, readonly string[]>;
  /** The op's own box in a holder, by the holder's item. */
  readonly callOf: ReadonlyMap<number, number>;
  /** By the item of a box with a part of a delegate: its index from 0, and the number of parts. */
  readonly partOf: ReadonlyMap<number, PartOf>;
  /** The items of kind `Ours`, by their `ref`. */
  readonly ours: readonly OurGroup[];
}

export interface PartOf extends DelegatePart {
  readonly at: number;
  readonly count: number;
}

interface Place {
  /** The item that holds the graph; -1 at the top. */
  readonly item: number;
  /** Scopes around the holder, which are not drawn again inside it. */
  readonly scopes: ReadonlySet<number>;
  /** The box that feeds the graph's placeholders. */
  readonly feeds?: number;
}

/** One drawing area: a graph, with the delegates whose ops are drawn among its own. */
interface Area {
  readonly graph: Graph;
  readonly place: Place;
  readonly modules: Map<number, number>;
  readonly outputs: number[];
  readonly idle: number[];
  /** Modules that are not drawn, because they contain only one box. */
  readonly links: ReadonlySet<number>;
}

const NO_LINKS: ReadonlySet<number> = new Set();

/** How a node without its own box is shown. */
const Fate = { Drawn: 0, Chip: 1, Hidden: 2, Part: 3 } as const;

class Builder implements Built {
  readonly items = new Items();
  readonly edges = new Edges();
  readonly itemOf: Int32Array;
  readonly chips = new Map<number, number[]>();
  readonly writes = new Map<number, string[]>();
  readonly callOf = new Map<number, number>();
  readonly partOf = new Map<number, PartOf>();
  readonly ours: OurGroup[] = [];
  private readonly shown = new Set<number>();
  private readonly containers: Containers;
  private readonly fate: Uint8Array;
  private readonly holdersOf = new Map<number, Holders>();
  /** Nodes that name the value of another one: items of a call, inputs of a delegate. */
  private readonly same = new Map<number, number>();
  /** Calls of delegates whose ops are drawn in their modules, with the delegates' graphs. */
  private readonly inlined = new Map<number, Graph>();
  /** Calls of delegates that have boxes, by the number of the delegate's graph. */
  private readonly boxed = new Map<number, number>();
  /** Leaves whose values a node's users read: the node itself, or the outputs of its graphs. */
  private readonly sources = new Map<number, readonly number[]>();

  constructor(
    private readonly snapshot: Snapshot,
    private readonly form: Form,
  ) {
    this.itemOf = new Int32Array(snapshot.nodeCount).fill(-1);
    this.fate = new Uint8Array(snapshot.nodeCount);
    this.containers = new Containers(snapshot.scopes);
  }

  /** Returns the output leaves of the graph. */
  graph(graph: Graph, place: Place): number[] {
    const nodes: number[] = [];
    this.gather(graph, nodes);
    const links = this.chainLinks(place, nodes);
    const area: Area = { graph, place, modules: new Map(), outputs: [], idle: [], links };
    this.sort(graph, nodes);
    const lines = this.linesOf(nodes);
    for (const node of nodes) {
      if (this.isIdle(node)) area.idle.push(node);
      else this.draw(area, node, lines.get(node));
    }
    this.groupUnused(area);
    this.noteWrites(graph);
    return area.outputs;
  }

  /**
   * Into the order before lowering: inputs, ops, output. By delegate, as far as the boxes of delegates allow,
   * so that identical layers have their boxes in the same order.
   */
  private sort(graph: Graph, nodes: number[]): void {
    const { ranks, delegates } = this.snapshot.placement(graph);
    if (ranks.size === 0) return;
    const rankOf = (node: NodeNumber): number => {
      const { graph: own, position } = this.snapshot.locate(node);
      const op = own.op(position);
      if (op === "placeholder" || op === "get_attr") return -1;
      if (op === "output") return Number.MAX_SAFE_INTEGER;
      const call = this.form.isByDelegate ? delegates.get(position) : undefined;
      if (!call?.is_linked) return ranks.get(node) ?? ranks.size;
      const { base, count } = this.snapshot.graph(call.graph);
      return Math.max(-1, ...Array.from({ length: count }, (_, at) => ranks.get(base + at) ?? -1));
    };
    const found = new Map(nodes.map((node) => [node, rankOf(node)]));
    nodes.sort((a, b) => (found.get(a) ?? 0) - (found.get(b) ?? 0));
    if (!this.form.isByDelegate) return;
    const sorted = new Set<number>();
    const add = (node: NodeNumber): void => {
      if (sorted.has(node) || !found.has(node)) return;
      for (const source of this.sourcesOf(node)) add(source);
      sorted.add(node);
    };
    for (const node of [...nodes]) add(node);
    nodes.splice(0, nodes.length, ...sorted);
  }

  /** The nodes whose values a node uses. By delegate, what a delegate computes comes from its call. */
  private sourcesOf(node: NodeNumber): number[] {
    const { graph, position } = this.snapshot.locate(node);
    return Array.from(graph.inputsOf(position), (input) => {
      const from = this.origin(graph.base + input);
      const source = this.snapshot.locate(from).graph;
      return source === graph ? from : (this.boxed.get(source.number) ?? from);
    });
  }

  /** Adds items for nodes without their own box, after all others. */
  complete(): void {
    for (const node of this.same.keys()) this.itemOf[node] = this.itemOf[this.origin(node)] ?? -1;
    for (const [call, { base, count }] of this.inlined) {
      const inner = Array.from({ length: count }, (_, position) => base + position);
      const first = inner.find((node) => this.fate[node] === Fate.Drawn && this.itemOf[node] !== -1);
      this.itemOf[call] = this.itemOf[first ?? -1] ?? -1;
    }
  }

  /** The nodes of a graph that are drawn, in order; decides how the others are shown. */
  private gather(graph: Graph, nodes: number[], isInlined = false): void {
    this.shown.add(graph.number);
    const own = holders(graph, this.shown);
    this.holdersOf.set(graph.number, own);
    for (const numbers of own.graphs.values()) for (const number of numbers) this.shown.add(number);
    const { delegates, into } = this.snapshot.placement(graph);
    for (let position = 0; position < graph.count; position++) {
      const node = graph.base + position;
      const call = delegates.get(position);
      if (call?.is_linked) {
        const inner = this.snapshot.graph(call.graph);
        for (const [from, to] of call.inputs ?? []) this.same.set(inner.base + from, graph.base + to);
        for (const [from, to] of call.outputs ?? []) this.same.set(graph.base + from, inner.base + to);
        if (this.form.isByDelegate) {
          this.boxed.set(inner.number, node);
        } else {
          this.inlined.set(node, inner);
          this.fate[node] = Fate.Hidden;
          this.gather(inner, nodes, true);
          continue;
        }
      }
      const host = this.form.isFolded ? into.get(position) : undefined;
      if (host !== undefined && graph.inputsOf(position).length === 1) this.same.set(node, graph.base + host);
      const fate = this.same.has(node)
        ? Fate.Hidden
        : host === undefined
          ? this.fateOf(graph, position, own, isInlined)
          : Fate.Part;
      this.fate[node] = fate;
      if (fate === Fate.Drawn) nodes.push(node);
    }
  }

  private fateOf(graph: Graph, position: number, { swallowed }: Holders, isInlined: boolean): number {
    const op = graph.op(position);
    if (op === "output") return isInlined ? Fate.Hidden : Fate.Drawn;
    if (op !== "placeholder" && op !== "get_attr") return Fate.Drawn;
    if (swallowed.has(position)) return Fate.Hidden;
    const isState = stateKind(this.snapshot, graph, position) !== undefined;
    if (isInlined && op === "placeholder" && !isState) return Fate.Hidden;
    return this.form.isFolded && isFoldable(this.snapshot, graph, position) ? Fate.Chip : Fate.Drawn;
  }

  private origin(node: NodeNumber): number {
    let at = node;
    for (let next = this.same.get(at); next !== undefined; next = this.same.get(at)) at = next;
    return at;
  }

  /** The module of a node. State with a box is drawn with its users if they are all in one module. */
  private scopeFor(graph: Graph, position: number): number {
    const { owners } = this.snapshot.placement(graph);
    const own = owners[position] ?? NONE;
    if (own !== NONE || !isFoldable(this.snapshot, graph, position)) return own;
    let common: number[] | undefined;
    for (const user of graph.usersOf(position)) {
      const chain = this.snapshot.scopeChain(owners[user] ?? NONE);
      const before = common;
      common = before ? before.filter((scope, depth) => chain[depth] === scope) : chain;
    }
    return common?.at(-1) ?? NONE;
  }

  /** The item of a scope, created with those around it when first needed. The root module is not drawn. */
  private module(area: Area, scope: ScopeNumber): number {
    const { place, modules } = area;
    if (scope === NONE || place.scopes.has(scope)) return place.item;
    const known = modules.get(scope);
    if (known !== undefined) return known;
    const parent = this.snapshot.scopes[scope]?.parent ?? NONE;
    const outer = this.module(area, parent);
    const item =
      this.snapshot.isWhole(scope) || area.links.has(scope)
        ? outer
        : this.items.add(ItemKind.Module, scope, this.container(area, outer, scope), area.graph.number);
    modules.set(scope, item);
    return item;
  }

  /**
   * By delegate: modules with only one delegate or one module, because only the last box of such a chain is
   * useful. By module these stay, so that a module is drawn at every stage.
   */
  private chainLinks(place: Place, nodes: readonly number[]): ReadonlySet<number> {
    const members = new Map<number, Set<number | string>>();
    if (!this.form.isByDelegate) return NO_LINKS;
    const add = (scope: ScopeNumber, member: number | string): void => {
      const chain = this.snapshot.scopeChain(scope).filter((each) => !place.scopes.has(each));
      chain.forEach((each, i) => {
        const contents = members.get(each) ?? new Set();
        members.set(each, contents.add(chain[i + 1] ?? member));
      });
    };
    for (const node of nodes) {
      if (this.fate[node] !== Fate.Drawn) continue;
      const { graph, position } = this.snapshot.locate(node);
      const call = this.snapshot.placement(graph).delegates.get(position);
      const owners = call?.is_linked && call.parts?.length ? call.parts.map(({ owner }) => owner) : undefined;
      for (const owner of owners ?? [this.scopeFor(graph, position)])
        add(owner, call?.is_linked ? `delegate ${node}` : -1 - node);
    }
    const isGroup = (member: number | string): boolean => typeof member === "string" || member >= 0;
    const single = [...members].filter(([, contents]) => contents.size === 1 && [...contents].every(isGroup));
    return new Set(single.map(([scope]) => scope));
  }

  /** The item of a list of modules between a module and its caller, if the list is long. */
  private container(area: Area, outer: number, scope: ScopeNumber): number {
    const container = this.containers.of(scope);
    if (!container) return outer;
    const known = area.modules.get(container.key);
    if (known !== undefined) return known;
    const { path } = container;
    const reason = `submodules of ${path}, which is never called itself`;
    const item = this.our(area, outer, { title: path, subtitle: "list of modules", reason });
    area.modules.set(container.key, item);
    return item;
  }

  /** Groups by source line, if the detail with the lines is loaded. */
  private linesOf(nodes: readonly number[]): ReadonlyMap<number, LineGroup> {
    const detail = this.snapshot.detailNow;
    if (!detail) return new Map();
    const isCall = (node: NodeNumber): boolean => {
      const { graph, position } = this.snapshot.locate(node);
      return graph.computes(position);
    };
    return lineGroups(this.snapshot, detail, nodes.filter(isCall), (node) => this.sourcesOf(node));
  }

  private draw(area: Area, node: NodeNumber, line?: LineGroup): void {
    const { graph, position } = this.snapshot.locate(node);
    const delegate = this.snapshot.placement(graph).delegates.get(position);
    if (delegate?.is_linked) {
      this.delegate(area, node, delegate, line);
      return;
    }
    const leaf = this.node(graph, position, this.parentFor(area, graph, position, line));
    const op = graph.op(position);
    if (op === "output") area.outputs.push(leaf);
    if (op === "placeholder" && area.place.feeds !== undefined) this.edges.add(area.place.feeds, leaf);
    this.connect(graph, position, leaf);
  }

  /** The parent of a node: its module, or the group of its line there. */
  private parentFor(area: Area, graph: Graph, position: number, line?: LineGroup): number {
    const module = this.module(area, this.scopeFor(graph, position));
    if (!line) return module;
    const known = area.modules.get(line.key);
    if (known !== undefined) return known;
    const item = this.our(area, module, line);
    area.modules.set(line.key, item);
    return item;
  }

  private isIdle(node: NodeNumber): boolean {
    const { graph, position } = this.snapshot.locate(node);
    return (
      this.form.isFolded &&
      graph.userCount(position) === 0 &&
      stateKind(this.snapshot, graph, position) !== undefined
    );
  }

  /** Puts unread state after everything else, in one group. */
  private groupUnused(area: Area): void {
    if (area.idle.length === 0) return;
    const reason = "parameters and buffers that no op here uses";
    const item = this.our(area, area.place.item, { title: "unused state", subtitle: "", reason });
    for (const node of area.idle) {
      const { graph, position } = this.snapshot.locate(node);
      this.node(graph, position, item);
    }
  }

  private our(area: Area, parent: number, group: OurGroup): number {
    return this.items.add(ItemKind.Ours, this.ours.push(group) - 1, parent, area.graph.number);
  }

  /** Returns the leaf of the op itself. */
  private node(graph: Graph, position: number, parent: number): number {
    const node = graph.base + position;
    const subgraphs = this.holdersOf.get(graph.number)?.graphs.get(position);
    const numbers = subgraphs?.filter((number) => this.snapshot.graph(number).count > 0);
    if (!numbers?.length) {
      const leaf = this.items.add(ItemKind.Node, node, parent, graph.number);
      this.itemOf[node] = leaf;
      return leaf;
    }
    const holder = this.items.add(ItemKind.Holder, node, parent, graph.number);
    const call = this.items.add(ItemKind.Node, node, holder, graph.number);
    this.itemOf[node] = holder;
    this.callOf.set(holder, call);
    const scopes = new Set(this.snapshot.scopeChain(this.snapshot.ownerOf(node)));
    const outputs = numbers.flatMap((number) => {
      const item = this.items.add(ItemKind.Graph, number, holder, graph.number);
      return this.graph(this.snapshot.graph(number), { item, scopes, feeds: call });
    });
    this.sources.set(node, outputs.length ? outputs : [call]);
    return call;
  }

  /**
   * A delegate's ops in its box, or in a box in each module that it runs a part of; lines lead directly to
   * them.
   */
  private delegate(outer: Area, call: number, { graph, parts = [] }: DelegateCall, line?: LineGroup): void {
    const at = this.snapshot.locate(call);
    const inner = this.snapshot.graph(graph);
    const nodes: number[] = [];
    this.gather(inner, nodes, true);
    const box = (owner: number, parent: number, own: readonly number[]): Area => {
      const item = this.items.add(ItemKind.Holder, call, parent, outer.graph.number);
      if ((this.itemOf[call] ?? -1) < 0) this.itemOf[call] = item;
      const place = { item, scopes: new Set(this.snapshot.scopeChain(owner)) };
      const links = this.chainLinks(place, own);
      return { graph: inner, place, modules: new Map(), outputs: [], idle: [], links };
    };
    const areas = parts.map((part, i) => {
      const own = part.nodes.map((position) => inner.base + position);
      const area = box(part.owner, this.module(outer, part.owner), own);
      this.partOf.set(area.place.item, { ...part, at: i, count: parts.length });
      return area;
    });
    const whole =
      areas[0] ?? box(this.snapshot.ownerOf(call), this.parentFor(outer, at.graph, at.position, line), nodes);
    const areaOf = new Map(
      parts.flatMap((part, i) => part.nodes.map((position) => [inner.base + position, areas[i]] as const)),
    );
    // In execution order: a line is drawn when its end exists.
    const lines = parts.length ? new Map<number, LineGroup>() : this.linesOf(nodes);
    for (const node of nodes) this.draw(areaOf.get(node) ?? whole, node, lines.get(node));
  }

  private connect(graph: Graph, position: number, leaf: number): void {
    const done: number[] = [];
    const { written } = this.snapshot.placement(graph);
    const isOutput = this.form.isFolded && graph.op(position) === "output";
    for (const from of graph.inputsOf(position)) {
      const source = this.origin(graph.base + from);
      if (done.includes(source) || (isOutput && written.has(from))) continue;
      done.push(source);
      const fate = this.fate[source];
      if (fate === Fate.Chip || fate === Fate.Part) {
        this.chips.set(leaf, [...(this.chips.get(leaf) ?? []), source]);
      } else if (fate === Fate.Drawn) {
        for (const each of this.leavesOf(source)) this.edges.add(each, leaf);
      }
    }
  }

  private leavesOf(node: NodeNumber): readonly number[] {
    const own = this.itemOf[node] ?? -1;
    return this.sources.get(node) ?? (own < 0 ? [] : [own]);
  }

  /** Records what the graph writes when it ends, on the op that produces the value. */
  private noteWrites(graph: Graph): void {
    const { into } = this.snapshot.placement(graph);
    for (const [name, target] of mutationsOf(graph)) {
      const position = graph.position(name) ?? -1;
      const made = this.form.isFolded ? (into.get(position) ?? position) : position;
      const node = this.origin(graph.base + made);
      if (position < 0 || this.fate[node] !== Fate.Drawn) continue;
      for (const leaf of this.leavesOf(node))
        this.writes.set(leaf, [...(this.writes.get(leaf) ?? []), target]);
    }
  }
}

export function build(snapshot: Snapshot, graph: Graph, form: Form): Built {
  const builder = new Builder(snapshot, form);
  builder.graph(graph, { item: -1, scopes: new Set() });
  builder.complete();
  return builder;
}
