/** Opening, selecting and folding in one column does the same in the others. No DOM. */
import type { State, Store } from "../../store";
import type { Cameras } from "../camera/cameras";
import type { Row } from "../model/row";
import { type PairState, pairOf } from "../model/state";
import type { HiddenUnchanged } from "./hidden_unchanged";

export class ColumnSync {
  private isSelecting = false;
  /** Resolves when the other columns have opened what one opened last. */
  opening: Promise<void> = Promise.resolve();
  private readonly off: (() => void)[];

  constructor(
    private readonly row: Row,
    private readonly store: Store<PairState>,
    private readonly cameras: Cameras,
    private readonly hiding: HiddenUnchanged,
  ) {
    this.off = row.explorers.map((explorer, column) =>
      explorer.store.subscribe((state, before) => this.changed(column, state, before)),
    );
  }

  dispose(): void {
    for (const off of this.off) off();
  }

  /** No selection is copied until `work` is done. */
  async without(work: () => Promise<unknown>): Promise<void> {
    this.isSelecting = true;
    try {
      await work();
    } finally {
      this.isSelecting = false;
    }
  }

  /** Selects the counterparts of a column's selection in the other columns. */
  select(column: number, { picture, selected }: State): void {
    const leaves = selected.filter((item) => !picture.isGroup(item));
    const own = leaves.map((item) => picture.nodeOf(item)).filter((node) => node >= 0);
    const nodes = this.row.nodes(column, own);
    const groups = this.row.boxes(
      column,
      selected.filter((item) => picture.isGroup(item)),
    );
    this.isSelecting = true;
    for (const { to } of this.row.outward(column)) {
      const other = this.row.explorer(to);
      const boxes = (nodes[to] ?? []).map((node) => other.picture.boxOf(node)).filter((item) => item >= 0);
      other.store.set({ selected: [...new Set([...(groups[to] ?? []), ...boxes])], edge: undefined });
    }
    const at = pairOf(this.store.state, column);
    const [match = -1] = this.row.pair(at).matchesOf(column === at ? 0 : 1, own);
    this.store.set({ at, match, nodes, groups, leader: column });
    this.isSelecting = false;
    if (nodes.some((each, to) => to !== column && each.length > 0)) this.cameras.align(column);
  }

  private changed(column: number, state: State, before: State): void {
    if (state.scene !== before.scene) this.cameras.changed();
    if (state.picture !== before.picture) this.renewed(column, state);
    else if (state.open !== before.open && !this.cameras.isSetByCode)
      this.opening = this.open(column, state.open, before.open);
    if (state.selected !== before.selected && !this.isSelecting) this.select(column, state);
  }

  /** State was folded or unfolded, or the method changed: the neighbours do the same, then theirs. */
  private renewed(column: number, { picture }: State): void {
    const method = picture.snapshot.methodOf(picture.graph.number);
    for (const { from, to } of this.row.outward(column).filter(({ from }) => from === column)) {
      const other = this.row.explorer(to);
      if (other.picture.isFolded !== picture.isFolded) void other.setFolded(picture.isFolded);
      else if (other.picture.isByDelegate !== picture.isByDelegate)
        void other.setByDelegate(picture.isByDelegate);
      const { pair, side } = this.row.between(from, to);
      const graph = pair.changes.graphLike(side, method);
      if (graph !== undefined && graph !== other.picture.graph.number)
        void other.showGraph(other.snapshot.graph(graph));
    }
    void this.hiding.renew();
  }

  private async open(column: number, now: ReadonlySet<number>, before: ReadonlySet<number>): Promise<void> {
    const opened = this.row.counterparts(
      column,
      [...now].filter((item) => !before.has(item)),
    );
    const closed = this.row.counterparts(
      column,
      [...before].filter((item) => !now.has(item)),
    );
    const others = this.row.columns.filter(
      (other) => other !== column && this.wouldChange(other, opened[other] ?? [], closed[other] ?? []),
    );
    if (others.length === 0) return;
    await this.cameras.hold(() =>
      Promise.all(
        others.map((other) => {
          const open = new Set([...this.row.explorer(other).state.open, ...(opened[other] ?? [])]);
          for (const item of closed[other] ?? []) open.delete(item);
          return this.cameras.arrange(other, { open });
        }),
      ),
    );
    this.cameras.align(column);
  }

  private wouldChange(column: number, opened: readonly number[], closed: readonly number[]): boolean {
    const { open } = this.row.explorer(column).state;
    return opened.some((item) => !open.has(item)) || closed.some((item) => open.has(item));
  }
}
