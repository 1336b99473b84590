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
    if (!this.has(id)) this.show(joined(this.ids, id, this.tree));
    else if (this.canRemove) this.show(this.ids.filter((each) => each !== id));
  }

  /** Moves a column; does nothing beyond the ends. */
  move(from: number, to: number): void {
    const id = this.ids[from];
    if (id === undefined || from === to || to < 0 || to >= this.ids.length) return;
    const rest = this.ids.filter((each) => each !== id);
    this.show([...rest.slice(0, to), id, ...rest.slice(to)]);
  }

  /** Removes a column. */
  remove(column: number): void {
    const id = this.ids[column];
    if (id !== undefined) this.toggle(id);
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
