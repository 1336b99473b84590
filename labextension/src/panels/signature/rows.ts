/** A method's signature as rows: inputs and outputs by kind, with mutations marked, then pytrees. */

import { mutatedNodes } from "../../search";
import type { InputSpec, MethodDetail, OutputSpec, Snapshot, Tree } from "../../snapshot";

export type SignatureRow =
  | { readonly kind: "tree"; readonly depth: number; readonly key: string; readonly type: string }
  | {
      readonly kind: "spec";
      /** Its title: the user's path, the state, or the node. */
      readonly title: string;
      readonly value: string;
      readonly node: number | undefined;
      readonly mark: string;
    };

const TITLES: Readonly<Record<string, string>> = {
  user_input: "User inputs",
  parameter: "Parameters",
  buffer: "Buffers",
  constant_tensor: "Constants",
  custom_obj: "Objects",
  token: "Tokens",
  user_output: "User outputs",
  loss_output: "Loss",
  buffer_mutation: "Mutated buffers",
  parameter_mutation: "Mutated parameters",
  user_input_mutation: "Mutated inputs",
  gradient_to_parameter: "Parameter gradients",
  gradient_to_user_input: "Input gradients",
};

/** The user's inputs and outputs first; then mutations; then state. */
const ORDER = [
  "user_input",
  "user_output",
  "loss_output",
  "user_input_mutation",
  "buffer_mutation",
  "parameter_mutation",
  "gradient_to_parameter",
  "gradient_to_user_input",
  "parameter",
  "buffer",
  "constant_tensor",
  "custom_obj",
  "token",
];

export interface Group {
  readonly key: string;
  readonly title: string;
  readonly rows: readonly SignatureRow[];
}

export function groups(snapshot: Snapshot, method: number, detail: MethodDetail | undefined): Group[] {
  const { graph: number = 0 } = snapshot.methods[method] ?? {};
  const graph = snapshot.graph(number);
  const { inputs = [], outputs = [] } = graph.columns.signature ?? {};
  const mutated = mutatedNodes(snapshot);
  const nodeOf = (name: string): number | undefined => {
    const position = graph.position(name);
    return position === undefined ? undefined : graph.base + position;
  };
  const row = (spec: InputSpec | OutputSpec, isInput: boolean): SignatureRow => {
    const node = nodeOf(spec.arg.name);
    const value = node === undefined ? (spec.arg.value?.text ?? spec.arg.type) : snapshot.valueText(node);
    const isWritten = isInput && node !== undefined && mutated.has(node);
    const title = (isInput && spec.target) || spec.path || spec.target || spec.arg.name;
    const isTransient = isInput && (spec as InputSpec).persistent === false;
    return {
      kind: "spec",
      title,
      value,
      node,
      mark: isWritten ? "mutated" : isTransient ? "not persistent" : "",
    };
  };
  const rows = new Map<string, SignatureRow[]>();
  for (const spec of inputs) push(rows, `in ${spec.kind}`, row(spec, true));
  for (const spec of outputs) push(rows, `out ${spec.kind}`, row(spec, false));
  const specs = [...rows]
    .map(([key, list]): Group => {
      const kind = key.slice(key.indexOf(" ") + 1);
      const side = kind === "token" ? (key.startsWith("in") ? " in" : " out") : "";
      return { key, title: `${TITLES[kind] ?? kind}${side}`, rows: list };
    })
    .sort((a, b) => rank(a.key) - rank(b.key));
  return [...specs, ...trees(detail)];
}

const rank = (key: string): number => ORDER.indexOf(key.slice(key.indexOf(" ") + 1));

function push(rows: Map<string, SignatureRow[]>, key: string, row: SignatureRow): void {
  const list = rows.get(key);
  if (list) list.push(row);
  else rows.set(key, [row]);
}

function trees(detail: MethodDetail | undefined): Group[] {
  const found: Group[] = [];
  if (detail?.in_spec) found.push({ key: "in_spec", title: "Input tree", rows: treeRows(detail.in_spec) });
  if (detail?.out_spec)
    found.push({ key: "out_spec", title: "Output tree", rows: treeRows(detail.out_spec) });
  return found;
}

function treeRows(tree: Tree, key = "", depth = 0): SignatureRow[] {
  const { type, children = [], keys = [] } = tree;
  const inner = children.flatMap((child, i) => treeRows(child, keys[i]?.text ?? `${i}`, depth + 1));
  return [{ kind: "tree", depth, key, type: type === "leaf" ? "" : type }, ...inner];
}

/** Groups with the rows that contain a text; all rows if it is empty. */
export function matching(all: readonly Group[], filter: string): readonly Group[] {
  const wanted = filter.trim().toLowerCase();
  if (!wanted) return all;
  return all
    .map((group) => ({
      ...group,
      rows: group.rows.filter((row) => textOf(row).toLowerCase().includes(wanted)),
    }))
    .filter(({ rows }) => rows.length > 0);
}

const textOf = (row: SignatureRow): string =>
  row.kind === "spec" ? `${row.title} ${row.value} ${row.mark}` : `${row.key} ${row.type}`;
