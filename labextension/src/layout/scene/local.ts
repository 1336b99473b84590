/**
 * The graph of one group alone: its children, the values that enter it (in ports) and those that leave it
 * (out ports). It depends only on the program, not on what is open, so it is built once per group, when that
 * is first opened, in time proportional to the edges of its leaves.
 *
 * Ends are numbered: children 0…k-1, then in ports, then out ports. A port represents one value (its
 * producing leaf), so a value with many users enters or leaves a group once.
 */

import { IntList } from "../csr";
import type { Hierarchy } from "./hierarchy";

export interface LocalGraph {
  /** Items, in order. */
  readonly children: Int32Array;
  readonly ins: Ports;
  readonly outs: Ports;
  /** One edge per value and end, with the number of its leaf edges in `count`. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly value: Int32Array;
  readonly count: Int32Array;
}

/** Working memory of one hierarchy, so that opening a small group of a large program costs little. */
export class LocalGraphs {
  private readonly made: (LocalGraph | undefined)[] = [];
  /** Which child of the current group contains a leaf; -1 outside. Reset after each use. */
  private readonly owner: Int32Array;

  constructor(private readonly hierarchy: Hierarchy) {
    this.owner = new Int32Array(hierarchy.root).fill(-1);
  }

  of(group: number): LocalGraph {
    const found = this.made[group];
    if (found) return found;
    const graph = this.make(group);
    this.made[group] = graph;
    return graph;
  }

  private make(group: number): LocalGraph {
    const { children, leaf, from, to } = this.hierarchy;
    const own = children.item.slice(children.start[group]!, children.start[group + 1]!);
    own.forEach((child, k) => {
      for (let p = from[child]!; p < to[child]!; p++) this.owner[leaf[p]!] = k;
    });
    const graph = collect(this.hierarchy, own, this.owner);
    for (let p = from[group]!; p < to[group]!; p++) this.owner[leaf[p]!] = -1;
    return graph;
  }
}

function collect(h: Hierarchy, children: Int32Array, owner: Int32Array): LocalGraph {
  const { edgeStart, edgeTarget } = h.tree;
  const inPort = new Map<number, number>();
  const outPort = new Map<number, number>();
  const edges = new EdgeList();
  const last = new Map<number, number>(); // edge of (current value, end) or (current value, child)
  for (let k = 0; k < children.length; k++) {
    const child = children[k]!;
    last.clear();
    for (let p = h.from[child]!; p < h.to[child]!; p++) {
      const t = h.leaf[p]!;
      for (let q = h.entering.start[t]!; q < h.entering.start[t + 1]!; q++) {
        const s = h.source[h.entering.item[q]!]!;
        if (owner[s] !== -1) continue;
        if (!inPort.has(s)) inPort.set(s, inPort.size);
        edges.add(last, s, IN + inPort.get(s)!, k, s);
      }
    }
  }
  for (let k = 0; k < children.length; k++) {
    const child = children[k]!;
    for (let p = h.from[child]!; p < h.to[child]!; p++) {
      const s = h.leaf[p]!;
      if (edgeStart[s] === edgeStart[s + 1]) continue;
      last.clear();
      for (let e = edgeStart[s]!; e < edgeStart[s + 1]!; e++) {
        const to = owner[edgeTarget[e]!]!;
        if (to === k) continue;
        if (to === -1 && !outPort.has(s)) outPort.set(s, outPort.size);
        edges.add(last, to, k, to === -1 ? OUT + outPort.get(s)! : to, s);
      }
    }
  }
  const { from, to, value, count } = edges.finish(children.length, inPort.size);
  return { children, ins: ports(inPort), outs: ports(outPort), from, to, value, count };
}

/** Ports are numbered from these until their count is known; no group has as many children. */
const IN = 1 << 28;
const OUT = 1 << 29;

class EdgeList {
  private readonly from = new IntList();
  private readonly to = new IntList();
  private readonly value = new IntList();
  private readonly count = new IntList();

  add(last: Map<number, number>, key: number, from: number, to: number, value: number): void {
    const known = last.get(key);
    if (known !== undefined) {
      this.count.bump(known, 1);
      return;
    }
    last.set(key, this.from.length);
    this.from.push(from);
    this.to.push(to);
    this.value.push(value);
    this.count.push(1);
  }

  finish(children: number, ins: number) {
    const end = (code: number): number =>
      code >= OUT ? code - OUT + children + ins : code >= IN ? code - IN + children : code;
    return {
      from: this.from.toArray().map(end),
      to: this.to.toArray().map(end),
      value: this.value.toArray(),
      count: this.count.toArray(),
    };
  }
}

const ports = (met: ReadonlyMap<number, number>): Ports => new Ports(Int32Array.from(met.keys()));

/** Up to this many, a linear search is faster than a map; most groups have one or two. */
const FEW = 8;

/** The ports on one side of a group: the values that cross there, in order, and their numbers. */
class Ports {
  private readonly numbers: ReadonlyMap<number, number> | undefined;

  /** `values`: the producing leaf of each port. */
  constructor(readonly values: Int32Array) {
    if (values.length > FEW) this.numbers = new Map(Array.from(values, (value, port) => [value, port]));
  }

  get length(): number {
    return this.values.length;
  }

  /** The port of a value; -1 if it does not cross. */
  of(value: number): number {
    return this.numbers ? (this.numbers.get(value) ?? -1) : this.values.indexOf(value);
  }
}
