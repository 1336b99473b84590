/**
 * The module calls that the nodes of one side are attributed to. Counts by module follow the same rule (see
 * `exir_viz/compare/normalize/module_attribution.py`): a node belongs where its cost counts; state where it
 * is read, else where its name points; everything else to the whole model. A module call without nodes has no
 * entry.
 */
import { stateKind, stateName } from "../../picture/fold";
import { modulePath } from "../../picture/rollup";
import { NONE, type Snapshot } from "../../snapshot";

const known = new WeakMap<Snapshot, ModuleAttribution>();

/** The attribution of a Snapshot, shared by all comparisons with it. */
export function attributionOf(snapshot: Snapshot): ModuleAttribution {
  const owners = known.get(snapshot) ?? new ModuleAttribution(snapshot);
  known.set(snapshot, owners);
  return owners;
}

export class ModuleAttribution {
  /** By node. */
  private readonly known = new Map<number, readonly number[]>();
  private readonly wholes = new Map<number, readonly number[]>();
  private calledScopes: readonly number[] | undefined;
  private named: ReadonlyMap<string, number> | undefined;

  constructor(private readonly snapshot: Snapshot) {}

  /** The innermost module calls, as scopes; empty if there is no call of the whole model. */
  of(node: number): readonly number[] {
    const owners = this.known.get(node) ?? this.find(node);
    this.known.set(node, owners);
    return owners;
  }

  private find(node: number): readonly number[] {
    const { graph, position } = this.snapshot.locate(node);
    const isState = stateKind(this.snapshot, graph, position) !== undefined;
    const found = isState ? this.ofState(node) : [this.snapshot.ownerOf(node)];
    const owners = [...new Set(found)].filter((scope) => scope !== NONE);
    return owners.length > 0 ? owners : this.whole(this.snapshot.methodOf(graph.number));
  }

  private ofState(node: number): readonly number[] {
    const own = this.snapshot.scopeOf(node);
    if (own !== NONE) return [own];
    const { graph, position } = this.snapshot.locate(node);
    const readers = Array.from(graph.usersOf(position), (user) => this.snapshot.ownerOf(graph.base + user));
    if (readers.some((scope) => scope !== NONE)) return readers;
    let path = stateName(this.snapshot, node);
    while (path) {
      path = path.slice(0, Math.max(0, path.lastIndexOf(".")));
      const scope = path ? this.byPath.get(path) : undefined;
      if (scope !== undefined) return [scope];
    }
    return [];
  }

  /** The first call of each module. */
  private get byPath(): ReadonlyMap<string, number> {
    this.named ??= new Map(this.called.map((at) => [this.path(at), at] as const).reverse());
    return this.named;
  }

  /** The call of the whole model in a method, else in any. */
  private whole(method: number): readonly number[] {
    const known = this.wholes.get(method) ?? this.findWhole(method);
    this.wholes.set(method, known);
    return known;
  }

  private findWhole(method: number): readonly number[] {
    const { scopes, methods } = this.snapshot;
    const roots = this.called.filter((at) => scopes[at]?.parent === NONE && this.path(at) === "");
    if (roots.length < 2) return roots;
    const graph = this.snapshot.graph(methods[method]?.graph ?? 0);
    const called = [...new Set(graph.columns.scopes)];
    const outermost = new Set(called.map((scope) => this.snapshot.scopeChain(scope)[0]));
    return [roots.find((at) => outermost.has(at)) ?? roots[0] ?? NONE];
  }

  /** The module calls that contain a node, directly or in submodules. */
  private get called(): readonly number[] {
    if (this.calledScopes) return this.calledScopes;
    const { scopes, graphs } = this.snapshot;
    const found = new Set(graphs.flatMap((graph) => [...new Set(graph.columns.scopes)]));
    for (let at = scopes.length - 1; at >= 0; at--) if (found.has(at)) found.add(scopes[at]?.parent ?? NONE);
    this.calledScopes = scopes.flatMap((_, at) => (found.has(at) ? [at] : []));
    return this.calledScopes;
  }

  private path(scope: number): string {
    return modulePath(this.snapshot.scopes[scope]?.path ?? "");
  }
}
