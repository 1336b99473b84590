/**
 * Controller for side-by-side graphs: what views read and call. The column that was used last leads. No DOM.
 */
import type { Explorer } from "../../explorer";
import { NONE } from "../../snapshot";
import { Store } from "../../store";
import { Cameras } from "../camera/cameras";
import type { Fit } from "../camera/fitted_cameras";
import type { Changes, Side } from "../model/changes";
import type { Pair } from "../model/pair";
import type { Row } from "../model/row";
import { FIRST, type PairState, pairOf, type ViewMode } from "../model/state";
import { ChangeNavigation } from "./change_navigation";
import { ColumnSync } from "./column_sync";
import { HiddenUnchanged } from "./hidden_unchanged";
import { Hover } from "./hover";
import type { StageColumns } from "./stage_columns";

export class Columns {
  readonly store: Store<PairState>;
  readonly cameras: Cameras;
  private readonly pointing: Hover;
  private readonly hiding: HiddenUnchanged;
  private readonly following: ColumnSync;
  private readonly walk: ChangeNavigation;

  /** `stageColumns`: how columns get other stages; absent if there are none. */
  constructor(
    readonly row: Row,
    first: Partial<PairState> = {},
    readonly stageColumns?: StageColumns,
  ) {
    this.store = new Store<PairState>({ ...FIRST, leader: row.explorers.length - 1, ...first });
    this.cameras = new Cameras(row, this.store);
    this.pointing = new Hover(row, this.store);
    this.hiding = new HiddenUnchanged(row, this.store, this.cameras);
    this.following = new ColumnSync(row, this.store, this.cameras, this.hiding);
    this.walk = new ChangeNavigation(row, this.store, this.cameras, this.following);
  }

  dispose(): void {
    this.following.dispose();
    this.cameras.dispose();
  }

  get state(): PairState {
    return this.store.state;
  }

  get explorers(): readonly Explorer[] {
    return this.row.explorers;
  }

  /** The current pair. */
  get pair(): Pair {
    return this.row.pair(this.state.at);
  }

  /** The changes of the current pair. */
  get changes(): Changes {
    return this.pair.changes;
  }

  /** The title of a column: its stage's name, if it is a stage. */
  title(column: number): string {
    const id = this.stageColumns?.ids[column];
    return (id !== undefined && this.stageColumns?.stages.record(id)?.name) || this.row.title(column);
  }

  // --- Which column leads, and which pair is current ------------------------------------------------------

  /** The column that was used last. */
  get leading(): Explorer {
    return this.row.explorer(this.state.leader);
  }

  /** A column was used: the others follow it from now on. */
  lead(column: number): void {
    this.cameras.touched();
    this.store.set({ leader: column });
  }

  /** Leads with a neighbour of the column that was used last. */
  turn(by: 1 | -1): void {
    const leader = this.state.leader + by;
    if (leader < 0 || leader >= this.explorers.length) return;
    this.lead(leader);
    this.store.set({ at: pairOf(this.state, leader) });
  }

  /** Makes another pair current and selects that pair's match for the selection. */
  showPair(at: number): void {
    const [match = -1] = this.row.matches(this.row.pair(at), this.state.nodes);
    this.store.set({ at, match });
  }

  /** Continues from a column: its selection is copied to all. `kept`: how all were fitted. */
  resume(kept?: Fit): void {
    const { leader } = this.state;
    const { state } = this.leading;
    if (state.selected.length) this.following.select(leader, state);
    const stand = (): void => {
      if (kept) this.cameras.fit(kept);
      else this.cameras.align(leader);
    };
    void this.hiding.renew().then(() => this.cameras.kept === kept && stand());
    stand();
  }

  // --- What is visible ------------------------------------------------------------------------------------

  see(viewMode: ViewMode): void {
    this.store.set({ viewMode });
  }

  /** Fits everything that is open. */
  fit(): void {
    this.cameras.fit("all");
  }

