/**
 * The visible part of a group: its local graph with closed children as boxes, open ones with their ports, and
 * runs of identical closed children as one box. Returns the `FlatGraph` to lay out and the mapping of its
 * numbers.
 */

import { IntList } from "../csr";
import type { FlatGraph, FlatLayout } from "../layered/flat";
import { NO_POSITION, STRETCH, type Tree } from "../types";
import type { LocalGraph } from "./local";

/** An open group, laid out. */
export interface Placed {
  readonly local: LocalGraph;
  readonly quotient: Quotient;
  readonly layout: FlatLayout;
}

interface Quotient {
  readonly flat: FlatGraph;
  /** The item of each box, and how many run members it represents. */
  readonly item: Int32Array;
  readonly members: Int32Array;
  /** Box of each child of the group. */
  readonly nodeOf: Int32Array;
  /** By flat edge: its first value, and the number of its leaf edges. */
  readonly value: Int32Array;
  readonly count: Int32Array;
}

interface Frame {
  readonly header: number;
  readonly minWidth: number;
}

interface Seen {
  readonly tree: Tree;
  readonly runHead: Int32Array | undefined;
  readonly stretch?: Uint8Array | undefined;
  readonly previousX?: Float64Array | undefined;
  /** The layout of a child that is open. */
  readonly placed: (item: number) => Placed | undefined;
}

export function quotient(local: LocalGraph, seen: Seen, frame: Frame): Quotient {
  const { nodeOf, item, members } = groupBoxes(local, seen);
  const n = item.length;
  const open = Array.from(item, (it) => seen.placed(it));
  const node = (end: number): number =>
    end < local.children.length ? nodeOf[end]! : end - local.children.length + n;
  const outlets = new Outlets(open);
  const nodes = n + local.ins.length + local.outs.length;
  const made = new Map<number, number>(); // closed targets get all lines of one outlet as one
  const edgeOutlet = new IntList();
  const edgeTo = new IntList();
  const edgeDx: number[] = [];
  const value = new IntList();
  const count = new IntList();
  for (let e = 0; e < local.from.length; e++) {
    const u = node(local.from[e]!);
    const v = node(local.to[e]!);
    if (u === v) continue;
    const passed = local.value[e]!;
    const outlet = outlets.of(u, passed);
    const target = open[v];
    if (!target) {
      const known = made.get(outlet * nodes + v);
      if (known !== undefined) {
        count.bump(known, local.count[e]!);
        continue;
      }
      made.set(outlet * nodes + v, edgeTo.length);
    }
    edgeOutlet.push(outlet);
    edgeTo.push(v);
    edgeDx.push(target ? inletDx(target, passed) : 0);
    value.push(passed);
    count.push(local.count[e]!);
  }
  const flat: FlatGraph = {
    boxes: n,
    ins: local.ins.length,
    outs: local.outs.length,
    ...sizesOf(item, open, seen),
    pinned: Uint8Array.from(open, (o) => (o ? 1 : 0)),
    isGroup: Uint8Array.from(item, (it) => seen.tree.isGroup[it]!),
    outletNode: outlets.node.toArray(),
    outletDx: Float64Array.from(outlets.dx),
    edgeOutlet: edgeOutlet.toArray(),
    edgeTo: edgeTo.toArray(),
    edgeDx: Float64Array.from(edgeDx),
    ...frame,
    ...previousOf(item, seen.previousX),
  };
  return { flat, item, members, nodeOf, value: value.toArray(), count: count.toArray() };
}

function sizesOf(
  item: Int32Array,
  open: readonly (Placed | undefined)[],
  { tree, stretch }: Seen,
): Pick<FlatGraph, "width" | "height"> {
  const size = (it: number, v: number, of: "width" | "height"): number =>
    open[v]?.layout[of] ?? (stretch?.[it] ? STRETCH[of] : tree[of][it]!);
  return {
    width: Float64Array.from(item, (it, v) => size(it, v, "width")),
    height: Float64Array.from(item, (it, v) => size(it, v, "height")),
  };
}

function previousOf(item: Int32Array, previousX: Float64Array | undefined): Pick<FlatGraph, "previousX"> {
  const own = previousX && Float64Array.from(item, (it) => previousX[it]!);
  return own?.some((x) => x !== NO_POSITION) ? { previousX: own } : {};
}

/** One box per child, or per run or unchanged siblings with one head. */
function groupBoxes(local: LocalGraph, { runHead, placed }: Seen) {
  if (!runHead) {
    const members = new Int32Array(local.children.length).fill(1);
    return { nodeOf: members.map((_, k) => k), item: local.children, members };
  }
  const nodeOf = new Int32Array(local.children.length);
  const boxOfHead = new Map<number, number>();
  const item = new IntList();
  const members = new IntList();
  local.children.forEach((child, k) => {
    const run = runHead[child]!;
    const head = placed(child) || placed(run) ? child : run;
    const known = boxOfHead.get(head);
    if (known !== undefined) members.bump(known, 1);
    else {
      boxOfHead.set(head, item.length);
      item.push(head);
      members.push(1);
    }
    nodeOf[k] = boxOfHead.get(head)!;
  });
  return { nodeOf, item: item.toArray(), members: members.toArray() };
}

/** Where lines start: one outlet per closed box or port, one per out port of an open box. */
class Outlets {
  readonly node = new IntList();
  readonly dx: number[] = [];
  private readonly known = new Map<number, number>();

  constructor(private readonly open: readonly (Placed | undefined)[]) {}

  of(node: number, value: number): number {
    const child = this.open[node];
    const key = child ? -1 - value : node;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.known.set(key, this.dx.length);
    this.node.push(node);
    return this.dx.push(child ? outletDx(child, value) : 0) - 1;
  }
}

/** x of a value's port from the middle of the open child. */
function inletDx({ local, quotient, layout }: Placed, value: number): number {
  return layout.x[quotient.flat.boxes + local.ins.of(value)]! - layout.width / 2;
}

function outletDx({ local, quotient, layout }: Placed, value: number): number {
  const { boxes, ins } = quotient.flat;
  return layout.x[boxes + ins + local.outs.of(value)]! - layout.width / 2;
}
