/** The role of a node in the program, and the states of `is:`. */
import { isAssert, isMutation, NONE, type Snapshot, type StateEntry, type Value } from "../snapshot";
import { type Columns, marksOf, OP } from "./columns";
import type { Role, State } from "./language";

const INPUT_ROLES: Readonly<Record<string, Role>> = {
  user_input: "input",
  parameter: "parameter",
  buffer: "buffer",
  constant_tensor: "constant",
  custom_obj: "object",
  token: "token",
};

export function roleOf(snapshot: Snapshot, node: number): Role {
  const { graph, position } = snapshot.locate(node);
  switch (graph.op(position)) {
    case "placeholder":
      return INPUT_ROLES[snapshot.inputSpec(node)?.kind ?? "user_input"] ?? "input";
    case "get_attr":
      return "attribute";
    case "output":
      return "output";
    default:
      return "op";
  }
}

/** Placeholders whose state or value the program writes. */
export function mutatedNodes(snapshot: Snapshot): Set<number> {
  const found = new Set<number>();
  for (const graph of snapshot.graphs) {
    const { inputs = [], outputs = [] } = graph.columns.signature ?? {};
    const written = outputs.filter(isMutation).map((spec) => spec.target);
    for (const spec of inputs) {
      const isWritten =
        written.includes(spec.arg.name) || (spec.target !== undefined && written.includes(spec.target));
      const position = isWritten ? graph.position(spec.arg.name) : undefined;
      if (position !== undefined) found.add(graph.base + position);
    }
  }
  return found;
}

/** Other state in the same memory. */
export function sharedWith(snapshot: Snapshot, entry: StateEntry): StateEntry[] {
  if (entry.storage === undefined) return [];
  const method = snapshot.methods.find((each) => each.state?.includes(entry));
  return (method?.state ?? []).filter((each) => each !== entry && each.storage === entry.storage);
}

const isSymbolic = (value: Value): boolean => {
  if (value.kind === "tensor") return value.shape.some((dim) => typeof dim === "string");
  if (value.kind === "symbol") return true;
  return (value.kind === "sequence" || value.kind === "map") && (value.items ?? []).some(isSymbolic);
};

const needsGrad = (value: Value): boolean =>
  value.kind === "tensor"
    ? value.requires_grad === true
    : (value.kind === "sequence" || value.kind === "map") && (value.items ?? []).some(needsGrad);

/** Marks of the nodes with a state. */
export function inState(columns: Columns, state: State): Uint8Array {
  const { snapshot } = columns;
  const { values, targets, graphs } = snapshot.skeleton;
  switch (state) {
    case "symbolic":
      return columns.marked(columns.value, marksOf(values, isSymbolic));
    case "grad":
      return columns.marked(columns.value, marksOf(values, needsGrad));
    case "assert":
      return columns.marked(columns.target, marksOf(targets, isAssert));
    case "nested":
      return columns.marked(
        columns.graph,
        marksOf(graphs, (graph) => graph.parent !== NONE),
      );
    case "unused":
      return Uint8Array.from(columns.users, (users, node) =>
        users === 0 && columns.op[node] !== OP.output ? 1 : 0,
      );
    case "holder":
      return marked(
        columns,
        snapshot.graphs.flatMap(({ base, columns: { subgraphs = [] } }) =>
          subgraphs.map((subgraph) => base + subgraph.node),
        ),
      );
    case "mutated":
      return marked(columns, mutatedNodes(snapshot));
    case "shared":
      return marked(columns, sharing(snapshot));
  }
}

/** Placeholders of state that shares its memory with other state. */
function sharing(snapshot: Snapshot): number[] {
  const found: number[] = [];
  for (const method of snapshot.methods) {
    const users = new Map<number, number>();
    for (const { storage } of method.state ?? []) {
      if (storage !== undefined) users.set(storage, (users.get(storage) ?? 0) + 1);
    }
    const shared = new Set(
      (method.state ?? [])
        .filter(({ storage }) => storage !== undefined && (users.get(storage) ?? 0) > 1)
        .map((entry) => entry.name),
    );
    const graph = snapshot.graph(method.graph);
    for (const spec of graph.columns.signature?.inputs ?? []) {
      const position = shared.has(spec.target ?? "") ? graph.position(spec.arg.name) : undefined;
      if (position !== undefined) found.push(graph.base + position);
    }
  }
  return found;
}

function marked(columns: Columns, nodes: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(columns.count);
  for (const node of nodes) marks[node] = 1;
  return marks;
}
