/** The content of a module call: counted over its graph when it is selected. */
import { modulePath, type StateCount, stateByPath } from "../picture/rollup";
import { byText, doesWork, NONE, OP_KINDS, type OpKind, opName, type Snapshot } from "../snapshot";

interface ModuleFacts {
  readonly nodes: readonly number[];
  readonly ops: number;
  readonly parameters: number;
  readonly bytes: number;
  /** Direct child calls in the order in which they first run. */
  readonly children: readonly number[];
  /** Scopes of the same module: more than one if it is called again. */
  readonly calls: readonly number[];
}

/** Parameters and bytes of a graph's method by module path. Slow with much state, so callers cache it. */
export function stateOf(snapshot: Snapshot, graph: number): ReadonlyMap<string, StateCount> {
  const method = snapshot.methods[snapshot.methodOf(graph)];
  return method ? stateByPath(snapshot, method) : new Map();
}

export function moduleFacts(
  snapshot: Snapshot,
  graph: number,
  scope: number,
  states: ReadonlyMap<string, StateCount>,
): ModuleFacts {
  const { scopes } = snapshot;
  // By scope: the child of `scope` that contains it, `scope` itself, or NONE.
  const branch = new Int32Array(scopes.length).fill(NONE);
  scopes.forEach(({ parent }, number) => {
    if (number === scope) branch[number] = scope;
    else if (parent === scope) branch[number] = number;
    else branch[number] = parent === NONE ? NONE : (branch[parent] ?? NONE);
  });
  const nodes: number[] = [];
  const children = new Set<number>();
  for (const node of nodesInPlace(snapshot, graph)) {
    const at = branch[snapshot.ownerOf(node)] ?? NONE;
    if (at === NONE) continue;
    nodes.push(node);
    if (at !== scope) children.add(at);
  }
  const own = scopes[scope];
  const state = states.get(modulePath(own?.path ?? ""));
  return {
    nodes,
    ops: nodes.filter((node) => isOp(snapshot, node)).length,
    parameters: state?.parameters ?? 0,
    bytes: state?.bytes ?? 0,
    children: [...children],
    calls: scopes.flatMap((each, number) =>
      own && each.path === own.path && each.cls === own.cls ? [number] : [],
    ),
  };
}

/** The nodes of a graph in order, with those of its delegates in place of their calls. */
function nodesInPlace(snapshot: Snapshot, number: number): number[] {
  const graph = snapshot.graph(number);
  const { delegates } = snapshot.placement(graph);
  const items = new Set([...delegates.values()].flatMap(({ outputs = [] }) => outputs.map(([item]) => item)));
  return Array.from({ length: graph.count }, (_, position) => position).flatMap((position) => {
    const call = delegates.get(position);
    if (!call?.is_linked) return items.has(position) ? [] : [graph.base + position];
    const inner = snapshot.graph(call.graph);
    const all = Array.from({ length: inner.count }, (_, at) => inner.base + at);
    return all.filter((node) => isCall(snapshot, node));
  });
}

function isCall(snapshot: Snapshot, node: number): boolean {
  const { graph, position } = snapshot.locate(node);
  return graph.computes(position);
}

function isOp(snapshot: Snapshot, node: number): boolean {
  const { graph, position } = snapshot.locate(node);
  return graph.isOp(position);
}

interface OpCount {
  readonly name: string;
  readonly kind: OpKind;
  readonly nodes: readonly number[];
}

/** Nodes by op, the most frequent first; then calls without work of their own; last, nodes without a call. */
export function countOps(snapshot: Snapshot, nodes: readonly number[]): OpCount[] {
  const found = new Map<string, number[]>();
  for (const node of nodes) {
    const { graph, position } = snapshot.locate(node);
    const name = isCall(snapshot, node) ? opName(graph.target(position)) : graph.op(position);
    const list = found.get(name);
    if (list) list.push(node);
    else found.set(name, [node]);
  }
  const rank = ({ kind, nodes: [first = 0] }: OpCount): number => {
    if (!isCall(snapshot, first)) return 2;
    return kind === "delegate" || !doesWork(snapshot.target(first)) ? 1 : 0;
  };
  return [...found]
    .map(
      ([name, list]): OpCount => ({
        name,
        kind: OP_KINDS[snapshot.kindNumber(list[0] ?? 0)] ?? "other",
        nodes: list,
      }),
    )
    .sort((a, b) => rank(a) - rank(b) || b.nodes.length - a.nodes.length || byText(a.name, b.name));
}
