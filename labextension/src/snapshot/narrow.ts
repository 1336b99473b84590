/**
 * Validates a Skeleton and a Detail when they are read, so that no other code gets an index out of range.
 *
 * The rules are those of `exir_viz/snapshot/validate.py`; both are tested with `tests/cases/snapshots.json`.
 * Text is not checked, because it is only shown as text.
 */
import { UnreadableSnapshot } from "./container";
import {
  type Arg,
  type Call,
  type Delegation,
  type Detail,
  type GraphColumns,
  type GraphDetail,
  type GraphNumber,
  MAX_DEPTH,
  MAX_NESTING,
  type MethodDetail,
  type MethodMemory,
  NONE,
  OPS,
  PAGE_VERSION,
  type PageData,
  type PageSkeleton,
  type Payload,
  type Placement,
  SCHEMA,
  type Skeleton,
  type Tree,
  type Value,
} from "./schema";

export function asSkeleton(raw: unknown): Skeleton {
  const skeleton = raw as Skeleton;
  const ok =
    isRecord(raw) &&
    areLists(raw, "methods", "graphs", "targets", "values", "scopes") &&
    isRecord(raw["origin"]) &&
    raw["schema"] === SCHEMA;
  if (!ok) throw new UnreadableSnapshot("Its skeleton does not follow the schema.");
  skeleton.scopes.forEach((scope, i) => {
    check(within([scope.parent], i, NONE), "a scope's parent comes after it");
  });
  const depths: number[] = [];
  skeleton.graphs.forEach((graph, number) => {
    checkGraph(skeleton, graph, number);
    const depth = (depths[graph.parent] ?? -1) + 1;
    check(depth <= MAX_NESTING, `graph ${graph.name} is nested more than ${MAX_NESTING} deep`);
    depths.push(depth);
  });
  checkHolders(skeleton);
  check(!isDeep(skeleton.values, valueChildren), `a value is nested more than ${MAX_DEPTH} deep`);
  check(areDistinct(skeleton.methods.map(({ name }) => name)), "two methods have the same name");
  for (const method of skeleton.methods) {
    check(within([method.graph], skeleton.graphs.length), `method ${method.name} has no graph`);
    check(
      within(method.state?.map((entry) => entry.value) ?? [], skeleton.values.length),
      "a state entry has no value",
    );
  }
  check(skeleton.methods.length > 0, "it has no method");
  return skeleton;
}

/** A skeleton with its page data: from a file's section, or inside the skeleton from a kernel. */
export function asPageSkeleton(raw: unknown, file?: unknown): PageSkeleton {
  const { page: sent, ...rest } = asSkeleton(raw) as PageSkeleton;
  const page = asPageData(file ?? sent, rest);
  return page ? { ...rest, page } : rest;
}

/** Undefined if absent, or of a version that this page does not know. */
function asPageData(raw: unknown, skeleton: Skeleton): PageData | undefined {
  if (!isRecord(raw) || raw["version"] !== PAGE_VERSION) return undefined;
  const page = raw as unknown as PageData;
  page.placements?.forEach((placement, number) => {
    checkPlacement(skeleton, placement, number);
  });
  if (page.delegation) checkDelegation(skeleton, page.delegation);
  const count = skeleton.graphs.reduce((sum, graph) => sum + graph.names.length, 0);
  for (const { nodes } of page.dtypes ?? []) check(within(nodes, count), "dtypes are of no node");
  page.memory?.forEach((memory, i) => {
    const { steps = [] } = memory;
    const own = skeleton.graphs[skeleton.methods[i]?.graph ?? NONE]?.names.length ?? 0;
    check(within(steps, count), "an execution step is of no node");
    checkMemory(memory, steps.length || own);
  });
  return page;
}

/** One node of its parent refers to each nested graph; every other graph is a method's. */
function checkHolders({ graphs, methods }: Skeleton): void {
  const counts = new Uint32Array(graphs.length);
  graphs.forEach(({ subgraphs = [] }, number) => {
    for (const { graph } of subgraphs)
      if (graphs[graph]?.parent === number) counts[graph] = (counts[graph] ?? 0) + 1;
  });
  const own = new Set(methods.map(({ graph }) => graph));
  graphs.forEach((graph, number) => {
    const isReached = graph.parent === NONE ? own.has(number as GraphNumber) : counts[number] === 1;
    check(isReached, `graph ${graph.name} has no holder`);
  });
}

