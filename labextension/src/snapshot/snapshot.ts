/**
 * A Snapshot for the views: the skeleton with indices, the detail loaded on demand.
 *
 * Nodes are numbered through all graphs: `graph.base + position`. Immutable; shared by all mounts of a page.
 */

import { short, valueBytes } from "./describe";
import { byteText } from "./format";
import { Graph } from "./graph";
import type { UserNames } from "./names";
import { OP_KINDS, opKind } from "./opkind";
import { GraphPlacement } from "./placement";
import {
  type DelegateCall,
  type Detail,
  type GraphNumber,
  type InputSpec,
  type MethodRecord,
  NONE,
  type NodeNumber,
  OPS,
  type PageSkeleton,
  type Scope,
  type ScopeNumber,
  type StateEntry,
  type Target,
  type Value,
} from "./schema";
import type { OpKind } from "./tables";

/** Where reports come from, as plain data that is not checked yet. */
export interface ReportSource {
  /** A record with name, title and question for each that there is. */
  list(): Promise<readonly unknown[]>;
  report(name: string): Promise<unknown>;
}

export class Snapshot {
  readonly graphs: readonly Graph[];
  /** The number of nodes in all graphs. */
  readonly nodeCount: number;
  readonly methods: readonly MethodRecord[];
  readonly scopes: readonly Scope[];
  private readonly valueTexts: string[] = [];
  private readonly kinds: Uint8Array;
  private detailRequest: Promise<Detail> | undefined;
  private detailRead: Detail | undefined;
  private readonly waiting = new Set<() => void>();
  private states: Map<string, StateEntry> | undefined;
  private readonly placements: GraphPlacement[] = [];
  private delegateCalls: ReadonlyMap<number, DelegateCall> | undefined;
  private readonly inputSpecs = new Map<number, readonly (InputSpec | undefined)[]>();

  constructor(
    readonly skeleton: PageSkeleton,
    private readonly readDetail: () => Promise<Detail>,
    /** Bytes of the packed detail, if it is here already. */
    readonly detailBytes?: number,
    /** Users' names of symbols; they are already in the records. */
    readonly userNames: UserNames = new Map(),
    /** Absent where reports were not made, and no kernel makes them. */
    readonly reports?: ReportSource,
  ) {
    this.methods = skeleton.methods;
    this.scopes = skeleton.scopes;
    const graphs: Graph[] = [];
    let base = 0;
    skeleton.graphs.forEach((columns, number) => {
      const parent = graphs[columns.parent];
      const path = parent ? `${parent.path}/${columns.name}` : columns.name;
      graphs.push(new Graph(number, path, base, columns, skeleton.targets));
      base += columns.names.length;
    });
    this.graphs = graphs;
    this.nodeCount = base;
    this.kinds = this.kindOfEach();
  }

