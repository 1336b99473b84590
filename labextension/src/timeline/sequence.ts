/**
 * The ops of a method in execution order, and the spans of modules and delegates over them. The ops in a node
 * (a branch, a delegate) come right after it. Pure; built once per method.
 */
import { type DelegateCall, executionSteps, type Graph, isItem, NONE, type Snapshot } from "../snapshot";

/** One row of spans, in order and without overlap: ops `first[i]` to `last[i]`, both included. */
interface Spans {
  /** Numbers of module calls. */
  readonly scope: readonly number[];
  readonly first: readonly number[];
  readonly last: readonly number[];
}

interface DelegateSpan {
  readonly call: DelegateCall;
  readonly first: number;
  readonly last: number;
}

export interface Sequence {
  readonly snapshot: Snapshot;
  /** The graph of the method. */
  readonly graph: Graph;
  /** By op in execution order: the number of its node. */
  readonly nodes: Int32Array;
  /** By number of a node: its op, or the op that it is a part of; -1 if there is none. */
  readonly opOf: Int32Array;
  /** By execution step, and one more: the first op that runs at or after it. */
  readonly opAt: Int32Array;
  /** By op: its execution step, or that of the delegate call that runs it. */
  readonly steps: Int32Array;
  /** Modules, the outermost first, without those around almost everything. */
  readonly modules: readonly Spans[];
  readonly delegates: readonly DelegateSpan[];
}

export function sequenceOf(snapshot: Snapshot, graph: Graph): Sequence {
  const nodes: number[] = [];
  const steps: number[] = [];
  const opOf = new Int32Array(snapshot.nodeCount).fill(-1);
  const { count, nodeAt, stepOf } = executionSteps(snapshot, graph);
  /** The step after the last one found: a node of a body that several calls run has several steps. */
  let next = 0;
  const stepHere = (node: number): number | undefined => {
    if (stepOf(node) === undefined) return undefined;
    for (let step = next; step < count; step++) {
      if (nodeAt(step) !== node) continue;
      next = step + 1;
      return step;
    }
    return stepOf(node);
  };
  const opAt = new Int32Array(count + 1).fill(-1);
  const delegates: DelegateSpan[] = [];
  const owners: number[] = [];
  const walk = (within: Graph, caller: number, owner: number): void => {
    const { owners: own, into } = snapshot.placement(within);
    const run = runIn(snapshot, within);
    /** Parts of ops, such as their memory and their results, with the op. */
    const parts: [part: number, of: number][] = [];
    for (let position = 0; position < within.count; position++) {
      const step = stepHere(within.base + position);
      if (step !== undefined) opAt[step] = nodes.length;
      if (!within.computes(position)) continue;
      const host = into.get(position) ?? itemOf(within, position);
      if (host !== undefined) {
        parts.push([position, host]);
        continue;
      }
      const node = within.base + position;
      const first = nodes.length;
      const at = own[position] ?? NONE;
      opOf[node] = first;
      nodes.push(node);
      steps.push(step ?? caller);
      owners.push(at === NONE ? owner : at);
      for (const inner of run.get(position) ?? []) {
        walk(inner, step ?? caller, at === NONE ? owner : at);
        const call = snapshot.delegateCall(inner.number);
        if (call) delegates.push({ call, first, last: nodes.length - 1 });
      }
    }
    for (const [part, of] of parts) opOf[within.base + part] = opOf[within.base + of] ?? -1;
  };
  walk(graph, 0, NONE);
  opAt[count] = nodes.length;
  for (let step = count - 1; step >= 0; step--) if (opAt[step] === -1) opAt[step] = opAt[step + 1] ?? 0;
  return {
    snapshot,
    graph,
    nodes: Int32Array.from(nodes),
    opOf,
    opAt,
    steps: Int32Array.from(steps),
    modules: spansOf(snapshot, owners, aroundMost(snapshot, owners)),
    delegates,
  };
}

/** The op that returns an item's tuple. */
function itemOf(graph: Graph, position: number): number | undefined {
  const [source] = graph.inputsOf(position);
  if (source === undefined || !isItem(graph.target(position))) return undefined;
  return graph.computes(source) ? source : undefined;
}

/** By position of a call: the graphs that it runs. A file's call holds its delegate itself; else an attribute does. */
function runIn(snapshot: Snapshot, graph: Graph): Map<number, Graph[]> {
  const found = new Map<number, Graph[]>();
  for (const { node, graph: number } of graph.columns.subgraphs ?? []) {
    const holder = graph.computes(node) ? node : (graph.usersOf(node)[0] ?? node);
    found.set(holder, [...(found.get(holder) ?? []), snapshot.graph(number)]);
  }
  return found;
}

/** A module with more than this share of the ops, such as "model", distinguishes nothing. */
const MOST = 0.9;

/** Modules around almost all ops. */
function aroundMost(snapshot: Snapshot, owners: readonly number[]): ReadonlySet<number> {
  const own = new Map<number, number>();
  for (const owner of owners) own.set(owner, (own.get(owner) ?? 0) + 1);
  const all = new Map<number, number>();
  for (const [owner, count] of own)
    for (const scope of snapshot.scopeChain(owner)) all.set(scope, (all.get(scope) ?? 0) + count);
  return new Set([...all].flatMap(([scope, count]) => (count >= MOST * owners.length ? [scope] : [])));
}

/** A span ends if the next op is not in its module. Modules in `without` have none. */
function spansOf(snapshot: Snapshot, owners: readonly number[], without: ReadonlySet<number>): Spans[] {
  interface Row {
    readonly scope: number[];
    readonly first: number[];
    readonly last: number[];
  }
  const rows: Row[] = [];
  const chains = new Map<number, readonly number[]>();
  let open: readonly number[] = [];
  owners.forEach((owner, op) => {
    const chain =
      chains.get(owner) ??
      snapshot.scopeChain(owner).filter((scope) => !without.has(scope) && !snapshot.isWhole(scope));
    chains.set(owner, chain);
    let isSame = true;
    chain.forEach((scope, depth) => {
      isSame &&= open[depth] === scope;
      rows[depth] ??= { scope: [], first: [], last: [] };
      const row = rows[depth] as Row;
      if (isSame) {
        row.last[row.last.length - 1] = op;
      } else {
        row.scope.push(scope);
        row.first.push(op);
        row.last.push(op);
      }
    });
    open = chain;
  });
  return rows;
}

/** The span of an op; -1 if there is none. */
export function spanAt({ first, last }: Pick<Spans, "first" | "last">, op: number): number {
  let low = 0;
  let high = first.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((first[middle] ?? 0) <= op) low = middle;
    else high = middle - 1;
  }
  return (first[low] ?? Number.POSITIVE_INFINITY) <= op && op <= (last[low] ?? -1) ? low : -1;
}

/** Ops as ranges of neighbours: [first, last] of each, in order. */
export function rangesOf(ops: Iterable<number>): readonly (readonly [number, number])[] {
  const sorted = Int32Array.from(new Set(ops)).sort();
  const ranges: [number, number][] = [];
  for (const op of sorted) {
    const range = ranges.at(-1);
    if (range && range[1] === op - 1) range[1] = op;
    else ranges.push([op, op]);
  }
  return ranges;
}