function checkGraph(skeleton: Skeleton, graph: GraphColumns, number: number): void {
  const what = (problem: string): string => `graph ${graph.name}: ${problem}`;
  const count = graph.names.length;
  const columns = [graph.ops, graph.targets, graph.values, graph.scopes, graph.arity];
  check(
    columns.every((column) => Array.isArray(column) && column.length === count),
    what("columns differ in length"),
  );
  check(areDistinct(graph.names), what("two nodes have the same name"));
  check(within(graph.ops, OPS.length), what("an op has no name"));
  check(within(graph.targets, skeleton.targets.length), what("a node has no target"));
  check(within(graph.values, skeleton.values.length, NONE), what("a value is missing"));
  check(within(graph.scopes, skeleton.scopes.length, NONE), what("a scope is missing"));
  check(
    graph.parent === NONE || (graph.parent >= 0 && graph.parent < number),
    what("its parent is not before it"),
  );
  check(within(graph.arity, Number.MAX_SAFE_INTEGER), what("a count of inputs is negative"));
  let at = 0;
  graph.arity.forEach((arity, node) => {
    for (let i = 0; i < arity; i++) {
      const back = graph.inputs[at++] ?? 0;
      check(back >= 1 && back <= node, what("a node uses what is not before it"));
    }
  });
  check(at === graph.inputs.length, what("inputs and their counts differ"));
  for (const subgraph of graph.subgraphs ?? []) {
    check(
      within([subgraph.node], count) && within([subgraph.graph], skeleton.graphs.length),
      what("it holds no graph"),
    );
    // A graph has one holder: graphs form a tree, so that walking them is linear.
    const isInside = subgraph.graph > number && skeleton.graphs[subgraph.graph]?.parent === number;
    check(isInside, what("it holds a graph that is not its own"));
  }
}

function checkDelegation(skeleton: Skeleton, { delegates, cpu }: Delegation): void {
  const nodes = skeleton.graphs.reduce((sum, graph) => sum + graph.names.length, 0);
  const graphs = delegates.map(({ graph }) => graph);
  check(within(graphs, skeleton.graphs.length), "a delegate has no graph");
  check(
    cpu.every((row) => within(row.nodes, nodes)),
    "an op on the CPU is no node",
  );
}

function checkPlacement(skeleton: Skeleton, placement: Placement, number: number): void {
  const { inferred = [], owners = [], folded = [], into = [], written = [], delegates = [] } = placement;
  const count = skeleton.graphs[number]?.names.length ?? 0;
  check(inferred.length === owners.length && folded.length === into.length, "columns of a placement differ");
  check(within([...inferred, ...folded, ...into, ...written], count), "a placement names no node");
  check(within(owners, skeleton.scopes.length), "a placement names no module");
  const parts = new Set(folded);
  check(!into.some((position) => parts.has(position)), "a node is folded into one that is folded");
  const nodes = skeleton.graphs.reduce((sum, each) => sum + each.names.length, 0);
  check(within(placement.order ?? [], nodes), "an order names no node");
  for (const { call, graph, inputs = [], outputs = [], parts = [] } of delegates) {
    check(within([graph], skeleton.graphs.length) && graph > number, "a delegate has no graph");
    const inner = skeleton.graphs[graph]?.names.length ?? 0;
    const outside = [call, ...inputs.map(([, to]) => to), ...outputs.map(([from]) => from)];
    const inside = [...inputs.map(([from]) => from), ...outputs.map(([, to]) => to)];
    check(within(outside, count) && within(inside, inner), "a delegate is wired to no node");
    for (const { owner, nodes } of parts) {
      check(within([owner], skeleton.scopes.length, NONE), "a part of a delegate is in no module");
      check(within(nodes, inner), "a part of a delegate has no node");
    }
  }
}

export function asDetail(raw: unknown, skeleton: Skeleton): Detail {
  const ok = isRecord(raw) && areLists(raw, "methods", "graphs");
  if (!ok) throw new UnreadableSnapshot("Its detail does not follow the schema.");
  const detail = raw as unknown as Detail;
  check(detail.graphs.length === skeleton.graphs.length, "detail and skeleton differ in graphs");
  check(detail.methods.length === skeleton.methods.length, "detail and skeleton differ in methods");
  for (const method of detail.methods) checkMethod(method, skeleton.values.length);
  const { calls = [] } = detail;
  const args = calls.flatMap((call) => [...(call.args ?? []), ...(call.values ?? [])]);
  check(!isDeep(args, argChildren), `an argument is nested more than ${MAX_DEPTH} deep`);
  check(
    calls.every(({ names, values }) => size(names) === size(values)),
    "the keywords of a call do not match their values",
  );
  const needed = calls.map(inputsNeeded);
  skeleton.graphs.forEach((graph, number) => {
    const columns = detail.graphs[number];
    if (columns) checkDetail(detail, columns, graph, needed);
  });
  for (const trace of detail.traces ?? []) check(within(trace, size(detail.frames)), "a trace has no frame");
  for (const list of detail.origin_lists ?? [])
    check(within(list, size(detail.origins)), "an origin is missing");
  detail.origins?.forEach(({ parents = [] }, number) => {
    check(within(parents, number), "an origin refers to a later origin");
  });
  for (const { lines, text } of detail.sources ?? [])
    check(lines.length === text.length, "a source has other lines than texts");
  return detail;
}

