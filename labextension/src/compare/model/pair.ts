/** Two columns that stand side by side: what was found between their programs, in the pictures that they show. */
import type { Explorer } from "../../explorer";
import { slotsOfNodes } from "../camera/scene_offset";
import { type Changes, otherSide, type Side } from "./changes";
import { Counterparts } from "./counterparts";
import { Tally } from "./tally";

export class Pair {
  private known:
    | { readonly counterparts: Counterparts; readonly tallies: readonly [Tally, Tally] }
    | undefined;

  /** `at`: the number of the column at its left. */
  constructor(
    readonly at: number,
    readonly changes: Changes,
    readonly explorers: readonly [Explorer, Explorer],
  ) {}

  get counterparts(): Counterparts {
    return this.now.counterparts;
  }

  tally(side: Side): Tally {
    return this.now.tallies[side];
  }

  /** The matches that nodes of a side are in. */
  matchesOf(side: Side, nodes: readonly number[]): number[] {
    return [...new Set(nodes.map((node) => this.changes.of(side, node)))].filter((match) => match >= 0);
  }

  /** What nodes of a side are on the other. */
  across(side: Side, nodes: readonly number[]): number[] {
    return this.matchesOf(side, nodes).flatMap((match) => this.changes.nodes(match, otherSide(side)));
  }

  /** The slots in which the nodes of a match are seen. */
  slots(match: number, side: Side): number[] {
    return slotsOfNodes(this.changes.nodes(match, side), this.explorers[side].state);
  }

  /** Of the pictures that are shown: folded or unfolded, of one method or another. */
  private get now() {
    const [a, b] = [this.explorers[0].picture, this.explorers[1].picture];
    const { pictures } = this.known?.counterparts ?? {};
    if (!this.known || pictures?.[0] !== a || pictures[1] !== b) {
      const tallies = [new Tally(this.changes, a, 0), new Tally(this.changes, b, 1)] as const;
      this.known = { counterparts: new Counterparts(this.changes, [a, b]), tallies };
    }
    return this.known;
  }
}
