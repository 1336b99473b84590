/**
 * `unknown` → Skeleton and Detail, once. After this no reader meets a number that points nowhere.
 *
 * What is checked is what code relies on: columns of one length, numbers within their tables. Text is not
 * checked: it is only ever shown as text.
 */
import { UnreadableSnapshot } from "./container";
import {
  type Delegation,
  type Detail,
  type FindingGroup,
  type GraphColumns,
  type GraphDetail,
  type MethodMemory,
  NONE,
  OPS,
  PAGE_VERSION,
  type PageData,
  type PageSkeleton,
  type Placement,
  SCHEMA,
  type Skeleton,
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
  skeleton.graphs.forEach((graph, number) => {
    checkGraph(skeleton, graph, number);
  });
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

/** A skeleton with its page data: from a file's section, or as a kernel sends it within the skeleton. */
export function asPageSkeleton(raw: unknown, file?: unknown): PageSkeleton {
  const { page: sent, ...rest } = asSkeleton(raw) as PageSkeleton;
  const page = asPageData(file ?? sent, rest);
  return page ? { ...rest, page } : rest;
}

/** Undefined for none, and for a version that this page does not know. */
function asPageData(raw: unknown, skeleton: Skeleton): PageData | undefined {
  if (!isRecord(raw) || raw["version"] !== PAGE_VERSION) return undefined;
  const page = raw as unknown as PageData;
  page.placements?.forEach((placement, number) => {
    checkPlacement(skeleton, placement, number);
  });
  if (page.delegation) checkDelegation(skeleton, page.delegation);
  for (const group of page.findings?.groups ?? []) checkFindings(skeleton, group);
  page.memory?.forEach((memory, i) => {
    checkMemory(memory, skeleton.graphs[skeleton.methods[i]?.graph ?? NONE]?.names.length ?? 0);
  });
  return page;
}

function checkGraph(skeleton: Skeleton, graph: GraphColumns, number: number): void {
  const what = (problem: string): string => `graph ${graph.name}: ${problem}`;
  const count = graph.names.length;
  const columns = [graph.ops, graph.targets, graph.values, graph.scopes, graph.arity];
  check(
    columns.every((column) => Array.isArray(column) && column.length === count),
    what("columns differ in length"),
  );
  check(within(graph.ops, OPS.length), what("an op has no name"));
  check(within(graph.targets, skeleton.targets.length), what("a node has no target"));
  check(within(graph.values, skeleton.values.length, NONE), what("a value is missing"));
  check(within(graph.scopes, skeleton.scopes.length, NONE), what("a scope is missing"));
  check(
    graph.parent === NONE || (graph.parent >= 0 && graph.parent < number),
    what("its parent is not before it"),
  );
  let at = 0;
  graph.arity.forEach((arity, node) => {
    for (let i = 0; i < arity; i++) {
      const back = graph.inputs[at++] ?? 0;
      check(back >= 1 && back <= node, what("a node uses what is not before it"));
    }
  });
  check(at === graph.inputs.length, what("inputs and their counts differ"));
  for (const held of graph.subgraphs ?? []) {
    check(
      within([held.node], count) && within([held.graph], skeleton.graphs.length),
      what("it holds no graph"),
    );
    check(held.graph > number, what("it holds a graph that comes before it"));
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

function checkFindings(skeleton: Skeleton, { nodes, messages }: FindingGroup): void {
  const count = skeleton.graphs.reduce((sum, graph) => sum + graph.names.length, 0);
  check(within(nodes, count, NONE), "a finding is of no node");
  check(nodes.length === messages.length, "findings and their messages differ");
}

function checkPlacement(skeleton: Skeleton, placement: Placement, number: number): void {
  const { inferred = [], homes = [], folded = [], into = [], written = [], delegates = [] } = placement;
  const count = skeleton.graphs[number]?.names.length ?? 0;
  check(inferred.length === homes.length && folded.length === into.length, "columns of a placement differ");
  check(within([...inferred, ...folded, ...into, ...written], count), "a placement names no node");
  check(within(homes, skeleton.scopes.length), "a placement names no module");
  const parts = new Set(folded);
  check(!into.some((position) => parts.has(position)), "a node is folded into one that is folded");
  const nodes = skeleton.graphs.reduce((sum, each) => sum + each.names.length, 0);
  check(within(placement.order ?? [], nodes), "an order names no node");
  for (const { call, graph, inputs = [], outputs = [] } of delegates) {
    check(within([graph], skeleton.graphs.length) && graph > number, "a delegate has no graph");
    const inner = skeleton.graphs[graph]?.names.length ?? 0;
    const outside = [call, ...inputs.map(([, to]) => to), ...outputs.map(([from]) => from)];
    const inside = [...inputs.map(([from]) => from), ...outputs.map(([, to]) => to)];
    check(within(outside, count) && within(inside, inner), "a delegate is wired to no node");
  }
}

export function asDetail(raw: unknown, skeleton: Skeleton): Detail {
  const ok = isRecord(raw) && areLists(raw, "methods", "graphs");
  if (!ok) throw new UnreadableSnapshot("Its detail does not follow the schema.");
  const detail = raw as unknown as Detail;
  check(detail.graphs.length === skeleton.graphs.length, "detail and skeleton differ in graphs");
  check(detail.methods.length === skeleton.methods.length, "detail and skeleton differ in methods");
  detail.graphs.forEach((graph, number) => {
    checkDetail(detail, graph, skeleton.graphs[number]?.names.length ?? 0);
  });
  for (const trace of detail.traces ?? []) check(within(trace, size(detail.frames)), "a trace has no frame");
  for (const list of detail.origin_lists ?? [])
    check(within(list, size(detail.origins)), "an origin is missing");
  return detail;
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

function checkDetail(detail: Detail, graph: GraphDetail, count: number): void {
  const columns: readonly [readonly number[], number][] = [
    [graph.calls, size(detail.calls)],
    [graph.traces, size(detail.traces)],
    [graph.torch_fns, size(detail.torch_fns)],
    [graph.source_fns, size(detail.source_fns)],
    [graph.origins, size(detail.origin_lists)],
    [graph.handles, Number.MAX_SAFE_INTEGER],
    [graph.specs, size(detail.spec_lists)],
    [graph.extras, size(detail.extras)],
  ];
  for (const [column, table] of columns) {
    check(Array.isArray(column) && column.length === count, "a column of the detail has another length");
    check(within(column, table, NONE), "a column of the detail points nowhere");
  }
}

function check(holds: boolean, problem: string): void {
  if (!holds) throw new UnreadableSnapshot(`It contradicts itself: ${problem}.`);
}

function within(numbers: readonly number[], end: number, least = 0): boolean {
  return numbers.every((number) => Number.isInteger(number) && number >= least && number < end);
}

const size = (table: readonly unknown[] | undefined): number => table?.length ?? 0;

const isRecord = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null;

const areLists = (record: Record<string, unknown>, ...names: string[]): boolean =>
  names.every((name) => Array.isArray(record[name]));
