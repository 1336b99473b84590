/**
 * Small programs for tests, in the schema's own types: anything that does not follow the schema does not
 * compile.
 */
import { deflateSync } from "node:zlib";
import {
  type Call,
  type Detail,
  type GraphColumns,
  type InputSpec,
  NONE,
  OPS,
  PAGE_VERSION,
  type PageSkeleton,
  type Placement,
  SCHEMA,
  type Scope,
  type Skeleton,
  Snapshot,
  type StateEntry,
  type Target,
  type Value,
} from "../src/snapshot";
import { MEMORY } from "../src/snapshot/tables";

export interface NodeOf {
  readonly name: string;
  readonly op?: (typeof OPS)[number];
  readonly target?: string;
  readonly inputs?: readonly string[];
  readonly shape?: readonly (number | string)[];
  readonly dtype?: string;
  readonly module?: string;
  /** The module that Python infers for a node without one. */
  readonly inferred?: string;
  /** The state of a placeholder. */
  readonly parameter?: string;
  /** The name of a get_attr's graph. */
  readonly holds?: string;
}

export interface GraphOf {
  readonly name: string;
  readonly nodes: readonly NodeOf[];
}

/** Calls that are no operators, by name. */
const PYTHON_CALLS: Readonly<Record<string, Target>> = {
  getitem: { type: "builtin", text: "operator.getitem", name: "getitem" },
  alloc: { type: "function", text: MEMORY, name: "alloc" },
};

/** The first graph is the method's; nodes of it hold the others. */
export function skeletonOf(...graphs: readonly GraphOf[]): PageSkeleton {
  const targets: Target[] = [];
  const values: Value[] = [];
  const scopes: Scope[] = [];
  const state: StateEntry[] = [];
  const scopeOf = (path: string): number => {
    const found = scopes.findIndex((scope) => scope.path === path);
    if (found >= 0) return found;
    const parent = path === "" ? NONE : scopeOf(path.slice(0, Math.max(0, path.lastIndexOf("."))));
    const cls = path === "" ? "test.Root" : `test.${path.replace(/.*\./, "").replace(/\d+$/, "") || "Layer"}`;
    return scopes.push({ parent, key: `L__self__${path}`, path, cls, call: 0 }) - 1;
  };
  const columns = graphs.map((graph, number): GraphColumns => {
    const at = new Map(graph.nodes.map((node, i) => [node.name, i]));
    const inputs: InputSpec[] = [];
    const specs = graph.nodes.map((node, i) => {
      const op = node.op ?? "call_function";
      const text = node.target ?? node.name.replace(/_\d+$/, "");
      const isOp = op === "call_function" && !text.startsWith("higher_order.");
      const target: Target =
        PYTHON_CALLS[text] ??
        (isOp
          ? {
              type: "op",
              text: `torch.ops.aten.${text}.default`,
              namespace: "aten",
              name: text,
              overload: "default",
            }
          : text.startsWith("higher_order.")
            ? { type: "higher_order", text: `torch.ops.${text}`, name: text.slice(13) }
            : {
                type: op === "output" ? "output" : op === "get_attr" ? "attribute" : "input",
                text: node.name,
              });
      const value: Value = { kind: "tensor", dtype: node.dtype ?? "float32", shape: node.shape ?? [2, 3] };
      const valueNumber = values.push(value) - 1;
      if (op === "placeholder") {
        const kind = node.parameter ? "parameter" : "user_input";
        inputs.push({
          kind,
          arg: { type: "tensor", name: node.name },
          ...(node.parameter && { target: node.parameter }),
        });
        if (node.parameter)
          state.push({ name: node.parameter, kind: "parameter", value: valueNumber, bytes: 24 });
      }
      const known = targets.findIndex((each) => each.text === target.text);
      return {
        op: OPS.indexOf(op),
        target: known >= 0 ? known : targets.push(target) - 1,
        value: valueNumber,
        scope: node.module === undefined ? NONE : scopeOf(node.module),
        back: (node.inputs ?? []).map((name) => i - (at.get(name) ?? i)),
      };
    });
    const subgraphs = graph.nodes.flatMap((node, i) => {
      const to = graphs.findIndex((each) => each.name === node.holds);
      return node.holds === undefined || to < 0 ? [] : [{ node: i, graph: to }];
    });
    return {
      name: graph.name,
      type: number === 0 ? "method" : "subgraph",
      parent: number === 0 ? NONE : 0,
      names: graph.nodes.map((node) => node.name),
      ops: specs.map((spec) => spec.op),
      targets: specs.map((spec) => spec.target),
      values: specs.map((spec) => spec.value),
      scopes: specs.map((spec) => spec.scope),
      arity: specs.map((spec) => spec.back.length),
      inputs: specs.flatMap((spec) => spec.back),
      subgraphs: subgraphs,
      signature: { inputs, outputs: [] },
    };
  });
  const placements = graphs.map(({ nodes }): Placement => {
    const inferred = nodes.flatMap((node, i) => (node.inferred === undefined ? [] : [i]));
    return { inferred, owners: inferred.map((i) => scopeOf(nodes[i]?.inferred ?? "")) };
  });
  return {
    schema: SCHEMA,
    origin: { type: "ExportedProgram", name: "test" },
    methods: [{ name: graphs[0]?.name ?? "forward", graph: 0, dialect: "aten", state }],
    graphs: columns,
    targets,
    values,
    scopes,
    page: { version: PAGE_VERSION, placements },
  };
}

