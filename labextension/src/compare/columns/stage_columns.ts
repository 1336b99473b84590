/** Which stages stand in the columns, from left to right, and how others come to stand there. Immutable. */
import { cellsOf, comparable, type Stages, type StageTree } from "../../stages";

/** No fewer can be compared. */
const LEAST = 2;

export class StageColumns {
  constructor(
    readonly ids: readonly string[],
    readonly stages: Stages,
    /** Shows these instead. */
    private readonly show: (ids: readonly string[]) => void,
  ) {}

  /** Stages that have a program, as a tree. */
  get tree(): StageTree {
    return comparable(this.stages.tree);
  }

  has(id: string): boolean {
    return this.ids.includes(id);
  }

  /** Whether there is a column to spare. */
  get canLose(): boolean {
    return this.ids.length > LEAST;
  }

  /** A stage comes in, or goes. */
  toggle(id: string): void {
    if (!this.has(id)) this.show(joined(this.ids, id, this.tree));
    else if (this.canLose) this.show(this.ids.filter((each) => each !== id));
  }

  /** A column goes to another place; nowhere beyond the ends. */
  move(from: number, to: number): void {
    const id = this.ids[from];
    if (id === undefined || from === to || to < 0 || to >= this.ids.length) return;
    const rest = this.ids.filter((each) => each !== id);
    this.show([...rest.slice(0, to), id, ...rest.slice(to)]);
  }

  /** A column goes. */
  remove(column: number): void {
    const id = this.ids[column];
    if (id !== undefined) this.toggle(id);
  }
}

/** Where the tree has it, as long as the others stand in the tree's order; else at the end. */
export function joined(ids: readonly string[], id: string, tree: StageTree): string[] {
  const order = cellsOf(tree).map(({ record }) => record.id);
  const places = ids.map((each) => order.indexOf(each));
  const isInOrder = places.every((place, i) => i === 0 || place > (places[i - 1] ?? -1));
  const next = places.findIndex((place) => place > order.indexOf(id));
  const at = isInOrder && next >= 0 ? next : ids.length;
  return [...ids.slice(0, at), id, ...ids.slice(at)];
}
