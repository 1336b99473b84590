/** Which box of one side's picture stands for which of the other's: where both are alike, one box for one box. */
import type { Picture } from "../picture";
import { NONE } from "../snapshot";
import { type Counterparts, counterparts } from "../stages";
import type { Changes, Side } from "./changes";
import { pairGraphs } from "./overlay/graphs";

export class Mates {
  private readonly pairs: Counterparts;

  constructor(
    changes: Changes,
    readonly pictures: readonly [Picture, Picture],
  ) {
    const [a, b] = pictures;
    this.pairs = counterparts(a, b, twinsOf(changes), toldOf(changes, a, b));
  }

  /** The other side's box; -1 where there is none. */
  of(side: Side, item: number): number {
    return (side === 0 ? this.pairs.after : this.pairs.before)[item] ?? -1;
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

/**
 * By item of a module or graph of b, what it was in a: what the comparison tells, whatever the two are called. Names
 * count where it tells of neither.
 */
function toldOf(changes: Changes, a: Picture, b: Picture): (item: number) => number | undefined {
  const graphs = pairGraphs(changes);
  const module = (item: number, scope: number): number | undefined => {
    const items = a.moduleItems(scope);
    const graph = b.standsIn(item).number;
    return items.find((each) => graphs[a.standsIn(each).number] === graph) ?? items[0];
  };
  return (item) => {
    const graph = b.graphOf(item);
    if (graph) return a.graphItem(graphs.indexOf(graph.number));
    const told = changes.module(1, b.scopeOf(item));
    if (told) return module(item, told.a);
    const namesake = a.itemAt(b.words.key(item));
    return namesake === undefined || changes.module(0, a.scopeOf(namesake)) ? undefined : namesake;
  };
}