function checkMethod(method: MethodDetail, values: number): void {
  const examples = method.examples?.map(({ value }) => value) ?? [];
  check(within(examples, values), "an example has no value");
  const signatures = method.module_calls?.flatMap(({ signature }) => signature ?? []) ?? [];
  const specs = [method, ...signatures].flatMap(({ in_spec, out_spec }) => [in_spec, out_spec]);
  const trees = specs.filter((spec) => spec !== undefined);
  check(!isDeep(trees, treeChildren), `a pytree is nested more than ${MAX_DEPTH} deep`);
}

function checkMemory({ live = [], arenas = [] }: MethodMemory, count: number): void {
  check(live.length === 0 || live.length === count, "its memory has another length");
  for (const { nodes, texts, offsets, bytes, first, last, peak_at } of arenas) {
    check(within([peak_at, ...nodes, ...first, ...last], count), "an arena names no node");
    check(
      [texts, offsets, bytes, first, last].every((column) => column.length === nodes.length),
      "a column of an arena has another length",
    );
  }
}

function checkDetail(
  detail: Detail,
  columns: GraphDetail,
  { names, arity }: GraphColumns,
  needed: readonly number[],
): void {
  const tables: readonly [readonly number[], number, number][] = [
    [columns.calls, size(detail.calls), 0],
    [columns.traces, size(detail.traces), NONE],
    [columns.torch_fns, size(detail.torch_fns), NONE],
    [columns.source_fns, size(detail.source_fns), NONE],
    [columns.origins, size(detail.origin_lists), NONE],
    [columns.handles, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
    [columns.specs, size(detail.spec_lists), NONE],
    [columns.extras, size(detail.extras), NONE],
  ];
  for (const [column, end, least] of tables) {
    check(
      Array.isArray(column) && column.length === names.length,
      "a column of the detail has another length",
    );
    check(within(column, end, least), "a column of the detail points nowhere");
  }
  if (columns.payload) checkPayload(columns.payload, names.length);
  check(
    columns.calls.every((call, node) => (needed[call] ?? 0) <= (arity[node] ?? 0)),
    "a node refers to more inputs than it has",
  );
}

function checkPayload({ ops = [], tensors = [] }: Payload, nodes: number): void {
  for (const { inputs, outputs, nodes: made = [] } of ops) {
    check(within([...inputs, ...outputs], tensors.length), "an op of a payload names no tensor");
    check(within(made, nodes), "an op of a payload names no node");
  }
}

/** How many inputs the indices in a call's arguments need; a negative one needs more than any node has. */
function inputsNeeded({ args = [], values = [] }: Call): number {
  let most = 0;
  const open: Arg[] = [...args, ...values];
  for (let arg = open.pop(); arg; arg = open.pop()) {
    if (arg.kind === "node") most = Math.max(most, arg.at < 0 ? Number.POSITIVE_INFINITY : arg.at + 1);
    else open.push(...argChildren(arg));
  }
  return most;
}

function argChildren(arg: Arg): readonly Arg[] {
  if (arg.kind === "sequence" || arg.kind === "map") return arg.items ?? [];
  return arg.kind === "slice" ? [arg.start, arg.stop, arg.step] : [];
}

const valueChildren = (value: Value): readonly Value[] =>
  value.kind === "sequence" || value.kind === "map" ? (value.items ?? []) : [];

const treeChildren = (tree: Tree): readonly Tree[] => tree.children ?? [];

/** Whether these are nested too deeply for recursive views. Checks level by level, not recursively. */
function isDeep<T>(outermost: readonly T[], children: (one: T) => readonly T[]): boolean {
  let level = outermost;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    level = level.flatMap(children);
    if (level.length === 0) return false;
  }
  return true;
}

function check(holds: boolean, problem: string): void {
  if (!holds) throw new UnreadableSnapshot(`It contradicts itself: ${problem}.`);
}

function within(numbers: readonly number[], end: number, least = 0): boolean {
  return numbers.every((number) => Number.isInteger(number) && number >= least && number < end);
}

const areDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length;

const size = (table: readonly unknown[] | undefined): number => table?.length ?? 0;

const isRecord = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null;

const areLists = (record: Record<string, unknown>, ...names: string[]): boolean =>
  names.every((name) => Array.isArray(record[name]));
