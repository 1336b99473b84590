/**
 * Hidden unchanged boxes: siblings that are unchanged in all columns are one small box, "· 120 unchanged ·",
 * in each column; a single one shows its name. A run ends where it ends in any column, so that the boxes
 * correspond. Runs that the user opened stay open.
 */
import { NO_STRETCHES, type Picture, type Stretch, type Stretches, stretchesByItem } from "../../picture";
import type { Row } from "../model/row";

export class UnchangedRuns {
  private readonly released = new WeakMap<Picture, Set<number>>();
  private readonly places = new WeakMap<Picture, Int32Array>();

  constructor(private readonly row: Row) {}

  /** The runs of a column while these groups are open. */
  of(column: number, open: ReadonlySet<number>): Stretches {
    const { picture } = this.row.explorer(column);
    const found: Stretch[] = [];
    const look = (group: number): void => {
      if (group === picture.count || !this.row.isSame(column, group))
        found.push(...this.within(column, picture, group, open));
      for (const child of picture.childrenOf(group)) if (open.has(child)) look(child);
    };
    look(picture.count);
    return found.length ? stretchesByItem(found) : NO_STRETCHES;
  }

  /** Shows the content of a run in all columns. */
  release(column: number, { items }: Stretch): void {
    for (const [to, counterparts] of this.row.counterparts(column, items).entries()) {
      const { picture } = this.row.explorer(to);
      const known = this.released.get(picture) ?? new Set<number>();
      for (const item of to === column ? items : counterparts) known.add(item);
      this.released.set(picture, known);
    }
  }

  /** Hides again what the user had opened. */
  forget(): void {
    for (const { picture } of this.row.explorers) this.released.delete(picture);
  }

  private within(column: number, picture: Picture, group: number, open: ReadonlySet<number>): Stretch[] {
    const released = this.released.get(picture);
    const found: Stretch[] = [];
    let items: number[] = [];
    const end = (): void => {
      if (items.length) found.push({ items, count: leaves(picture, items) });
      items = [];
    };
    for (const child of picture.childrenOf(group)) {
      const isHidden = !open.has(child) && !released?.has(child) && this.row.isSame(column, child);
      const last = items.at(-1);
      if (!isHidden || (last !== undefined && !this.isNext(column, last, child))) end();
      if (isHidden) items.push(child);
    }
    end();
    return found;
  }

  /** Whether a box directly follows another in each column that has both in one group. */
  private isNext(column: number, item: number, next: number): boolean {
    return this.row.explorers.every(({ picture }, to) => {
      const [a, b] = [this.row.counterpart(column, item, to), this.row.counterpart(column, next, to)];
      if (a < 0 || b < 0) return false;
      if (picture.parentOf(a) !== picture.parentOf(b)) return true;
      const places = this.places.get(picture) ?? placesOf(picture);
      this.places.set(picture, places);
      return places[b] === (places[a] ?? 0) + 1;
    });
  }
}

/** The index of each item among its siblings, from 0. */
function placesOf(picture: Picture): Int32Array {
  const places = new Int32Array(picture.count);
  for (let group = 0; group <= picture.count; group++)
    picture.childrenOf(group).forEach((item, place) => {
      places[item] = place;
    });
  return places;
}

const leaves = (picture: Picture, items: readonly number[]): number =>
  items.reduce((sum, item) => sum + (picture.isGroup(item) ? picture.leavesOf(item).length : 1), 0);
