/** The text of boxes: titles, subtitles, badges, and the keys by which a view remembers them. */
import {
  baseName,
  byteText,
  countText,
  type DelegateCall,
  framesOf,
  type Graph,
  ITEM,
  NONE,
  type NodeNumber,
  type NodeValues,
  opName,
  opTitle,
  type Scope,
  type ScopeNumber,
  type Snapshot,
  usersFrame,
} from "../snapshot";
import type { PartOf } from "./build";
import { chipOf } from "./fold";
import { ItemKind } from "./items";
import { modulePath, type StateCount, stateByPath } from "./rollup";
import { type RunsOnCpu, runsOnCpu } from "./runs_on_cpu";
import type { Chip } from "./sizes";
import type { Structure } from "./structure";

const counted = (count: number, one: string): string => `${countText(count)} ${one}${count === 1 ? "" : "s"}`;

export class BoxLabels {
  private readonly opsBefore: Int32Array;
  private readonly onCpuBefore: Int32Array;
  private readonly onCpu: RunsOnCpu;
  private readonly state: ReadonlyMap<string, StateCount>;

  constructor(
    private readonly snapshot: Snapshot,
    graph: Graph,
    private readonly structure: Structure,
    private readonly values: NodeValues,
  ) {
    const method = snapshot.methods[snapshot.methodOf(graph.number)];
    this.state = method ? stateByPath(snapshot, method) : new Map();
    this.onCpu = runsOnCpu(snapshot);
    this.opsBefore = this.countLeaves((node) => {
      const { graph, position } = snapshot.locate(node);
      return graph.isOp(position);
    });
    this.onCpuBefore = this.countLeaves((node) => this.onCpu.nodes.has(node));
  }

  title(item: number): string {
    const { refs } = this.structure;
    switch (this.structure.kind[item]) {
      case ItemKind.Module:
        return this.moduleTitle(item);
      case ItemKind.Graph:
        return this.snapshot.graphs[refs.graph(item)]?.columns.name ?? "";
      case ItemKind.Ours:
        return this.oursTitle(item);
      default: {
        const { graph, position } = this.snapshot.locate(refs.node(item));
        const delegate = this.delegateOf(item);
        if (delegate) return delegate.name;
        const call = this.snapshot.placement(graph).delegates.get(position);
        return call?.name ?? opTitle(graph.op(position), graph.target(position), graph.name(position));
      }
    }
  }

  /** For identical siblings in one box: "layers.0 – layers.31". */
  titleOfRun(first: number, last: number): string {
    return first === last || !this.isNamed(first)
      ? this.title(first)
      : `${this.title(first)} – ${this.title(last)}`;
  }

  /** Whether its title is its own name, not made from its content. */
  isNamed(item: number): boolean {
    const group = this.structure.refs.group(item);
    return group === NONE || this.structure.ours[group]?.title !== undefined;
  }

  /** A node's value, a module's class, or the source of an inserted group. */
  subtitle(item: number): string {
    const { refs } = this.structure;
    switch (this.structure.kind[item]) {
      case ItemKind.Module:
        return shortClass(this.scope(item)?.cls ?? "");
      case ItemKind.Graph: {
        const delegate = this.snapshot.graphs[refs.graph(item)]?.columns.delegate;
        return delegate ? delegate.backend : "graph";
      }
      case ItemKind.Ours:
        return this.structure.ours[refs.group(item)]?.subtitle ?? "";
      default: {
        const delegate = this.delegateOf(item);
        if (delegate) return this.placeOf(item);
        const text = this.values.text(refs.node(item));
        return text === "–" ? "" : text;
      }
    }
  }

  /** Additional text in a large op box: the op in full, its bytes, the user's line. */
  details(item: number): string[] {
    if (this.structure.kind[item] !== ItemKind.Node) return [];
    const node = this.structure.refs.node(item);
    const { graph, position } = this.snapshot.locate(node);
    const isCall = graph.op(position) === "call_function";
    const detail = this.snapshot.detailNow;
    const frames = detail ? framesOf(this.snapshot, detail, node) : [];
    const frame = frames[usersFrame(frames)];
    const bytes = this.values.bytes(node);
    return [
      isCall ? opName(graph.target(position)) : "",
      bytes === undefined ? "" : byteText(bytes),
      frame ? `${baseName(frame.file)}:${frame.line}` : "",
      frame?.code?.trim().split("\n")[0] ?? "",
    ].filter(Boolean);
  }

