/**
 * The mind of pictures side by side: what its views may ask of it, and what they may ask for. Whoever was used last
 * leads. Knows no DOM.
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
import type { SuperimposedGraph } from "../superimposed/superimposed_graph";
import { ChangeNavigation } from "./change_navigation";
import { ColumnSync } from "./column_sync";
import { HiddenUnchanged } from "./hidden_unchanged";
import { Hover } from "./hover";
import type { StageColumns } from "./stage_columns";

export class Columns {
  readonly store: Store<PairState>;
  readonly cameras: Cameras;
  /** One picture of both programs, while it is what is seen. */
  superimposed: SuperimposedGraph | undefined;
  private readonly pointing: Hover;
  private readonly hiding: HiddenUnchanged;
  private readonly following: ColumnSync;
  private readonly walk: ChangeNavigation;

  /** `lineup`: how other stages come to stand in the columns; absent where nobody has any. */
  constructor(
    readonly row: Row,
    first: Partial<PairState> = {},
    readonly lineup?: StageColumns,
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

  /** The pair that is told of. */
  get pair(): Pair {
    return this.row.pair(this.state.at);
  }

  /** What was found between the two that are told of. */
  get changes(): Changes {
    return this.pair.changes;
  }

  /** What a column is called: its stage's name, where it is one. */
  title(column: number): string {
    const id = this.lineup?.ids[column];
    return (id !== undefined && this.lineup?.stages.record(id)?.name) || this.row.title(column);
  }

  // --- Which column leads, and which pair is told of ------------------------------------------------------

  /** The column that was used last. */
  get leading(): Explorer {
    return this.row.explorer(this.state.leader);
  }

  /** The picture that keys move in. */
  get inFront(): Explorer {
    return this.superimposed?.explorer ?? this.leading;
  }

  /** A column was touched: from now on the others follow it. */
  lead(column: number): void {
    this.cameras.touched();
    this.store.set({ leader: column });
  }

  /** To a neighbour of the column that was used last. */
  turn(by: 1 | -1): void {
    const leader = this.state.leader + by;
    if (leader < 0 || leader >= this.explorers.length) return;
    this.lead(leader);
    this.store.set({ at: pairOf(this.state, leader) });
  }

  /** Tells of another pair; what is looked at there is the match of what is looked at in all. */
  tell(at: number): void {
    const [match = -1] = this.row.matches(this.row.pair(at), this.state.nodes);
    this.store.set({ at, match });
  }

  /** Goes on from what a column shows: what is selected there is selected in all. `kept`: as all were fitted. */
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

  // --- What is seen ---------------------------------------------------------------------------------------

  see(viewMode: ViewMode): void {
    this.store.set({ viewMode });
  }

  /** All that is open comes into view. */
  fit(): void {
    if (this.superimposed) this.superimposed.explorer.fit();
    else this.cameras.fit("all");
  }

  /** Opens or closes in all columns at once, or in the one picture of both; all of it comes into view. */
  async arrange(work: (explorer: Explorer) => Promise<void>): Promise<void> {
    if (this.superimposed) return work(this.superimposed.explorer);
    await this.cameras.hold(() => Promise.all(this.explorers.map(work)));
    this.cameras.fit("readable");
    if (!this.cameras.seesLookedAt) this.cameras.frame();
  }

  /** Opens or closes the selected group, or all that are like it, in all columns; what it holds comes into view. */
  async toggle(isAlike: boolean): Promise<void> {
    const { leader } = this.state;
    const group = await this.inFront.toggleSelected(isAlike);
    if (this.superimposed || group === undefined) return;
    await this.following.opening;
    this.cameras.showInside(leader, group);
  }

  /** Folds what is the same into small boxes, or shows all again. */
  hideSame(isSameHidden: boolean): Promise<void> {
    return this.hiding.hide(isSameHidden);
  }

  /** The pointer is on a slot of a column; -1 for nothing. */
  hover(column: number, slot: number): void {
    this.pointing.hover(column, slot);
  }

  /** The slots of a column that stand for what the pointer is on in another; a module's counterpart for the module. */
  lit(column: number): ReadonlySet<number> {
    return this.pointing.lit(column);
  }

  /** Matches of a pair whose nodes are joined by threads: what the pointer is on, else what is selected. */
  threaded(pair: Pair): readonly number[] {
    return this.pointing.threaded(pair);
  }

  // --- Going from change to change ------------------------------------------------------------------------

  /** To the next change in reading order, or the one before; round at the ends. */
  step(by: 1 | -1): Promise<void> {
    return this.walk.step(by);
  }

  /** Where one is among all changes, from 0; -1 where one is at none. */
  get position(): number {
    return this.walk.position;
  }

  /** How many changes there are, in all pairs. */
  get changeCount(): number {
    return this.walk.count;
  }

  /** Opens what is around the nodes of a match in all columns, selects them and brings them into view. */
  show(match: number, at = this.state.at): Promise<void> {
    return this.walk.show(match, at);
  }

  /** Selects a module in all columns and brings it into view; `scopes` as the pair that is told of names them. */
  async showModule(scopes: readonly [number, number]): Promise<void> {
    const found = this.drawn(scopes);
    if (!found) return;
    const { explorers, at } = this.pair;
    this.lead(at + found.side);
    await explorers[found.side].revealItem(found.item);
  }

  /** Where a module is drawn, after rather than before; the whole model is drawn as no box. */
  drawn(scopes: readonly [number, number]): { readonly side: Side; readonly item: number } | undefined {
    for (const side of [1, 0] as const) {
      const { picture } = this.pair.explorers[side];
      const item = scopes[side] === NONE ? undefined : picture.firstModule(scopes[side]);
      if (item !== undefined) return { side, item };
    }
    return undefined;
  }
}
