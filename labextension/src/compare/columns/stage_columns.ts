/** Which stages are in the columns, from left to right, and how to change them. Immutable. */
import { cellsOf, comparable, type Stages, type StageTree } from "../../stages";

/** A comparison needs at least this many. */
const LEAST = 2;

export class StageColumns {
  constructor(
    readonly ids: readonly string[],
    readonly stages: Stages,
    /** Shows these stages instead. */
    private readonly show: (ids: readonly string[]) => void,
  ) {}

  /** Stages that have a program, as a tree. */
  get tree(): StageTree {
    return comparable(this.stages.tree);
  }

  has(id: string): boolean {
    return this.ids.includes(id);
  }

  /** Whether a column can be removed. */
  get canRemove(): boolean {
    return this.ids.length > LEAST;
  }

  /** Adds or removes a stage. */
  toggle(id: string): void {
    if (!this.has(id) || this.canRemove) this.show(this.toggled(id));
  }

  /** Why a stage cannot be added or removed; "" if it can. */
  whyNotToggled(id: string): string {
    return this.has(id) && !this.canRemove
      ? "At least two columns are needed"
      : this.whyNot(this.toggled(id));
  }

  /** Moves a column; does nothing beyond the ends. */
  move(from: number, to: number): void {
    if (from !== to && to >= 0 && to < this.ids.length) this.show(this.moved(from, to));
  }

  /** Why a column cannot be moved; "" if it can. */
  whyNotMoved(from: number, to: number): string {
    if (to < 0) return "This is the first column";
    if (to >= this.ids.length) return "This is the last column";
    return this.whyNot(this.moved(from, to));
  }

  /** Removes a column. */
  remove(column: number): void {
    const id = this.ids[column];
    if (id !== undefined) this.toggle(id);
  }

  private toggled(id: string): readonly string[] {
    return this.has(id) ? this.ids.filter((each) => each !== id) : joined(this.ids, id, this.tree);
  }

  private moved(from: number, to: number): readonly string[] {
    const rest = this.ids.filter((_, column) => column !== from);
    return [...rest.slice(0, to), ...this.ids.slice(from, from + 1), ...rest.slice(to)];
  }

  /** Why some neighbours of these columns cannot be compared. */
  private whyNot(ids: readonly string[]): string {
    const { comparing } = this.stages.source;
    const reasons = ids.slice(1).map((id, column) => comparing?.whyNot?.(ids[column] ?? "", id) ?? "");
    return reasons.find(Boolean) ?? "";
  }
}

/** Inserts a stage in the tree's order if the others are in that order, else at the end. */
export function joined(ids: readonly string[], id: string, tree: StageTree): string[] {
  const order = cellsOf(tree).map(({ record }) => record.id);
  const places = ids.map((each) => order.indexOf(each));
  const isInOrder = places.every((place, i) => i === 0 || place > (places[i - 1] ?? -1));
  const next = places.findIndex((place) => place > order.indexOf(id));
  const at = isInOrder && next >= 0 ? next : ids.length;
  return [...ids.slice(0, at), id, ...ids.slice(at)];
}
