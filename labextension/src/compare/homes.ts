/**
 * In which module calls the nodes of one side are told of: the rule that the counts by module follow too (see
 * `exir_viz/compare/reading/homes.py`). A node where its cost counts; state where it is read, else where its name says;
 * all else in the whole model.
 */
import { stateKind, stateName } from "../picture/fold";
import { modulePath } from "../picture/rollup";
import { Modules } from "../profile/modules";
import { NONE, type Scope, type Snapshot } from "../snapshot";

export class Homes {
  private readonly modules: Modules;
  /** Of nodes that name no module themselves. */
  private readonly known = new Map<number, readonly number[]>();
  private named: ReadonlyMap<string, number> | undefined;

  constructor(private readonly snapshot: Snapshot) {
    this.modules = new Modules(snapshot);
  }

  /** The innermost module calls, by their scopes; none where there is no call of the whole model. */
  of(node: number): readonly number[] {
    const own = this.snapshot.scopeOf(node);
    if (own !== NONE) return [own];
    const homes = this.known.get(node) ?? this.find(node);
    this.known.set(node, homes);
    return homes;
  }

  /** Asked of a node: whether it is told of in a module call, or in one within that. */
  within(scope: number): (node: number) => boolean {
    const inside = new Set([scope]);
    this.snapshot.scopes.forEach(({ parent }, at) => {
      if (parent !== NONE && inside.has(parent)) inside.add(at);
    });
    return (node) => this.of(node).some((home) => inside.has(home));
  }

  private find(node: number): readonly number[] {
    const { graph, position } = this.snapshot.locate(node);
    const isState = stateKind(this.snapshot, graph, position) !== undefined;
    const found = isState ? this.ofState(node) : [this.modules.scopeOf(node)];
    const homes = [...new Set(found)].filter((scope) => scope !== NONE);
    return homes.length > 0 ? homes : this.whole(this.snapshot.methodOf(graph.number));
  }

  private ofState(node: number): readonly number[] {
    const { graph, position } = this.snapshot.locate(node);
    const readers = Array.from(graph.usersOf(position), (user) => this.modules.scopeOf(graph.base + user));
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
    this.named ??= new Map(
      this.snapshot.scopes.map(({ path }, at) => [modulePath(path), at] as const).reverse(),
    );
    return this.named;
  }

  /** The call of the whole model in a method, else any there is. */
  private whole(method: number): readonly number[] {
    const { scopes, methods } = this.snapshot;
    const roots = scopes.flatMap((scope, at) => (isWhole(scope) ? [at] : []));
    if (roots.length < 2) return roots;
    const graph = this.snapshot.graph(methods[method]?.graph ?? 0);
    const called = new Set(Array.from(graph.columns.scopes, (scope) => this.snapshot.scopeChain(scope)[0]));
    return [roots.find((at) => called.has(at)) ?? roots[0] ?? NONE];
  }
}

const isWhole = ({ parent, path }: Scope): boolean => parent === NONE && modulePath(path) === "";