export function detailOf(skeleton: Skeleton): Detail {
  const calls: Call[] = [{ args: [] }];
  return {
    methods: skeleton.methods.map(() => ({})),
    graphs: skeleton.graphs.map(({ names }) => {
      const none = names.map(() => NONE);
      return {
        calls: names.map(() => 0),
        traces: none,
        torch_fns: none,
        source_fns: none,
        origins: none,
        handles: none,
        specs: none,
        extras: none,
      };
    }),
    calls,
  };
}

export function snapshotOf(...graphs: readonly GraphOf[]): Snapshot {
  const skeleton = skeletonOf(...graphs);
  return new Snapshot(skeleton, async () => detailOf(skeleton));
}

/** A `.exirviz` file as Python writes it. `change` may corrupt its header. */
export function fileOf(
  skeleton: unknown,
  detail: unknown,
  change: (header: Header) => unknown = (h) => h,
  page?: unknown,
): Uint8Array {
  const parts = { skeleton, detail, ...(page !== undefined && { page }) };
  const raw = Object.values(parts).map((part) => Buffer.from(JSON.stringify(part)));
  const packed = raw.map((bytes) => deflateSync(bytes));
  const sections = Object.keys(parts).map((name, i) => ({
    name,
    packed: packed[i]?.length ?? 0,
    bytes: raw[i]?.length ?? 0,
    crc32: 0,
  }));
  const header = Buffer.from(JSON.stringify(change({ schema: SCHEMA, sections })));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(header.length);
  return new Uint8Array(Buffer.concat([Buffer.from("EXIRVIZ\n"), length, header, ...packed]));
}

export interface Header {
  schema: number;
  sections: { name: string; packed: number; bytes: number; crc32: number }[];
}

/** `layers` identical layers of a linear and a relu, each with its weight, in `model`. */
export function stack(layers: number): GraphOf {
  const nodes: NodeOf[] = [];
  for (let i = 0; i < layers; i++) {
    nodes.push({ name: `p_${i}`, op: "placeholder", parameter: `model.layers.${i}.weight`, shape: [3, 3] });
  }
  nodes.push({ name: "x", op: "placeholder" });
  let last = "x";
  for (let i = 0; i < layers; i++) {
    const module = `model.layers.${i}`;
    nodes.push({ name: `linear_${i}`, inputs: [last, `p_${i}`], module });
    nodes.push({ name: `relu_${i}`, inputs: [`linear_${i}`], module });
    last = `relu_${i}`;
  }
  nodes.push({ name: "output", op: "output", inputs: [last] });
  return { name: "forward", nodes };
}

/** One op that runs one of two graphs, optionally in a module. */
export function branching(module?: string): GraphOf[] {
  const branch = (name: string, op: string): GraphOf => ({
    name,
    nodes: [
      { name: "a", op: "placeholder" },
      { name: op, inputs: ["a"], ...(module !== undefined && { inferred: module }) },
      { name: "output", op: "output", inputs: [op] },
    ],
  });
  const nodes: NodeOf[] = [
    { name: "x", op: "placeholder" },
    { name: "gt", inputs: ["x"], dtype: "bool", shape: [] },
    { name: "true_graph", op: "get_attr", holds: "true_graph" },
    { name: "false_graph", op: "get_attr", holds: "false_graph" },
    {
      name: "cond",
      target: "higher_order.cond",
      inputs: ["gt", "true_graph", "false_graph", "x"],
      ...(module !== undefined && { module }),
    },
    { name: "neg", inputs: ["cond"] },
    { name: "output", op: "output", inputs: ["neg"] },
  ];
  return [{ name: "forward", nodes }, branch("true_graph", "sin"), branch("false_graph", "cos")];
}

/** Seven pixels per letter, in any role. */
export const sevenWide = (text: string): number => 7 * text.length;
