/** Real programs as layout trees: reads only `models/*.json` from a corpus archive. */

import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { TreeBuilder } from "./builder";

const folder = process.env["EXIR_VIZ_CORPUS"] ?? join(import.meta.dirname, "../../../.cache/corpus");
const file = (name: string): string => join(folder, `${name}.pt2`);

export const hasProgram = (name: string): boolean => existsSync(file(name));
export const missing = (name: string): string =>
  `${name}.pt2 is not in ${folder}; set EXIR_VIZ_CORPUS to its folder`;

/** The entry whose name matches, unpacked. Reads the directory at the end first. */
function readEntry(path: string, match: RegExp): Buffer {
  const fd = openSync(path, "r");
  const read = (start: number, end: number): Buffer => {
    const bytes = Buffer.alloc(end - start);
    readSync(fd, bytes, 0, bytes.length, start);
    return bytes;
  };
  try {
    const { size } = fstatSync(fd);
    const tailStart = Math.max(0, size - 65557);
    const tail = read(tailStart, size);
    const at = tail.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
    if (at < 0) throw new Error(`${path} is not a zip archive`);
    const start = tail.readUInt32LE(at + 16);
    const directory = read(start, start + tail.readUInt32LE(at + 12));
    for (let p = 0, n = tail.readUInt16LE(at + 10); n > 0; n--) {
      const nameLength = directory.readUInt16LE(p + 28);
      const name = directory.toString("utf8", p + 46, p + 46 + nameLength);
      if (match.test(name)) {
        const offset = directory.readUInt32LE(p + 42);
        const header = read(offset, offset + 30);
        const data = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
        const bytes = read(data, data + directory.readUInt32LE(p + 20));
        return directory.readUInt16LE(p + 10) === 0 ? bytes : inflateRawSync(bytes);
      }
      p += 46 + nameLength + directory.readUInt16LE(p + 30) + directory.readUInt16LE(p + 32);
    }
    throw new Error(`${path} has no entry ${match}`);
  } finally {
    closeSync(fd);
  }
}

interface GraphJson {
  readonly inputs: unknown[];
  readonly outputs: unknown[];
  readonly nodes: NodeJson[];
}

interface NodeJson {
  readonly target: string;
  readonly inputs: unknown;
  readonly outputs: unknown[];
  readonly metadata: Record<string, string>;
}

/** Every value name in a serialised argument, except inside subgraphs. */
function valueNames(x: unknown, found: string[] = []): string[] {
  if (Array.isArray(x)) for (const y of x) valueNames(y, found);
  else if (x && typeof x === "object") {
    for (const [key, v] of Object.entries(x)) {
      if (key === "as_string" || key === "as_graph") continue;
      if (key === "as_name") found.push(v as string);
      else if (/^as_(tensors?|custom_obj|token|optional_tensor)$/.test(key)) {
        for (const t of [v].flat()) if (t?.name) found.push(t.name);
      } else valueNames(v, found);
    }
  }
  return found;
}

/**
 * An op is a leaf; one with branches (cond, while_loop) is a group of its operands, each branch and its
 * result.
 */
function addNode(builder: TreeBuilder, node: NodeJson, parent: number, made: Map<string, number>): void {
  const label = node.target.replace(/^torch\.ops\.(aten\.)?/, "");
  const branches = subgraphs(node.inputs);
  const group = branches.length ? builder.group(parent, `${label} Branches`) : parent;
  const item = builder.leaf(group, branches.length ? "result" : label);
  const values = [...new Set(valueNames(node.inputs))];
  for (const { name, graph } of branches) {
    const branch = builder.group(group, `${name} Graph`);
    const inner = new Map<string, number>();
    const names = graph.inputs.flatMap((x) => valueNames(x));
    const operands = values.slice(values.length - names.length);
    names.forEach((input, i) => {
      const leaf = builder.leaf(branch, input);
      inner.set(input, leaf);
      const source = made.get(operands[i] ?? "");
      if (source !== undefined) builder.edge(source, leaf);
    });
    for (const inside of graph.nodes) addNode(builder, inside, branch, inner);
    for (const output of graph.outputs.flatMap((x) => valueNames(x)))
      builder.edge(inner.get(output) ?? item, item);
  }
  for (const input of values) {
    const source = made.get(input);
    if (source !== undefined) builder.edge(source, item);
  }
  for (const output of node.outputs.flatMap((x) => valueNames(x))) made.set(output, item);
}

function subgraphs(x: unknown): { name: string; graph: GraphJson }[] {
  if (!x || typeof x !== "object") return [];
  if ("as_graph" in x) return [x.as_graph as { name: string; graph: GraphJson }];
  return Object.values(x).flatMap(subgraphs);
}

export interface Program {
  readonly builder: TreeBuilder;
  /** Item of each module path. */
  readonly groups: ReadonlyMap<string, number>;
}

const relative = (path: string, outer: string): string =>
  outer && path.startsWith(`${outer}.`) ? path.slice(outer.length + 1) : path;

/** `fold` leaves out parameters and buffers, as the viewer does by default. */
export function program(name: string, fold = true): Program {
  const json = JSON.parse(readEntry(file(name), /(^|\/)models\/[^/]+\.json$/).toString("utf8"));
  const graph: GraphJson = json.graph_module.graph;
  const builder = new TreeBuilder();
  const groups = new Map<string, number>();
  const made = new Map<string, number>();
  const users = new Map<string, number[]>();
  const nodeGroups = graph.nodes.map((node) => {
    let parent = -1;
    let outer = "";
    for (const entry of (node.metadata["nn_module_stack"] ?? "").split(";")) {
      const [key, path, cls] = entry.split(",");
      if (!key || !path) continue;
      if (!groups.has(key))
        groups.set(key, builder.group(parent, `${relative(path, outer)} ${cls?.split(".").pop()}`));
      parent = groups.get(key) ?? -1;
      outer = path;
    }
    return parent;
  });
  graph.nodes.forEach((node, i) => {
    for (const input of valueNames(node.inputs)) {
      const list = users.get(input) ?? [];
      list.push(nodeGroups[i] ?? -1);
      users.set(input, list);
    }
  });
  for (const input of graph.inputs.flatMap((x) => valueNames(x))) {
    const isState = /^(p|b|c|obj)_/.test(input);
    if (fold && isState) continue;
    const parent = isState ? builder.commonGroup(users.get(input) ?? []) : -1;
    made.set(input, builder.leaf(parent, input));
  }
  for (const [i, node] of graph.nodes.entries()) addNode(builder, node, nodeGroups[i] ?? -1, made);
  const output = builder.leaf(-1, "output");
  for (const name of new Set(graph.outputs.flatMap((x) => valueNames(x)))) {
    const source = made.get(name);
    if (source !== undefined) builder.edge(source, output);
  }
  return {
    builder,
    groups: new Map([...groups].map(([key, item]) => [key.replace(/^L__self__/, ""), item])),
  };
}
