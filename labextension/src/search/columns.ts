/**
 * The searchable data of a program: one typed array per field, indexed by node number. Texts are in lower
 * case. Built when first needed, for one Snapshot.
 */
import { type Graph, NONE, OPS, type Snapshot, type Value, valueBytes } from "../snapshot";

export class Columns {
  readonly count: number;
  readonly graph: Int32Array;
  readonly op: Uint8Array;
  readonly target: Int32Array;
  readonly value: Int32Array;
  readonly scope: Int32Array;
  readonly users: Int32Array;
  readonly inputs: Int32Array;
  /** By value: its bytes; NaN if unknown. */
  readonly bytes: Float64Array;
  private scopePaths: readonly (readonly string[])[] | undefined;
  private lowerNames: readonly string[] | undefined;
  private joined: JoinedNames | undefined;

  constructor(readonly snapshot: Snapshot) {
    const count = snapshot.nodeCount;
    this.count = count;
    this.graph = new Int32Array(count);
    this.op = new Uint8Array(count);
    this.target = new Int32Array(count);
    this.value = new Int32Array(count);
    this.scope = new Int32Array(count);
    this.users = new Int32Array(count);
    this.inputs = new Int32Array(count);
    for (const graph of snapshot.graphs) this.fill(graph);
    this.bytes = Float64Array.from(snapshot.skeleton.values, (value) => valueBytes(value) ?? Number.NaN);
  }

  /** Names in lower case, by node. */
  get names(): readonly string[] {
    this.lowerNames ??= this.snapshot.graphs.flatMap((graph) =>
      graph.columns.names.map((name) => name.toLowerCase()),
    );
    return this.lowerNames;
  }

  /** The same in one text, which is searched a hundred times faster. */
  get joinedNames(): JoinedNames {
    this.joined ??= join(this.names);
    return this.joined;
  }

  /** By scope: the segments of its path. */
  get paths(): readonly (readonly string[])[] {
    this.scopePaths ??= this.snapshot.scopes.map((scope) => segments(scope.path));
    return this.scopePaths;
  }

  /** Marks of the nodes whose number in `column` is marked in `table`. */
  marked(column: Int32Array | Uint8Array, table: Uint8Array): Uint8Array {
    const marks = new Uint8Array(this.count);
    for (let node = 0; node < this.count; node++) {
      const number = column[node] ?? NONE;
      if (number !== NONE) marks[node] = table[number] ?? 0;
    }
    return marks;
  }

  private fill(graph: Graph): void {
    const { base, count, columns } = graph;
    this.graph.fill(graph.number, base, base + count);
    this.op.set(columns.ops, base);
    this.target.set(columns.targets, base);
    this.value.set(columns.values, base);
    this.scope.set(this.snapshot.placement(graph).owners, base);
    const { userStart, inputStart, inputs } = graph;
    const lastUser = new Int32Array(count).fill(NONE);
    for (let i = 0; i < count; i++) {
      this.users[base + i] = (userStart[i + 1] ?? 0) - (userStart[i] ?? 0);
      // a node that is used twice counts once
      for (let at = inputStart[i] ?? 0; at < (inputStart[i + 1] ?? 0); at++) {
        const from = inputs[at] ?? 0;
        if (lastUser[from] !== i) this.inputs[base + i] = (this.inputs[base + i] ?? 0) + 1;
        lastUser[from] = i;
      }
    }
  }
}

/** Name `i` begins at `start[i]`; one more character follows it. */
interface JoinedNames {
  readonly text: string;
  readonly start: Int32Array;
}

function join(names: readonly string[]): JoinedNames {
  const start = new Int32Array(names.length + 1);
  for (let i = 0; i < names.length; i++) start[i + 1] = (start[i] ?? 0) + (names[i] ?? "").length + 1;
  return { text: `${names.join("\n")}\n`, start };
}

/** One mark per entry of a table: whether it passes the test. */
export const marksOf = <T>(table: readonly T[], test: (entry: T, number: number) => boolean): Uint8Array =>
  Uint8Array.from(table, (entry, number) => (test(entry, number) ? 1 : 0));

export const OP = {
  placeholder: OPS.indexOf("placeholder"),
  attribute: OPS.indexOf("get_attr"),
  output: OPS.indexOf("output"),
} as const;

/** A value, or the parts of one with several. */
export const parts = (value: Value | undefined): Value[] => {
  if (!value) return [];
  return value.kind === "sequence" || value.kind === "map" ? (value.items ?? []).flatMap(parts) : [value];
};

/** "model.layers[3]" → model, layers, 3: strict export writes subscripts. */
export const segments = (path: string): string[] =>
  path
    .toLowerCase()
    .replace(/\[(\w+)\]/g, ".$1")
    .split(".")
    .filter(Boolean);
