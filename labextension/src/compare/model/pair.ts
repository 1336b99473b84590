/** Two neighbouring columns: the changes between their programs, in the graphs that they show. */
import type { Explorer } from "../../explorer";
import { slotsOfNodes } from "../camera/scene_offset";
import { type Changes, otherSide, type Side } from "./changes";
import { Counterparts } from "./counterparts";
import { Tally } from "./tally";

export class Pair {
  private known:
    | { readonly counterparts: Counterparts; readonly tallies: readonly [Tally, Tally] }
    | undefined;

  /** `at`: the index of the left column. */
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

  /** The counterparts of a side's nodes on the other side. */
  across(side: Side, nodes: readonly number[]): number[] {
    return this.matchesOf(side, nodes).flatMap((match) => this.changes.nodes(match, otherSide(side)));
  }

  /** The slots that show the nodes of a match. */
  slots(match: number, side: Side): number[] {
    return slotsOfNodes(this.changes.nodes(match, side), this.explorers[side].state);
  }

  /** The graphs that are shown now: state folded or unfolded, one method or another. */
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
