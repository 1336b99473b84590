/**
 * A program's text as rows: of each graph its heading, then a row per node in execution order. Modules are
 * nested headings around the rows of their ops; the user's line is shown where it changes. Rows are numbers;
 * their text is made when they are visible.
 */
import { type Detail, type Graph, NONE, type Snapshot, usersFrames } from "../../snapshot";

export const RowKind = { Graph: 0, Module: 1, Source: 2, Node: 3 } as const;

export class Rows {
  /** By row: its kind, and its subject: a graph, a scope, or a node. */
  readonly kind: Uint8Array;
  readonly ref: Int32Array;
  /** By row: how many modules are around it. */
  readonly depth: Uint8Array;
  /** By row: the first row after a heading's content; for other rows, the next row. */
  readonly end: Int32Array;
  /** By row: its heading, or NONE. */
  private readonly parent: Int32Array;
  private readonly rowOfNode: Int32Array;

  constructor(
    readonly snapshot: Snapshot,
    readonly detail: Detail,
  ) {
    const made = new Maker(snapshot, detail);
    for (const graph of inOrder(snapshot)) made.add(graph);
    this.kind = Uint8Array.from(made.kind);
    this.ref = Int32Array.from(made.ref);
    this.depth = Uint8Array.from(made.depth);
    this.end = Int32Array.from(made.end);
    this.parent = Int32Array.from(made.parent);
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

  /** The first heading of a module call in a graph, or of a nested graph. */
  headingOf(kind: number, ref: number): number {
    for (let row = 0; row < this.count; row++) {
      if (this.kind[row] === kind && this.ref[row] === ref) return row;
    }
    return NONE;
  }

  /** The headings around a row, innermost first. */
  headings(row: number): number[] {
    const found: number[] = [];
    for (let at = this.parent[row] ?? NONE; at !== NONE; at = this.parent[at] ?? NONE) found.push(at);
    return found;
  }

  /** The headings of modules with at least this many modules around them. */
  modules(depth: number): number[] {
    const found: number[] = [];
    this.kind.forEach((kind, row) => {
      if (kind === RowKind.Module && (this.depth[row] ?? 0) >= depth) found.push(row);
    });
    return found;
  }
}

/** Methods in their order, each followed by its nested graphs. */
function inOrder(snapshot: Snapshot): Graph[] {
  const found: Graph[] = [];
  const seen = new Set<number>();
  const visit = (number: number): void => {
    if (seen.has(number)) return;
    seen.add(number);
    const graph = snapshot.graph(number);
    found.push(graph);
    for (const subgraph of graph.columns.subgraphs ?? []) visit(subgraph.graph);
  };
  for (const method of snapshot.methods) visit(method.graph);
  return found;
}

/** Builds the rows. */
class Maker {
  readonly kind: number[] = [];
  readonly ref: number[] = [];
  readonly depth: number[] = [];
  readonly end: number[] = [];
  readonly parent: number[] = [];
  /** Open module headings, outermost first, and the scope of each. */
  private readonly open: { row: number; scope: number }[] = [];
  private graphRow: number = NONE;

  /** By trace: the frame of the user's line. */
  private readonly lines: readonly number[];

  constructor(
    private readonly snapshot: Snapshot,
    private readonly detail: Detail,
  ) {
    this.lines = usersFrames(detail);
  }

  add(graph: Graph): void {
    this.graphRow = NONE;
    this.graphRow = this.row(RowKind.Graph, graph.number);
    const { scopes } = graph.columns;
    const traces = this.detail.graphs[graph.number]?.traces ?? [];
    let line: number = NONE;
    for (let i = 0; i < graph.count; i++) {
      const op = graph.op(i);
      if (op === "output") this.close(0);
      else if (op !== "placeholder") {
        const scope = scopes[i] ?? NONE;
        // A node without a module stays where the text is: it closes nothing.
        const hasEntered = scope !== NONE && this.enter(scope);
        const frame = this.lines[traces[i] ?? NONE] ?? NONE;
        if (frame !== NONE && (frame !== line || hasEntered)) this.row(RowKind.Source, graph.base + i);
        line = frame;
      }
      this.row(RowKind.Node, graph.base + i);
    }
    this.close(0);
    this.end[this.graphRow] = this.kind.length;
  }

  /** Closes the modules that do not contain this one, and opens its parents that are not open. */
  private enter(scope: number): boolean {
    const chain = this.snapshot.scopeChain(scope);
    let shared = 0;
    while (shared < chain.length && this.open[shared]?.scope === chain[shared]) shared++;
    this.close(shared);
    for (const each of chain.slice(shared)) {
      const row = this.row(RowKind.Module, each);
      this.open.push({ row, scope: each });
    }
    return shared < chain.length;
  }

  private close(depth: number): void {
    for (const { row } of this.open.splice(depth)) this.end[row] = this.kind.length;
  }

  private row(kind: number, ref: number): number {
    const row = this.kind.push(kind) - 1;
    this.ref.push(ref);
    this.depth.push(Math.min(255, this.open.length));
    this.parent.push(this.open.at(-1)?.row ?? this.graphRow);
    this.end.push(row + 1);
    return row;
  }
}

/** The visible rows: without folded ones; with a filter only nodes that contain it. */
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