  chips(item: number): Chip[] {
    const { chips, writes } = this.structure.built;
    const state = chips.get(item);
    const written = writes.get(item);
    if (!state && !written) return [];
    const found = (state ?? []).flatMap((node) => chipOf(this.snapshot, node) ?? []);
    // "→ running_mean": the state or input that a node's value is written to.
    for (const to of written ?? [])
      found.push({ text: `→ ${to.length > 14 ? `${to.slice(0, 13)}…` : to}`, short: "→" });
    return found;
  }

  /** How many values have lines into an op's box: those that are not chips. */
  linesInto(item: number): number {
    const { graph, position } = this.snapshot.locate(this.structure.refs.node(item));
    return graph.inputsOf(position).length - (this.structure.built.chips.get(item)?.length ?? 0);
  }

  /** At the right of a module's header. */
  badges(item: number): string[] {
    const ops = this.opsOf(item);
    const { from, to } = this.structure.hierarchy;
    const nodes = (to[item] ?? 0) - (from[item] ?? 0);
    const onCpu = this.cpuBadge(item);
    const found = [this.isAllOnCpu(item) ? "" : counted(ops || nodes, ops ? "op" : "node"), onCpu].filter(
      Boolean,
    );
    const parameters = this.stateOf(item)?.parameters;
    if (parameters) found.unshift(`${countText(parameters)} params`);
    const part = this.partOf(item);
    if (part) return [`part ${part.at + 1} of ${part.count}`, ...found];
    const delegate = this.delegateOf(item);
    const bytes = delegate && this.snapshot.delegateBytes(delegate.graph);
    if (bytes !== undefined) found.push(byteText(bytes));
    return found;
  }

  /** Calls in an item, including nested graphs. */
  opsOf(item: number): number {
    return this.within(this.opsBefore, item);
  }

  /** "3 on CPU", or "5 ops on CPU" if all are, in a program that a backend runs the rest of; else empty. */
  cpuBadge(item: number): string {
    const count = this.within(this.onCpuBefore, item);
    if (count === 0) return "";
    return this.isAllOnCpu(item) ? `${counted(count, "op")} on CPU` : `${countText(count)} on CPU`;
  }

  /** Whether no backend runs any op of a module, in a program that a backend runs the rest of. */
  isAllOnCpu(item: number): boolean {
    const count = this.within(this.onCpuBefore, item);
    return count > 0 && count === this.opsOf(item);
  }

  /** Whether no backend runs an op, in a program that a backend runs the rest of. */
  isOnCpu(item: number): boolean {
    return (
      this.structure.kind[item] === ItemKind.Node && this.onCpu.nodes.has(this.structure.refs.node(item))
    );
  }

  /** Whether an item is a delegate of one op, or that op. */
  isSmallDelegate(item: number): boolean {
    const node = this.structure.refs.node(item);
    if (node === NONE) return false;
    return this.onCpu.small.has(this.delegateOf(item)?.graph ?? this.snapshot.locate(node).graph.number);
  }

  private within(before: Int32Array, item: number): number {
    const { from, to } = this.structure.hierarchy;
    return (before[to[item] ?? 0] ?? 0) - (before[from[item] ?? 0] ?? 0);
  }

  stateOf(item: number): StateCount | undefined {
    return this.stateOfModule(this.structure.refs.scope(item));
  }

  /** By its scope, drawn or not. */
  stateOfModule(scope: ScopeNumber): StateCount | undefined {
    const { path } = this.snapshot.scopes[scope] ?? {};
    return path === undefined ? undefined : this.state.get(modulePath(path));
  }

