/**
 * The memory plan of an executorch-stage program: where each value lies in an arena, and for how long. The rules of
 * `exir_viz/measure/memory.py`.
 */
import { type Detail, dims, NONE, type Snapshot, shortDtype } from "../snapshot";

export interface Planned {
  readonly node: number;
  /** "f32[4, 8]". */
  readonly value: string;
  readonly offset: number;
  readonly bytes: number;
  /** Positions of nodes, both included. */
  readonly first: number;
  readonly last: number;
}

export interface Arena {
  readonly number: number;
  /** From its lowest offset to its highest end. */
  readonly size: number;
  /** In running order. */
  readonly values: readonly Planned[];
  /** The most that is alive at once, and the first node at which it is. */
  readonly peak: { readonly bytes: number; readonly node: number };
}

type Changing = { -readonly [key in keyof Planned]: Planned[key] };

/**
 * The arenas of a method's graph; none for a program without a plan. Values that share a place are one, named by the op
 * that has it first, or that writes to what was allocated.
 */
export function arenas(snapshot: Snapshot, detail: Detail, method: string): readonly Arena[] {
  const record = snapshot.methods.find(({ name }) => name === method);
  if (!record) return [];
  const graph = snapshot.graph(record.graph);
  const specs = detail.graphs[graph.number]?.specs ?? [];
  const found = new Map<number, Changing[]>();
  const seen = new Map<string, Changing>();
  for (let position = 0; position < graph.count; position++) {
    const node = graph.base + position;
    for (const spec of detail.spec_lists?.[specs[position] ?? NONE] ?? []) {
      const { mem_id: arena, offset, bytes, lifetime, dtype, shape } = spec;
      if (arena === undefined || offset === undefined || bytes === undefined || !lifetime) continue;
      const [first, last] = lifetime;
      const place = [arena, offset, bytes, first, last].join();
      const known = seen.get(place);
      if (known) {
        if (isAllocation(snapshot, known.node)) known.node = node;
        continue;
      }
      const value = `${shortDtype(dtype)}[${dims(shape)}]`;
      const values = found.get(arena) ?? [];
      found.set(arena, values);
      const made = { node, value, offset, bytes, first, last };
      values.push(made);
      seen.set(place, made);
    }
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([number, values]) => {
      const size = values.reduce((most, { offset, bytes }) => Math.max(most, offset + bytes), 0);
      const { bytes, at } = peakOf(values);
      const node = writer(snapshot, graph.base + Math.min(at, graph.count - 1));
      return { number, size, values, peak: { bytes, node } };
    });
}

/** Of an allocation the op that writes to it; any other node itself. */
export function writer(snapshot: Snapshot, node: number): number {
  if (!isAllocation(snapshot, node)) return node;
  const { graph, position } = snapshot.locate(node);
  const [user] = graph.usersOf(position);
  return user === undefined ? node : graph.base + user;
}

const isAllocation = (snapshot: Snapshot, node: number): boolean => snapshot.target(node).name === "alloc";

function peakOf(values: readonly Planned[]): { bytes: number; at: number } {
  const changes = new Map<number, number>();
  const change = (at: number, by: number) => changes.set(at, (changes.get(at) ?? 0) + by);
  for (const { first, last, bytes } of values) {
    change(first, bytes);
    change(last + 1, -bytes);
  }
  let live = 0;
  let best = { bytes: 0, at: 0 };
  for (const [at, by] of [...changes].sort(([a], [b]) => a - b)) {
    live += by;
    if (live > best.bytes) best = { bytes: live, at };
  }
  return best;
}
