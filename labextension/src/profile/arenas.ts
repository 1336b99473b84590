/** The arenas of a memory plan, as Python derived them: the place and the lifetime of each value. */
import { type ExecutionSteps, executionSteps, isMemory, type PlannedArena, type Snapshot } from "../snapshot";

export interface Planned {
  readonly node: number;
  /** "f32[4, 8]". */
  readonly value: string;
  readonly offset: number;
  readonly bytes: number;
  /** Execution steps, both included. */
  readonly first: number;
  readonly last: number;
}

export interface Arena {
  readonly number: number;
  /** The highest end of a value in the arena. */
  readonly size: number;
  readonly steps: ExecutionSteps;
  /** In execution order. */
  readonly values: readonly Planned[];
  /** The largest number of bytes alive at once, and the first node at which it is reached. */
  readonly peak: { readonly bytes: number; readonly node: number };
}

/** The arenas of a method; none for a program without a plan. */
export function arenas(snapshot: Snapshot, method: string): readonly Arena[] {
  const number = snapshot.methods.findIndex(({ name }) => name === method);
  const record = snapshot.methods[number];
  if (!record) return [];
  const steps = executionSteps(snapshot, snapshot.graph(record.graph));
  return (snapshot.skeleton.page?.memory?.[number]?.arenas ?? []).map((columns) => ({
    number: columns.number,
    size: columns.size,
    steps,
    values: columns.nodes.map((_, i) => valueAt(columns, i, steps)),
    peak: { bytes: columns.peak, node: writer(snapshot, steps.nodeAt(columns.peak_at)) },
  }));
}

function valueAt(columns: PlannedArena, i: number, { nodeAt }: ExecutionSteps): Planned {
  const at = (column: readonly number[]): number => column[i] ?? 0;
  return {
    node: nodeAt(at(columns.nodes)),
    value: columns.texts[i] ?? "",
    offset: at(columns.offsets),
    bytes: at(columns.bytes),
    first: at(columns.first),
    last: at(columns.last),
  };
}

/** For an allocation, the op that writes to it; for any other node, itself. */
export function writer(snapshot: Snapshot, node: number): number {
  if (!isMemory(snapshot.target(node))) return node;
  const { graph, position } = snapshot.locate(node);
  const [user] = graph.usersOf(position);
  return user === undefined ? node : graph.base + user;
}
