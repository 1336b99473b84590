/** The fields that differ between the two nodes of a match, formatted as in the rest of the front end. */
import { statement } from "../../panels/code/statement";
import { type Detail, opName, type Snapshot } from "../../snapshot";
import type { Changes } from "../model/changes";

interface Difference {
  readonly field: string;
  /** Absent if the field has no short text. */
  readonly before?: string;
  readonly after?: string;
}

/** `details`: of both sides, if loaded; without one its arguments have no text. */
export function differences(
  changes: Changes,
  match: number,
  details: readonly (Detail | undefined)[],
): Difference[] {
  const [a] = changes.nodes(match, 0);
  const [b] = changes.nodes(match, 1);
  if (a === undefined || b === undefined) return [];
  return changes.fields(match).map((field) => {
    const before = textOf(changes.snapshots[0], a, field, details[0]);
    const after = textOf(changes.snapshots[1], b, field, details[1]);
    return before === undefined || after === undefined || before === after
      ? { field }
      : { field, before, after };
  });
}

function textOf(
  snapshot: Snapshot,
  node: number,
  field: string,
  detail: Detail | undefined,
): string | undefined {
  const { graph, position } = snapshot.locate(node);
  switch (field) {
    case "op":
      return opName(snapshot.target(node));
    case "content":
      return elementsOf(snapshot, node);
    case "dtype":
    case "shape":
      return snapshot.valueText(node);
    case "strides":
    case "dim_order":
    case "device":
    case "requires_grad":
      return ofTensor(snapshot, node, field);
    case "scope":
      return snapshot.scopes[snapshot.ownerOf(graph.base + position)]?.path || "the whole model";
    case "graph":
      return graph.path;
    case "args":
      return detail && statement(snapshot, detail, node).rest.trim();
    case "inputs":
      return inputsOf(snapshot, node);
    default:
      return undefined;
  }
}

/** A known property of a tensor that its short text omits. */
function ofTensor(
  snapshot: Snapshot,
  node: number,
  field: "strides" | "dim_order" | "device" | "requires_grad",
): string | undefined {
  const value = snapshot.value(node);
  if (value?.kind !== "tensor") return undefined;
  const { stride, dim_order, device = "cpu", requires_grad = false } = value;
  switch (field) {
    case "strides":
      return stride && `(${stride.join(", ")})`;
    case "dim_order":
      return dim_order && `(${dim_order.join(", ")})`;
    case "device":
      return device;
    case "requires_grad":
      return requires_grad ? "required" : "no";
  }
}

/** The elements of a constant that is small enough to be saved. */
function elementsOf(snapshot: Snapshot, node: number): string | undefined {
  const { graph, position } = snapshot.locate(node);
  const name = graph.columns.names[position];
  const spec = graph.columns.signature?.inputs?.find(({ arg }) => arg.name === name);
  const states = snapshot.methods.flatMap(({ graph: own, state = [] }) =>
    own === graph.number ? state : [],
  );
  const { data } = states.find((each) => each.name === spec?.target) ?? {};
  return data && `[${data.join(", ")}]`;
}

function inputsOf(snapshot: Snapshot, node: number): string {
  const { graph, position } = snapshot.locate(node);
  return [...graph.inputsOf(position)].map((input) => graph.name(input)).join(", ");
}
