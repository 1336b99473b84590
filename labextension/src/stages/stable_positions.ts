/**
 * Stable positions of boxes: where they were when their picture was first shown. A module keeps its first
 * positions; one that is opened later gets its own then.
 */
import { NO_POSITION, type Scene } from "../layout";
import type { Picture } from "../picture";

export class StablePositions {
  private x: Float64Array | undefined;
  /** Groups that were laid out; the picture's count represents the top. */
  private readonly known = new Set<number>();

  constructor(private readonly picture: Picture) {}

  get all(): Float64Array | undefined {
    return this.x;
  }

  /** A copy that can be changed. */
  copy(): StablePositions {
    const copy = new StablePositions(this.picture);
    copy.x = this.x;
    for (const group of this.known) copy.known.add(group);
    return copy;
  }

  /** The current positions are kept. */
  keep(open: Iterable<number>): void {
    this.known.add(this.picture.count);
    for (const group of open) this.known.add(group);
  }

  /**
   * Positions for the content of groups that were never laid out. `before`: items of `from` by those of this
   * picture.
   */
  take(open: Iterable<number>, from: Picture, scene: Scene, before: Int32Array): void {
    const x = this.x?.slice() ?? new Float64Array(this.picture.count).fill(NO_POSITION);
    for (const group of [this.picture.count, ...open]) {
      if (this.known.has(group)) continue;
      const module = group === this.picture.count ? -1 : (before[group] ?? -1);
      if (module === -1 && group !== this.picture.count) continue;
      for (const child of this.picture.childrenOf(group)) {
        const old = before[child] ?? -1;
        if (old === -1 || from.parentOf(old) !== module) continue;
        const position = positionIn(scene, old, module);
        if (position !== undefined) x[child] = position;
      }
    }
    this.x = x;
    this.keep(open);
  }
}

/** The middle of an item, in whole pixels from the left of its group. */
function positionIn({ slotOf, rect }: Scene, item: number, group: number): number | undefined {
  const slot = slotOf[item] ?? -1;
  const holder = group === -1 ? -1 : (slotOf[group] ?? -1);
  if (slot < 0 || (group !== -1 && holder < 0)) return undefined;
  const left = holder < 0 ? 0 : (rect[4 * holder] ?? 0);
  return Math.round((rect[4 * slot] ?? 0) + (rect[4 * slot + 2] ?? 0) / 2 - left);
}
