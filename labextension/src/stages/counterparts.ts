/**
 * The counterparts of one stage's boxes in another's picture: nodes by their lineage, modules by `groupLike`,
 * inserted groups by their content.
 */
import { ItemKind, type Picture } from "../picture";

export interface Counterparts {
  /**
   * By item of the new picture, its item in the old one, and the other way; -1 if there is none. Several new
   * modules may have one old counterpart, which then corresponds to the first of them.
   */
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/**
 * `oldNodeOf`: by node of the new picture's Snapshot, the node of the old one's. `groupLike`: by item of a
 * module or a graph, its item in the old picture; by default by its name.
 */
export function counterparts(
  from: Picture,
  to: Picture,
  oldNodeOf: Int32Array,
  groupLike: (item: number) => number | undefined = (item) => from.itemAt(to.words.key(item)),
): Counterparts {
  const before = new Int32Array(to.count).fill(-1);
  const after = new Int32Array(from.count).fill(-1);
  const pair = (item: number, old: number | undefined, isShared = false): void => {
    if (old === undefined || old < 0) return;
    const isFree = after[old] === -1;
    if (isFree || isShared) before[item] = old;
    if (isFree) after[old] = item;
  };
  const ours: number[] = [];
  for (let item = 0; item < to.count; item++) {
    const kind = to.kindOf(item);
    if (kind === ItemKind.Ours) ours.push(item);
    else if (kind === ItemKind.Module) pair(item, groupLike(item), true);
    else if (kind === ItemKind.Graph) pair(item, groupLike(item));
    else {
      const counterpart = oldNodeOf[to.nodeOf(item)] ?? -1;
      if (counterpart >= 0)
        pair(item, kind === ItemKind.Holder ? from.itemOf(counterpart) : from.boxOf(counterpart));
    }
  }
  ours.sort((a, b) => to.around(a).length - to.around(b).length);
  for (const item of ours) pair(item, mostShared(from, to, item, before, after));
  return { before, after };
}

/** Among inserted groups in the same module, the one that contains most of a group's content. */
function mostShared(
  from: Picture,
  to: Picture,
  item: number,
  before: Int32Array,
  after: Int32Array,
): number | undefined {
  const parent = to.parentOf(item);
  const module = parent === -1 ? -1 : (before[parent] ?? -1);
  const shared = new Map<number, number>();
  for (const leaf of to.leavesOf(item)) {
    if (before[leaf] === -1) continue;
    const group = from.around(before[leaf] ?? -1).find((each) => from.parentOf(each) === module);
    if (group === undefined || from.kindOf(group) !== ItemKind.Ours || after[group] !== -1) continue;
    shared.set(group, (shared.get(group) ?? 0) + 1);
  }
  let best: number | undefined;
  for (const [group, count] of shared)
    if (best === undefined || count > (shared.get(best) ?? 0)) best = group;
  return best;
}

/** The counterparts of some items that have one. */
export const across = (items: Iterable<number>, to: Int32Array): Set<number> =>
  new Set([...items].map((item) => to[item] ?? -1).filter((item) => item >= 0));