  /** The graph of a node, and the node's position in it. */
  locate(node: NodeNumber): { readonly graph: Graph; readonly position: number } {
    let low = 0;
    let high = this.graphs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.graphs[middle]?.base ?? 0) <= node) low = middle;
      else high = middle - 1;
    }
    const graph = this.graphs[low];
    if (!graph || node < 0 || node >= this.nodeCount) throw new RangeError(`There is no node ${node}.`);
    return { graph, position: node - graph.base };
  }

  graph(number: GraphNumber): Graph {
    const graph = this.graphs[number];
    if (!graph) throw new RangeError(`There is no graph ${number}.`);
    return graph;
  }

  name(node: NodeNumber): string {
    const { graph, position } = this.locate(node);
    return graph.name(position);
  }

  /** A node's name where people read it: of a delegate's call "XNNPACK 3", as its box is called. */
  title(node: NodeNumber): string {
    const { graph, position } = this.locate(node);
    return this.placement(graph).delegates.get(position)?.name ?? graph.name(position);
  }

  /** A node's name within the whole Snapshot: "forward/true_graph_0/sin". */
  id(node: NodeNumber): string {
    const { graph, position } = this.locate(node);
    return `${graph.path}/${graph.name(position)}`;
  }

  /** The node of an id, or of a plain name in a method's graph. */
  find(id: string): NodeNumber | undefined {
    for (const graph of this.graphs) {
      const name = id.startsWith(`${graph.path}/`) ? id.slice(graph.path.length + 1) : undefined;
      const position = name === undefined ? undefined : graph.position(name);
      if (position !== undefined) return graph.base + position;
    }
    for (const graph of this.graphs) {
      const position = graph.position(id);
      if (position !== undefined) return graph.base + position;
    }
    return undefined;
  }

  kindNumber(node: NodeNumber): number {
    return this.kinds[node] ?? 0;
  }

  kind(node: NodeNumber): OpKind {
    return OP_KINDS[this.kindNumber(node)] ?? "other";
  }

  target(node: NodeNumber): Target {
    const { graph, position } = this.locate(node);
    return graph.target(position);
  }

  value(node: NodeNumber): Value | undefined {
    const { graph, position } = this.locate(node);
    return this.skeleton.values[graph.columns.values[position] ?? NONE];
  }

  /** "f32[16, 64]"; "–" if unknown. */
  valueText(node: NodeNumber): string {
    const { graph, position } = this.locate(node);
    const number = graph.columns.values[position] ?? NONE;
    if (number === NONE) return "–";
    const text = this.valueTexts[number] ?? short(this.skeleton.values[number]);
    this.valueTexts[number] = text;
    return text;
  }

  bytes(node: NodeNumber): number | undefined {
    return valueBytes(this.value(node));
  }

  byteText(node: NodeNumber): string {
    return byteText(this.bytes(node));
  }

  /** The innermost module call of a node; NONE if there is none. */
  scopeOf(node: NodeNumber): ScopeNumber {
    const { graph, position } = this.locate(node);
    return graph.columns.scopes[position] ?? NONE;
  }

  /** The module call of a node, inferred if the node names none; NONE if there is none. */
  ownerOf(node: NodeNumber): ScopeNumber {
    const { graph, position } = this.locate(node);
    return this.placement(graph).owners[position] ?? NONE;
  }

  placement(graph: Graph): GraphPlacement {
    const known = this.placements[graph.number];
    if (known) return known;
    const placement = new GraphPlacement(graph, this.skeleton.page?.placements?.[graph.number]);
    this.placements[graph.number] = placement;
    return placement;
  }

  /** Whether a part of the program is delegated. */
  get hasDelegates(): boolean {
    return (this.skeleton.page?.placements ?? []).some(({ delegates }) => delegates?.length);
  }

  /** The call of a delegate, which has its name, by the number of its graph. */
  delegateCall(graph: GraphNumber): DelegateCall | undefined {
    this.delegateCalls ??= new Map(
      (this.skeleton.page?.placements ?? []).flatMap(({ delegates = [] }) =>
        delegates.map((call) => [call.graph, call] as const),
      ),
    );
    return this.delegateCalls.get(graph);
  }

  /** The node that runs a nested graph: the user of the attribute that names it, or what names it itself. */
  holderOf({ number, columns }: Graph): NodeNumber | undefined {
    if (columns.parent === NONE) return undefined;
    const outer = this.graph(columns.parent);
    const subgraph = (outer.columns.subgraphs ?? []).find(({ graph }) => graph === number);
    if (!subgraph) return undefined;
    const user = outer.op(subgraph.node) === "get_attr" ? outer.usersOf(subgraph.node)[0] : undefined;
    return outer.base + (user ?? subgraph.node);
  }

  /** The bytes that a backend keeps for a delegate, as Python counted them; undefined if unknown. */
  delegateBytes(graph: GraphNumber): number | undefined {
    const row = this.skeleton.page?.delegation?.delegates.find((each) => each.graph === graph);
    return row ? row.bytes : this.graph(graph).columns.delegate?.bytes;
  }

  /** "XNNPACK 3 · layers.0.mlp" for the call of a delegate; the name of any other node. */
  callName(node: NodeNumber): string {
    const [run] = this.runBy(node);
    const name = run && this.delegateCall(run.number)?.name;
    if (!name) return this.name(node);
    const row = this.skeleton.page?.delegation?.delegates.find(({ graph }) => graph === run.number);
    return [name, row?.module].filter(Boolean).join(" · ");
  }

  /** The node that runs the delegate around a node, and the delegate's name; undefined outside delegates. */
  delegateAround(node: NodeNumber): { readonly call: NodeNumber; readonly name: string } | undefined {
    if (node < 0) return undefined;
    const { graph } = this.locate(node);
    if (graph.columns.delegate === undefined) return undefined;
    const call = this.holderOf(graph);
    return call === undefined
      ? undefined
      : { call, name: this.delegateCall(graph.number)?.name ?? graph.columns.name };
  }

  /** The graphs that a node runs: those of its attributes; an instruction of a `.pte` names its own. */
  runBy(node: NodeNumber): Graph[] {
    const { graph, position } = this.locate(node);
    const isName = (at: number): boolean => graph.op(at) === "get_attr";
    const names = Array.from(graph.inputsOf(position)).filter(isName);
    return (isName(position) ? names : [position, ...names])
      .flatMap((input) => graph.subgraphsOf(input))
      .map((number) => this.graph(number));
  }

  /** These graphs and all nested in them; a graph comes after the one that contains it. */
  withNested(graphs: readonly Graph[]): readonly Graph[] {
    const found = new Set(graphs);
    for (const graph of this.graphs) {
      const { parent } = graph.columns;
      if (parent !== NONE && found.has(this.graph(parent))) found.add(graph);
    }
    return [...found];
  }

  /** A scope and those around it, outermost first. */
  scopeChain(scope: ScopeNumber): ScopeNumber[] {
    const chain: ScopeNumber[] = [];
    for (let at = scope; at !== NONE; at = this.scopes[at]?.parent ?? NONE) chain.unshift(at);
    return chain;
  }

  /** Whether a module call is that of the whole model, which has no box. */
  isWhole(scope: ScopeNumber): boolean {
    const called = this.scopes[scope];
    return called?.parent === NONE && called.path === "";
  }

  /** The entry of a placeholder in its graph's signature. */
  inputSpec(node: NodeNumber): InputSpec | undefined {
    const { graph, position } = this.locate(node);
    let specs = this.inputSpecs.get(graph.number);
    if (!specs) {
      specs = specsByPosition(graph);
      this.inputSpecs.set(graph.number, specs);
    }
    return specs[position];
  }

  /** A parameter, buffer or constant by its name. */
  state(name: string): StateEntry | undefined {
    this.states ??= new Map(
      this.methods.flatMap((method) => method.state ?? []).map((entry) => [entry.name, entry]),
    );
    return this.states.get(name);
  }

  /** The method of a graph. */
  methodOf(graph: GraphNumber): number {
    let at = graph;
    for (
      let parent = this.graph(at).columns.parent;
      parent !== NONE;
      parent = this.graph(at).columns.parent
    ) {
      at = parent;
    }
    return Math.max(
      0,
      this.methods.findIndex((method) => method.graph === at),
    );
  }

  /** What only selected nodes need. Loaded once; a failed attempt may be repeated. */
  detail(): Promise<Detail> {
    this.detailRequest ??= this.readDetail().then(
      (detail) => {
        this.detailRead = detail;
        for (const notify of this.waiting) notify();
        this.waiting.clear();
        return detail;
      },
      (problem: unknown) => {
        this.detailRequest = undefined;
        throw problem;
      },
    );
    return this.detailRequest;
  }

  /** Calls back when the detail is loaded later; does not load it. Returns a function that unsubscribes. */
  whenDetail(notify: () => void): () => void {
    if (!this.detailRead) this.waiting.add(notify);
    return () => this.waiting.delete(notify);
  }

  /** The detail if it is loaded. */
  get detailNow(): Detail | undefined {
    return this.detailRead;
  }

  private kindOfEach(): Uint8Array {
    const { targets } = this.skeleton;
    const kinds = new Uint8Array(this.nodeCount);
    const known = new Map<number, number>();
    for (const graph of this.graphs) {
      graph.columns.ops.forEach((op, position) => {
        const number = graph.columns.targets[position] ?? 0;
        const key = number * OPS.length + op;
        let kind = known.get(key);
        const target = targets[number];
        if (kind === undefined) {
          kind = target ? OP_KINDS.indexOf(opKind(graph.op(position), target)) : 0;
          known.set(key, kind);
        }
        kinds[graph.base + position] = kind;
      });
    }
    return kinds;
  }
}

/** Specs are in the order of the placeholders; if not, they are matched by name. */
function specsByPosition(graph: Graph): (InputSpec | undefined)[] {
  const specs = graph.columns.signature?.inputs ?? [];
  const found: (InputSpec | undefined)[] = [];
  let next = 0;
  for (let position = 0; position < graph.count && next < specs.length; position++) {
    if (graph.op(position) !== "placeholder") continue;
    const spec = specs[next++];
    if (spec?.arg.name === graph.name(position)) found[position] = spec;
    else if (spec) found[graph.position(spec.arg.name) ?? -1] = spec;
  }
  return found;
}
