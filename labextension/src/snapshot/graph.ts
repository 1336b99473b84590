/**
 * One graph of a Snapshot with indices: users in typed arrays, names to positions. Nodes are positions here;
 * `base + position` is a node's number in the whole Snapshot.
 */
import { isMemory, opKind } from "./opkind";
import {
  COMPUTES,
  type GraphColumns,
  type GraphNumber,
  MUTATIONS,
  OPS,
  type OutputSpec,
  type Target,
} from "./schema";
import type { OpKind } from "./tables";

type Op = (typeof OPS)[number];

const COMPUTING: ReadonlySet<Op> = new Set(COMPUTES);
const WRITTEN_BACK: ReadonlySet<OutputSpec["kind"]> = new Set(MUTATIONS);

/** Whether an output is written back, to state or to an input. */
export const isMutation = ({ kind }: Pick<OutputSpec, "kind">): boolean => WRITTEN_BACK.has(kind);

export class Graph {
  readonly count: number;
  /**
   * inputs[inputStart[i] … inputStart[i + 1]): the positions that node i uses; a node used twice is listed
   * twice.
   */
  readonly inputStart: Int32Array;
  readonly inputs: Int32Array;
  /** users[userStart[i] … userStart[i + 1]): the positions that use node i, each once. */
  readonly userStart: Int32Array;
  readonly users: Int32Array;
  private positions: Map<string, number> | undefined;

  constructor(
    readonly number: GraphNumber,
    /** Its name in the whole Snapshot: "forward/true_graph_0". */
    readonly path: string,
    /** The number of its first node in the whole Snapshot. */
    readonly base: number,
    readonly columns: GraphColumns,
    private readonly targets: readonly Target[],
  ) {
    this.count = columns.names.length;
    const { arity, inputs } = columns;
    this.inputStart = new Int32Array(this.count + 1);
    this.inputs = new Int32Array(inputs.length);
    const uses = new Int32Array(this.count + 1);
    const lastUser = new Int32Array(this.count).fill(-1);
    for (let i = 0, at = 0; i < this.count; i++) {
      for (let k = arity[i] ?? 0; k > 0; k--, at++) {
        const from = i - (inputs[at] ?? 0);
        this.inputs[at] = from;
        if (lastUser[from] !== i) uses[from] = (uses[from] ?? 0) + 1;
        lastUser[from] = i;
      }
      this.inputStart[i + 1] = at;
    }
    this.userStart = new Int32Array(this.count + 1);
    for (let i = 0; i < this.count; i++) this.userStart[i + 1] = (this.userStart[i] ?? 0) + (uses[i] ?? 0);
    this.users = new Int32Array(this.userStart[this.count] ?? 0);
    const next = this.userStart.slice();
    lastUser.fill(-1);
    for (let i = 0; i < this.count; i++) {
      // Not by `inputsOf`: a view of an array is expensive to make.
      for (let k = this.inputStart[i] ?? 0; k < (this.inputStart[i + 1] ?? 0); k++) {
        const from = this.inputs[k] ?? 0;
        if (lastUser[from] !== i) {
          const at = next[from] ?? 0;
          this.users[at] = i;
          next[from] = at + 1;
        }
        lastUser[from] = i;
      }
    }
  }

  inputsOf(position: number): Int32Array {
    return this.inputs.subarray(this.inputStart[position], this.inputStart[position + 1]);
  }

  usersOf(position: number): Int32Array {
    return this.users.subarray(this.userStart[position], this.userStart[position + 1]);
  }

  /** The number of nodes that use a node. */
  userCount(position: number): number {
    return (this.userStart[position + 1] ?? 0) - (this.userStart[position] ?? 0);
  }

  name(position: number): string {
    return this.columns.names[position] ?? "";
  }

  op(position: number): Op {
    return OPS[this.columns.ops[position] ?? 1] ?? "call_function";
  }

  /** Whether a node does something when the program runs; others name inputs, attributes and outputs. */
  computes(position: number): boolean {
    return COMPUTING.has(this.op(position));
  }

  /** Whether a node counts as an op of its module: one that allocates memory is part of another op. */
  isOp(position: number): boolean {
    return this.computes(position) && !isMemory(this.target(position));
  }

  target(position: number): Target {
    return this.targets[this.columns.targets[position] ?? 0] ?? { type: "op", text: "" };
  }

  kind(position: number): OpKind {
    return opKind(this.op(position), this.target(position));
  }

  /** The graphs that a node holds: branches, loop bodies, delegates. */
  subgraphsOf(position: number): GraphNumber[] {
    return (this.columns.subgraphs ?? [])
      .filter((subgraph) => subgraph.node === position)
      .map((subgraph) => subgraph.graph);
  }

  position(name: string): number | undefined {
    this.positions ??= new Map(this.columns.names.map((each, i) => [each, i]));
    return this.positions.get(name);
  }
}
