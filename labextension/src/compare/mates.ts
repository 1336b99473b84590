/** Which box of one side's picture stands for which of the other's: where both are alike, one box for one box. */
import { ItemKind, type Picture } from "../picture";
import { NONE } from "../snapshot";
import { type Counterparts, counterparts } from "../stages";
import type { Changes, Side } from "./changes";

export class Mates {
  private readonly pairs: Counterparts;

  constructor(
    changes: Changes,
    readonly pictures: readonly [Picture, Picture],
  ) {
    const [a, b] = pictures;
    this.pairs = counterparts(a, b, twinsOf(changes));
    this.pairRenamed(changes);
  }

  /** The other side's box; -1 where there is none. */
  of(side: Side, item: number): number {
    return (side === 0 ? this.pairs.after : this.pairs.before)[item] ?? -1;
  }

  /** Modules that the comparison knows to be each other's whatever they are called. */
  private pairRenamed(changes: Changes): void {
    const [a, b] = this.pictures;
    const { before, after } = this.pairs;
    for (let item = 0; item < b.count; item++) {
      if (b.kindOf(item) !== ItemKind.Module || before[item] !== -1) continue;
      const scope = changes.module(1, b.scopeOf(item))?.a ?? NONE;
      if (scope === NONE) continue;
      const mate = a.moduleItem(a.graph.number, scope);
      if (mate === undefined || after[mate] !== -1) continue;
      before[item] = mate;
      after[mate] = item;
    }
  }
}

/** By node of b, a node of a: of a group the last ones, which give its result. */
function twinsOf(changes: Changes): Int32Array {
  const twins = new Int32Array(changes.snapshots[1].nodeCount).fill(NONE);
  for (let match = 0; match < changes.count; match++) {
    const a = changes.nodes(match, 0).at(-1);
    const b = changes.nodes(match, 1).at(-1);
    if (a !== undefined && b !== undefined) twins[b] = a;
  }
  return twins;
}
