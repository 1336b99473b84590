/**
 * How lines go through open groups. A line that leaves an open group comes from one flat edge inside it (a
 * value has one producer); a line that enters one continues along each flat edge from its in port.
 */

import type { Placed } from "./quotient";

/** A flat edge of an open group: one segment of a line in the world. */
export interface Piece {
  readonly group: number;
  readonly edge: number;
}

export class Strands {
  constructor(
    private readonly placed: (group: number) => Placed,
    private readonly isOpen: Uint8Array,
  ) {}

  /** Pieces that bring a value from its source to the border of `item`, from the outside inwards. */
  upwards(item: number, value: number): Piece[] {
    const pieces: Piece[] = [];
    let at = item;
    while (this.isOpen[at]) {
      const { local, layout } = this.placed(at);
      const edge = layout.intoOut[local.outs.of(value)]!;
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
      const { local, layout } = this.placed(at);
      const leaving = layout.fromIn;
      const port = local.ins.of(value);
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
}
