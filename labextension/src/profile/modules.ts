/**
 * The module call of each node: of one that names none, that of the node that holds its graph; of a delegate that names
 * none, that around all it took; of an element of a tuple that names none, that of what made the tuple.
 */
import { modulePath } from "../picture/rollup";
import { NONE, opName, type Snapshot } from "../snapshot";

const ROOT = "(root)";

const known = new WeakMap<Snapshot, Modules>();

/** Made once per Snapshot. */
export function modulesOf(snapshot: Snapshot): Modules {
  const modules = known.get(snapshot) ?? new Modules(snapshot);
  known.set(snapshot, modules);
  return modules;
}

export class Modules {
  private readonly ofGraph = new Map<number, number>();
  private readonly ofCall = new Map<number, number>();

  constructor(private readonly snapshot: Snapshot) {}

  scopeOf(node: number): number {
    const own = this.snapshot.scopeOf(node);
    if (own !== NONE) return own;
    const common = this.ofCall.get(node) ?? this.commonWithin(node);
    this.ofCall.set(node, common);
    if (common !== NONE) return common;
    const { graph, position } = this.snapshot.locate(node);
    const tuple = opName(this.snapshot.target(node)) === "getitem" ? graph.inputsOf(position)[0] : undefined;
    return tuple === undefined ? this.ofHolder(graph.number) : this.scopeOf(graph.base + tuple);
  }

  /** "layers.0", and "layers.0@1" for its second call. */
  name(scope: number): string {
    const { path = "", call = 0 } = this.snapshot.scopes[scope] ?? {};
    const name = modulePath(path) || ROOT;
    return call ? `${name}@${call}` : name;
  }

  private ofHolder(graph: number): number {
    const found = this.ofGraph.get(graph);
    if (found !== undefined) return found;
    const holder = this.snapshot.holderOf(this.snapshot.graph(graph));
    const scope = holder === undefined ? NONE : this.scopeOf(holder);
    this.ofGraph.set(graph, scope);
    return scope;
  }

  /** Around all that a backend took, for a call of it that names no module itself. */
  private commonWithin(node: number): number {
    let common: number[] | undefined;
    for (const inner of this.snapshot.runBy(node)) {
      if (!inner.columns.delegate) continue;
      for (let i = 0; i < inner.count; i++) {
        const scope = inner.columns.scopes[i] ?? NONE;
        if (inner.op(i) !== "call_function" || scope === NONE) continue;
        const chain = this.snapshot.scopeChain(scope);
        const first = common ?? chain;
        const end = first.findIndex((each, at) => chain[at] !== each);
        common = end < 0 ? first : first.slice(0, end);
      }
    }
    return common?.at(-1) ?? NONE;
  }
}