  /** Opens or closes groups in all columns at once, then fits the view. */
  async arrange(work: (explorer: Explorer) => Promise<void>): Promise<void> {
    await this.cameras.hold(() => Promise.all(this.explorers.map(work)));
    this.cameras.fit("readable");
    if (!this.cameras.seesSelection) this.cameras.frame();
  }

  /** Opens or closes the selected group, or all similar groups, in all columns, and shows their content. */
  async toggle(isAlike: boolean): Promise<void> {
    const { leader } = this.state;
    const group = await this.leading.toggleSelected(isAlike);
    if (group === undefined) return;
    await this.following.opening;
    this.cameras.showInside(leader, group);
  }

  /** Hides unchanged boxes in short runs, or shows all. */
  hideSame(isSameHidden: boolean): Promise<void> {
    return this.hiding.hide(isSameHidden);
  }

  /** The pointer is on a slot of a column; -1 for none. */
  hover(column: number, slot: number): void {
    this.pointing.hover(column, slot);
  }

  /**
   * The slots of a column to highlight for what the pointer is on in another column. A module highlights its
   * counterpart.
   */
  highlighted(column: number): ReadonlySet<number> {
    return this.pointing.highlighted(column);
  }

  /** Matches of a pair whose nodes are joined by threads: those under the pointer, else the selected ones. */
  threaded(pair: Pair): readonly number[] {
    return this.pointing.threaded(pair);
  }

  // --- Stepping through changes ---------------------------------------------------------------------------

  /** To the next change in reading order, or the previous one; wraps around. */
  step(by: 1 | -1): Promise<void> {
    return this.walk.step(by);
  }

  /** The index of the current change, from 0; -1 if none is current. */
  get position(): number {
    return this.walk.position;
  }

  /** The number of changes in all pairs. */
  get changeCount(): number {
    return this.walk.count;
  }

  /** Opens the groups around a match's nodes in all columns, selects the nodes and brings them into view. */
  show(match: number, at = this.state.at): Promise<void> {
    return this.walk.show(match, at);
  }

  /** Selects a module in all columns and brings it into view. `scopes` are those of the current pair. */
  async showModule(scopes: readonly [number, number]): Promise<void> {
    const found = this.drawn(scopes);
    if (!found) return;
    const { explorers, at } = this.pair;
    this.lead(at + found.side);
    await explorers[found.side].revealItem(found.item);
  }

  /** Where a module is drawn, after rather than before. The whole model has no box. */
  drawn(scopes: readonly [number, number]): { readonly side: Side; readonly item: number } | undefined {
    for (const side of [1, 0] as const) {
      const { picture } = this.pair.explorers[side];
      const item = scopes[side] === NONE ? undefined : picture.firstModule(scopes[side]);
      if (item !== undefined) return { side, item };
    }
    return undefined;
  }
}

/** The state to keep, without that of removed columns. The current pair is the newest column's. */
export function keptState(before: Columns, row: Row): Partial<PairState> {
  const was = new Set(before.explorers);
  const newest = row.explorers.findIndex((explorer) => !was.has(explorer));
  const stays = row.explorers.indexOf(before.leading);
  const leader = stays < 0 ? row.explorers.length - 1 : stays;
  const current = newest < 0 ? leader : newest;
  return {
    ...before.state,
    at: Math.max(0, current - 1),
    match: -1,
    nodes: [],
    groups: [],
    hovered: undefined,
    leader,
    isBusy: false,
    problem: "",
  };
}

/** Opens in a new column what the nearest kept column has open. */
export function openLike(row: Row, before: ReadonlySet<Explorer>): void {
  const isOld = (column: number): boolean => before.has(row.explorer(column));
  for (const column of row.columns.filter((each) => !isOld(each))) {
    const [model] = row.columns.filter(isOld).sort((x, y) => Math.abs(x - column) - Math.abs(y - column));
    if (model === undefined) continue;
    const explorer = row.explorer(column);
    const open = new Set(row.counterparts(model, [...row.explorer(model).state.open])[column]);
    explorer.store.set({ open, scene: explorer.sceneOf(open) });
  }
}
