/**
 * A program's text as rows: of each graph its heading, then a row per node in execution order, with the module and
 * the user's line wherever they change. Rows are numbers; their text is made when they are seen.
 */
import { type Detail, type Graph, NONE, type Snapshot } from "../../snapshot";

export const RowKind = { Graph: 0, Module: 1, Source: 2, Node: 3 } as const;

export class Rows {
  /** By row: its kind, and what it is about: a graph, or a node (of a heading, the first node below it). */
  readonly kind: Uint8Array;
  readonly ref: Int32Array;
  /** By row: the first row after what a heading heads; of other rows, the next row. */
  readonly end: Int32Array;
  private readonly rowOfNode: Int32Array;

  constructor(
    readonly snapshot: Snapshot,
    readonly detail: Detail,
  ) {
    const kinds: number[] = [];
    const refs: number[] = [];
    const add = (kind: number, ref: number): void => {
      kinds.push(kind);
      refs.push(ref);
    };
    for (const graph of inOrder(snapshot)) addGraph(graph, detail, add);
    this.kind = Uint8Array.from(kinds);
    this.ref = Int32Array.from(refs);
    this.end = ends(this.kind);
    this.rowOfNode = new Int32Array(snapshot.nodeCount).fill(NONE);
    this.ref.forEach((ref, row) => {
      if (this.kind[row] === RowKind.Node) this.rowOfNode[ref] = row;
    });
  }

  get count(): number {
    return this.kind.length;
  }

  rowOf(node: number): number {
    return this.rowOfNode[node] ?? NONE;
  }

  isHeading(row: number): boolean {
    return this.kind[row] === RowKind.Graph || this.kind[row] === RowKind.Module;
  }

  /** The headings above a row, innermost first. */
  headings(row: number): number[] {
    const found: number[] = [];
    for (let at = row - 1; at >= 0; at--) {
      if (this.isHeading(at) && (this.end[at] ?? 0) > row) found.push(at);
      if (this.kind[at] === RowKind.Graph) break;
    }
    return found;
  }
}

/** Methods as they are listed, each followed by the graphs nested in it. */
function inOrder(snapshot: Snapshot): Graph[] {
  const found: Graph[] = [];
  const seen = new Set<number>();
  const visit = (number: number): void => {
    if (seen.has(number)) return;
    seen.add(number);
    const graph = snapshot.graph(number);
    found.push(graph);
    for (const held of graph.columns.subgraphs ?? []) visit(held.graph);
  };
  for (const method of snapshot.methods) visit(method.graph);
  return found;
}

function addGraph(graph: Graph, detail: Detail, add: (kind: number, ref: number) => void): void {
  const { scopes } = graph.columns;
  const traces = detail.graphs[graph.number]?.traces ?? [];
  add(RowKind.Graph, graph.number);
  let scope = NONE;
  let line = NONE;
  for (let i = 0; i < graph.count; i++) {
    const op = graph.op(i);
    if (op !== "placeholder" && op !== "output") {
      const now = scopes[i] ?? NONE;
      if (now !== scope && now !== NONE) add(RowKind.Module, graph.base + i);
      const trace = traces[i] ?? NONE;
      const frame = detail.traces?.[trace]?.at(-1) ?? NONE;
      if (frame !== NONE && (frame !== line || now !== scope)) add(RowKind.Source, graph.base + i);
      scope = now;
      line = frame;
    }
    add(RowKind.Node, graph.base + i);
  }
}

function ends(kinds: Uint8Array): Int32Array {
  const end = new Int32Array(kinds.length);
  let module = kinds.length;
  let graph = kinds.length;
  for (let row = kinds.length - 1; row >= 0; row--) {
    const kind = kinds[row];
    end[row] = kind === RowKind.Graph ? graph : kind === RowKind.Module ? module : row + 1;
    if (kind === RowKind.Graph) graph = row;
    if (kind === RowKind.Graph || kind === RowKind.Module) module = row;
  }
  return end;
}

/** The rows that are shown: without what is folded, and of a filter only nodes that hold it. */
export function shownRows(
  rows: Rows,
  folded: ReadonlySet<number>,
  holds?: (row: number) => boolean,
): Int32Array {
  const shown: number[] = [];
  for (let row = 0; row < rows.count; ) {
    if (!holds || (rows.kind[row] === RowKind.Node && holds(row))) shown.push(row);
    row = !holds && folded.has(row) ? (rows.end[row] ?? row + 1) : row + 1;
  }
  return Int32Array.from(shown);
}
