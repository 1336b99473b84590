/**
 * Steps through the changes of all columns: each is opened, selected and brought into view in every column.
 */
import type { Store } from "../../store";
import type { Cameras } from "../camera/cameras";
import type { ByColumn, Row } from "../model/row";
import type { PairState } from "../model/state";
import { ChangeStops } from "./change_stops";
import type { ColumnSync } from "./column_sync";

export class ChangeNavigation {
  private readonly tour: ChangeStops;

  constructor(
    private readonly row: Row,
    private readonly store: Store<PairState>,
    private readonly cameras: Cameras,
    private readonly following: ColumnSync,
  ) {
    this.tour = new ChangeStops(row);
  }

  /** To the next change in reading order, or the previous one; wraps around. */
  async step(by: 1 | -1): Promise<void> {
    const next = this.tour.next(this.store.state, by);
    if (next) await this.show(next.match, next.at);
  }

  /** The index of the current change, from 0; -1 if none is current. */
  get position(): number {
    return this.tour.position(this.store.state);
  }

  /** The number of changes in all pairs. */
  get count(): number {
    return this.tour.count;
  }

  /**
   * Opens the groups around the nodes of a pair's match in all columns, selects the nodes and brings them
   * into view.
   */
  async show(match: number, at: number): Promise<void> {
    if (match < 0) return;
    const { changes } = this.row.pair(at);
    const leader = changes.nodes(match, 1).length ? at + 1 : at;
    const nodes = this.nodesOf(match, at);
    this.cameras.touched();
    await this.following.without(() =>
      this.cameras.hold(() => {
        this.store.set({ at, match, nodes, groups: [], leader, hovered: undefined });
        return Promise.all(this.row.columns.map((column) => this.reveal(column, nodes)));
      }),
    );
    this.cameras.changed();
    this.cameras.frame();
  }

  /** By column, the nodes that correspond to a match. */
  private nodesOf(match: number, at: number): ByColumn {
    const { changes } = this.row.pair(at);
    const left = this.row.nodes(at, changes.nodes(match, 0));
    const right = this.row.nodes(at + 1, changes.nodes(match, 1));
    return this.row.columns.map((column) => (column <= at ? left : right)[column] ?? []);
  }

  private async reveal(column: number, all: ByColumn): Promise<void> {
    const explorer = this.row.explorer(column);
    const { picture } = explorer;
    const nodes = all[column] ?? [];
    const boxes = [...new Set(nodes.map((node) => explorer.boxShowing(node)))].filter((item) => item >= 0);
    const shown = boxes.length ? boxes : this.aroundCounterpart(column, all);
    const open = new Set([...explorer.state.open, ...shown.flatMap((item) => picture.around(item))]);
    if (!boxes.length) for (const item of shown) if (picture.isGroup(item)) open.add(item);
    explorer.store.set({ selected: boxes, edge: undefined });
    const { scene } = explorer.state;
    const isShown = boxes.every((item) => scene.item[scene.slotOf[item] ?? -1] === item);
    if (open.size === explorer.state.open.size && isShown) return;
    await this.cameras.arrange(column, { open });
  }

  /**
   * For a column without such a node: the counterpart of the module around it in the nearest column that has
   * one.
   */
  private aroundCounterpart(column: number, all: ByColumn): readonly number[] {
    const nearest = this.row.outward(column).map(({ to }) => to);
    for (const from of nearest.sort((x, y) => Math.abs(x - column) - Math.abs(y - column))) {
      const explorer = this.row.explorer(from);
      const [node] = all[from] ?? [];
      const item = node === undefined ? -1 : explorer.boxShowing(node);
      for (const group of item < 0 ? [] : explorer.picture.around(item)) {
        const counterparts = this.row.counterparts(from, [group])[column] ?? [];
        if (counterparts.length) return counterparts;
      }
    }
    return [];
  }
}
