/**
 * How lines go through open groups. A line that leaves an open group comes from one flat edge inside it (a
 * value has one producer); a line that enters one goes on along each flat edge that leaves its in port.
 */

import { type Csr, groupBy } from "./csr";
import type { Placed } from "./quotient";

/** A flat edge of an open group: one piece of a line in the world. */
export interface Piece {
  readonly group: number;
  readonly edge: number;
}

interface Ports {
  /** The flat edge that ends in each out port; the flat edges that leave each in port. */
  readonly into: Int32Array;
  readonly leaving: Csr;
}

export class Strands {
  private readonly ports = new Map<number, Ports>();

  constructor(
    private readonly placed: (group: number) => Placed,
    private readonly isOpen: Uint8Array,
  ) {}

  /** Pieces that bring a value from its source to the border of `item`, from the outside inwards. */
  upwards(item: number, value: number): Piece[] {
    const pieces: Piece[] = [];
    let at = item;
    while (this.isOpen[at]) {
      const { local } = this.placed(at);
      const edge = this.portsOf(at).into[local.outPort.get(value)!]!;
      pieces.push({ group: at, edge });
      at = this.sourceItem(at, edge);
    }
    return pieces;
  }

  /** Calls `each` with every chain of pieces that brings a value from the border of `item` to a target. */
  downwards(item: number, value: number, each: (pieces: readonly Piece[], target: number) => void): void {
    const pieces: Piece[] = [];
    const walk = (at: number): void => {
      if (!this.isOpen[at]) {
        each(pieces, at);
        return;
      }
      const { local } = this.placed(at);
      const { leaving } = this.portsOf(at);
      const port = local.inPort.get(value)!;
      for (let q = leaving.start[port]!; q < leaving.start[port + 1]!; q++) {
        const edge = leaving.item[q]!;
        pieces.push({ group: at, edge });
        walk(this.targetItem(at, edge));
        pieces.pop();
      }
    };
    walk(item);
  }

  sourceItem(group: number, edge: number): number {
    const { flat, item } = this.placed(group).quotient;
    return item[flat.outletNode[flat.edgeOutlet[edge]!]!]!;
  }

  targetItem(group: number, edge: number): number {
    const { flat, item } = this.placed(group).quotient;
    return item[flat.edgeTo[edge]!]!;
  }

  private portsOf(group: number): Ports {
    const found = this.ports.get(group);
    if (found) return found;
    const { flat } = this.placed(group).quotient;
    const into = new Int32Array(flat.outs).fill(-1);
    const port = new Int32Array(flat.edgeTo.length);
    for (let e = 0; e < port.length; e++) {
      const out = flat.edgeTo[e]! - flat.boxes - flat.ins;
      if (out >= 0) into[out] = e;
      const source = flat.outletNode[flat.edgeOutlet[e]!]! - flat.boxes;
      port[e] = source < 0 ? -1 : source;
    }
    const made = { into, leaving: groupBy(flat.ins, port) };
    this.ports.set(group, made);
    return made;
  }
}