  /** Stable between sessions. */
  key(item: number): string {
    const { refs } = this.structure;
    const graph = this.snapshot.graphs[this.structure.graph[item] ?? 0]?.path ?? "";
    switch (this.structure.kind[item]) {
      case ItemKind.Module:
        return `${graph}:${this.scope(item)?.key ?? refs.scope(item)}`;
      case ItemKind.Graph:
        return `${this.snapshot.graphs[refs.graph(item)]?.path ?? ""}/`;
      case ItemKind.Ours:
        return `${graph}#${this.title(item)}@${this.firstName(item)}:${this.depth(item)}`;
      case ItemKind.Holder:
        return `${this.snapshot.id(refs.node(item))}()${this.partOf(item)?.at || ""}`;
      default:
        return this.snapshot.id(refs.node(item));
    }
  }

  private firstName(item: number): string {
    const { leaf, from } = this.structure.hierarchy;
    return this.snapshot.id(this.structure.refs.node(leaf[from[item] ?? 0] ?? 0));
  }

  private depth(item: number): number {
    const { parent } = this.structure.hierarchy.tree;
    let depth = 0;
    for (let at = parent[item] ?? -1; at !== -1; at = parent[at] ?? -1) depth++;
    return depth;
  }

  private scope(item: number): Scope | undefined {
    return this.snapshot.scopes[this.structure.refs.scope(item)];
  }

  /** The delegate of an item's box. */
  delegateOf(item: number): DelegateCall | undefined {
    if (this.structure.kind[item] !== ItemKind.Holder) return undefined;
    const { graph, position } = this.snapshot.locate(this.structure.refs.node(item));
    const call = this.snapshot.placement(graph).delegates.get(position);
    return call?.is_linked ? call : undefined;
  }

  /** Which part of a delegate a box shows; undefined if it shows all of it, or something else. */
  partOf(item: number): PartOf | undefined {
    return this.structure.built.partOf.get(item);
  }

  /** The path of the module that a delegate or its part belongs to. */
  private placeOf(item: number): string {
    const owner = this.partOf(item)?.owner ?? this.snapshot.ownerOf(this.structure.refs.node(item));
    const scope = this.snapshot.scopes[owner];
    return scope ? modulePath(scope.path) : "";
  }

  /** The path from its parent module: "layers.5" in "model". */
  private moduleTitle(item: number): string {
    const { path = "", cls = "", key = "", call = 0 } = this.scope(item) ?? {};
    let outer = "";
    for (let at = this.structure.hierarchy.tree.parent[item] ?? -1; at !== -1; ) {
      outer = this.scope(at)?.path ?? "";
      at = outer ? -1 : (this.structure.hierarchy.tree.parent[at] ?? -1);
    }
    const own = outer && path.startsWith(`${outer}.`) ? path.slice(outer.length + 1) : path;
    return (own || shortClass(cls) || key) + (call ? ` · call ${call + 1}` : "");
  }

  private oursTitle(item: number): string {
    const given = this.structure.ours[this.structure.refs.group(item)]?.title;
    if (given) return given;
    const { leaf, from, to, children } = this.structure.hierarchy;
    const inner = children.item.subarray(children.start[item], children.start[item + 1]);
    if (inner.length > 1 && inner.every((each) => this.structure.kind[each] !== ItemKind.Node)) {
      return `${this.title(inner[0] ?? 0)} – ${this.title(inner[inner.length - 1] ?? 0)}`;
    }
    // An element of a tuple is named after the op that returns the tuple.
    const leaves = leaf.subarray(from[item] ?? 0, to[item] ?? 0);
    const named = leaves.filter((each) => this.title(each) !== ITEM);
    const first = named[0] ?? leaves[0];
    const last = named.at(-1) ?? leaves.at(-1);
    if (first === undefined || last === undefined) return "empty";
    return first === last ? this.title(first) : `${this.title(first)} … ${this.title(last)}`;
  }

  /** By leaf, and one more: how many of those before it are counted. */
  private countLeaves(isCounted: (node: NodeNumber) => boolean): Int32Array {
    const { leaf } = this.structure.hierarchy;
    const before = new Int32Array(leaf.length + 1);
    leaf.forEach((item, i) => {
      before[i + 1] = (before[i] ?? 0) + (isCounted(this.structure.refs.node(item)) ? 1 : 0);
    });
    return before;
  }
}

const shortClass = (cls: string): string => cls.slice(cls.lastIndexOf(".") + 1);
