/**
 * The content of each module: parameters (elements) and bytes of state, by path; shared memory counts once.
 * State belongs to every module whose path is a prefix of its name, also if a backend holds it.
 */
import {
  elements,
  type InputKind,
  type MethodRecord,
  NONE,
  type Snapshot,
  type StateEntry,
  type StateKind,
} from "../snapshot";

export interface StateCount {
  parameters: number;
  bytes: number;
}

export function stateByPath(snapshot: Snapshot, method: MethodRecord): ReadonlyMap<string, StateCount> {
  const state = [...(method.state ?? []), ...delegatedState(snapshot, method)];
  const counts = new Map<string, StateCount>();
  const shared = sharedStorages(method);
  const seen = new Set<string>();
  for (const entry of state) {
    const value = snapshot.skeleton.values[entry.value];
    const shape = value?.kind === "tensor" ? value.shape : [];
    const offset = value?.kind === "tensor" ? (value.offset ?? 0) : 0;
    const count = entry.kind === "parameter" ? (elements(shape) ?? 0) : 0;
    for (const path of prefixes(entry.name)) {
      if (entry.storage !== undefined && shared.has(entry.storage)) {
        const place = `${path}\n${entry.storage} ${offset} ${entry.bytes ?? ""}`;
        if (seen.has(place)) continue;
        seen.add(place);
      }
      const sum = counts.get(path) ?? { parameters: 0, bytes: 0 };
      sum.parameters += count;
      sum.bytes += entry.bytes ?? 0;
      counts.set(path, sum);
    }
  }
  return counts;
}

/** Kinds of inputs that are state with bytes. */
const STATE_KINDS: Partial<Record<InputKind, StateKind>> = {
  parameter: "parameter",
  buffer: "buffer",
  constant_tensor: "constant",
};

/** The state in a method's delegates, which the program itself no longer has. */
function* delegatedState(snapshot: Snapshot, method: MethodRecord): Generator<StateEntry> {
  const seen = new Set((method.state ?? []).map(({ name }) => name));
  for (const graph of snapshot.graphs) {
    if (!graph.columns.delegate || snapshot.methods[snapshot.methodOf(graph.number)] !== method) continue;
    for (const { kind: inputKind, arg, target } of graph.columns.signature?.inputs ?? []) {
      const position = graph.position(arg.name);
      const kind = STATE_KINDS[inputKind];
      if (!kind || !target || position === undefined) continue;
      if (seen.has(target)) continue;
      seen.add(target);
      const bytes = snapshot.bytes(graph.base + position);
      const value = graph.columns.values[position] ?? NONE;
      yield { name: target, kind, value, ...(bytes !== undefined && { bytes }) };
    }
  }
}

/** Storages of more than one entry; usually few. */
function sharedStorages(method: MethodRecord): ReadonlySet<number> {
  const once = new Set<number>();
  const shared = new Set<number>();
  for (const { storage } of method.state ?? []) {
    if (storage === undefined) continue;
    if (once.has(storage)) shared.add(storage);
    else once.add(storage);
  }
  return shared;
}

/** "a.b.weight" → "a.b", "a", "". */
function* prefixes(name: string): Generator<string> {
  for (let at = name.lastIndexOf("."); at > 0; at = name.lastIndexOf(".", at - 1)) yield name.slice(0, at);
  yield "";
}

/**
 * A scope's path in the form of parameter names: strict export writes `L['self'].layers[0]`. The rule of
 * `exir_viz/snapshot/rollup.py`.
 */
export function modulePath(path: string): string {
  return path.replace(/^L\['self'\]/, "").replace(/^\./, "");
}
