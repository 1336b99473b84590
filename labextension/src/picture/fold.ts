/** Which nodes are folded into the ops that use them: state, and the get_attr nodes of nested graphs. */
import { byteText, type Graph, isMemory, isMutation, NONE, type Snapshot, STATE_INPUTS } from "../snapshot";
import type { Chip } from "./sizes";

const STATE: ReadonlySet<string> = new Set(STATE_INPUTS);

/** "parameter", "buffer", … for a placeholder or get_attr of state; undefined for other nodes. */
export function stateKind(snapshot: Snapshot, graph: Graph, position: number): string | undefined {
  const op = graph.op(position);
  if (op === "placeholder") {
    const kind = snapshot.inputSpec(graph.base + position)?.kind;
    return kind && STATE.has(kind) ? kind : undefined;
  }
  if (op !== "get_attr") return undefined;
  return snapshot.state(graph.target(position).text)?.kind ?? "constant";
}

/** State with at least one user; unused state has a box, so that it is visible. */
export function isFoldable(snapshot: Snapshot, graph: Graph, position: number): boolean {
  return graph.userCount(position) > 0 && stateKind(snapshot, graph, position) !== undefined;
}

/** The name of a piece of state in its program: "layers.0.fc.weight". */
export function stateName(snapshot: Snapshot, node: number): string {
  const { graph, position } = snapshot.locate(node);
  if (graph.op(position) === "get_attr") return graph.target(position).text;
  return snapshot.inputSpec(node)?.target ?? graph.name(position);
}

/** "W" for a weight, "b" for a bias, else the last part of its name. */
function stateLetter(name: string): string {
  const last = name.slice(name.lastIndexOf(".") + 1);
  if (last === "weight") return "W";
  if (last === "bias") return "b";
  return last.length > 10 ? `${last.slice(0, 9)}…` : last;
}

/** The memory plan for an op's result, if the detail is loaded. */
function memoryChip(snapshot: Snapshot, node: number): Chip | undefined {
  const { graph, position } = snapshot.locate(node);
  const { detailNow: detail } = snapshot;
  const spec = detail?.spec_lists?.[detail.graphs[graph.number]?.specs[position] ?? NONE]?.[0];
  if (spec?.mem_id === undefined) return undefined;
  const size = byteText(spec.bytes);
  return { text: `arena ${spec.mem_id} · ${size}`, short: size, isMemoryPlan: true };
}

/**
 * By name of a graph's node: the state that its value is written to when the graph ends, as "running_mean".
 */
export function mutationsOf(graph: Graph): ReadonlyMap<string, string> {
  const written = new Map<string, string>();
  for (const spec of graph.columns.signature?.outputs ?? []) {
    const { arg, target } = spec;
    if (isMutation(spec) && target) written.set(arg.name, target.slice(target.lastIndexOf(".") + 1));
  }
  return written;
}

/** "W 64×64": the chip for state folded into a node. */
export function chipOf(snapshot: Snapshot, node: number): Chip | undefined {
  if (isMemory(snapshot.target(node))) return memoryChip(snapshot, node);
  const value = snapshot.value(node);
  const letter = stateLetter(stateName(snapshot, node));
  const shape = value?.kind === "tensor" ? value.shape.join("×") : "";
  return { text: shape ? `${letter} ${shape}` : letter, short: letter };
}

export interface Holders {
  /** By position of the holder: numbers of its graphs, in the order of its arguments. */
  readonly graphs: ReadonlyMap<number, readonly number[]>;
  /** get_attr positions that are not drawn: the node that uses them shows their graph. */
  readonly swallowed: ReadonlySet<number>;
}

/**
 * Which nodes of a graph hold graphs: a control-flow op (through the get_attr nodes of its branches) or a
 * delegate call. Those that are `shown` already are left out; a graph of two nodes is shown in the first.
 */
export function holders(graph: Graph, shown: ReadonlySet<number>): Holders {
  const graphs = new Map<number, number[]>();
  const swallowed = new Set<number>();
  const inlined = new Set<number>();
  for (const { node, graph: inner } of graph.columns.subgraphs ?? []) {
    const user = graph.op(node) === "get_attr" ? graph.usersOf(node)[0] : undefined;
    if (user !== undefined) swallowed.add(node);
    if (shown.has(inner) || inlined.has(inner)) continue;
    inlined.add(inner);
    const holder = user ?? node;
    graphs.set(holder, [...(graphs.get(holder) ?? []), inner]);
  }
  return { graphs, swallowed };
}
