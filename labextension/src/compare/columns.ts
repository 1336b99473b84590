/**
 * The mind of pictures side by side: what is open, selected and looked at in one column is followed by the others.
 * Whoever was used last leads. Knows no DOM.
 */
import type { Explorer } from "../explorer";
import { NO_STRETCHES, type Stretch } from "../picture";
import { type State, Store } from "../store";
import { Cameras } from "./cameras";
import type { Changes } from "./changes";
import { slotsOfNodes } from "./drift";
import type { Lineup } from "./lineup";
import type { Overlay } from "./overlay/overlay";
import type { Pair } from "./pair";
import type { ByColumn, Row } from "./row";
import { FIRST, type Hovered, type PairSight, type PairState } from "./state";
import { SameStretches } from "./stretches";
import { Tour } from "./tour";

export class Columns {
  readonly store: Store<PairState>;
  readonly cameras: Cameras;
  private readonly tour: Tour;
  private readonly stretches: SameStretches;
  private isSelecting = false;
  private readonly off: (() => void)[] = [];

  /** `lineup`: how other stages come to stand in the columns; absent where nobody has any. */
  constructor(
    readonly row: Row,
    first: Partial<PairState> = {},
    readonly lineup?: Lineup,
  ) {
    this.store = new Store<PairState>({ ...FIRST, leader: row.explorers.length - 1, ...first });
    this.cameras = new Cameras(row, this.store);
    this.tour = new Tour(row);
    this.stretches = new SameStretches(row);
    row.explorers.forEach((explorer, column) => {
      explorer.stretching = {
        of: (picture, open) =>
          this.state.isSameHidden && picture === explorer.picture
            ? this.stretches.of(column, open)
            : NO_STRETCHES,
        release: (stretch) => this.release(column, stretch),
      };
    });
    this.off.push(
      ...row.explorers.map((explorer, column) =>
        explorer.store.subscribe((state, before) => this.changed(column, state, before)),
      ),
    );
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

  /** The column that was used last. */
  get leading(): Explorer {
    return this.row.explorer(this.state.leader);
  }

  dispose(): void {
    for (const off of this.off) off();
    this.cameras.dispose();
  }

  /** Goes on from what a column shows: what is selected there is selected in all. */
  resume(): void {
    const { leader } = this.state;
    const { state } = this.leading;
    this.cameras.touched();
    if (state.selected.length) this.selectAlso(leader, state);
    // What is the same in all columns is another matter with others among them.
    if (this.state.isSameHidden) void this.arrangeAgain(this.row.columns);
    this.cameras.align(leader);
  }

  /** Tells of another pair; what is looked at there is the match of what is looked at in all. */
  tell(at: number): void {
    const [match = -1] = this.matchesBetween(this.row.pair(at), this.state.nodes);
    this.store.set({ at, match });
  }

  /** A column was touched: from now on the others follow it. */
  lead(column: number): void {
    this.cameras.touched();
    this.store.set({ leader: column });
  }

  // --- What is the same -----------------------------------------------------------------------------------

  /** Folds what is the same into small boxes, or shows all again. */
  async hideSame(isSameHidden: boolean): Promise<void> {
    this.stretches.forget();
    this.cameras.touched();
    this.store.set({ isSameHidden });
    await this.arrangeAgain(this.row.columns);
    if (this.state.nodes.some((nodes) => nodes.length > 0)) this.cameras.frame();
    else this.cameras.fit();
  }

  /** A column shows what is in a stretch: the others do the same. */
  private release(column: number, stretch: Stretch): void {
    this.stretches.release(column, stretch);
    const others = this.row.columns.filter((other) => other !== column);
    void this.arrangeAgain(others).then(() => this.cameras.align(column));
  }

  private async arrangeAgain(columns: readonly number[]): Promise<void> {
    await this.cameras.hold(() => Promise.all(columns.map((column) => this.arrange(column, {}))));
    this.cameras.changed();
  }

  /** The column's camera stays. */
  private arrange(column: number, change: Parameters<Explorer["arrange"]>[0]): Promise<void> {
    const camera = this.cameras.lookingAt(column);
    return this.row.explorer(column).arrange(change, { how: "camera", camera });
  }

  /** To a neighbour of the column that was used last. */
  turn(by: 1 | -1): void {
    const leader = this.state.leader + by;
    if (leader < 0 || leader >= this.explorers.length) return;
    this.lead(leader);
    this.store.set({ at: this.pairOf(leader) });
  }

  /** One picture of both programs, while it is what is seen. */
  overlay: Overlay | undefined;

  see(sight: PairSight): void {
    this.store.set({ sight });
  }

  /** The picture that keys move in. */
  get inFront(): Explorer {
    return this.overlay?.explorer ?? this.leading;
  }

  /** All that is open comes into view. */
  fit(): void {
    if (this.overlay) this.overlay.explorer.fit();
    else this.cameras.fit();
  }

  // --- What is looked at ----------------------------------------------------------------------------------

  /** The pointer is on a slot of a column; -1 for nothing. */
  hover(column: number, slot: number): void {
    const { scene, picture } = this.row.explorer(column).state;
    const item = slot < 0 || scene.kind[slot] === 2 ? -1 : (scene.item[slot] ?? -1);
    const before = this.state.hovered;
    if (item < 0 ? !before : before?.column === column && before.item === item) return;
    this.store.set({ hovered: item < 0 ? undefined : this.hoveredAt(column, item, picture) });
  }

  /** The slots of a column that stand for what the pointer is on in another; a module's mate for the module. */
  lit(column: number): ReadonlySet<number> {
    const { hovered } = this.state;
    if (!hovered || hovered.column === column) return NOTHING;
    const { state } = this.row.explorer(column);
    const groups = (hovered.groups[column] ?? []).map((item) => state.scene.slotOf[item] ?? -1);
    return new Set([
      ...groups.filter((slot) => slot >= 0),
      ...slotsOfNodes(hovered.nodes[column] ?? [], state),
    ]);
  }

  /** Matches of a pair whose nodes are joined by threads: what the pointer is on, else what is selected. */
  threaded(pair: Pair): readonly number[] {
    const { hovered, nodes } = this.state;
    const isOfNodes = hovered?.nodes.some((each) => each.length > 0);
    return this.matchesBetween(pair, hovered && isOfNodes ? hovered.nodes : nodes);
  }

  private hoveredAt(column: number, item: number, picture: State["picture"]): Hovered {
    const isGroup = picture.isGroup(item);
    const node = isGroup ? -1 : picture.nodeOf(item);
    return {
      column,
      item,
      nodes: this.row.nodes(column, node < 0 ? [] : [node]),
      groups: this.row.mates(column, isGroup ? [item] : []),
    };
  }

  private matchesBetween(pair: Pair, nodes: ByColumn): number[] {
    const left = pair.matchesOf(0, nodes[pair.at] ?? []);
    const right = pair.matchesOf(1, nodes[pair.at + 1] ?? []);
    return [...new Set([...left, ...right])];
  }

  // --- Going from change to change ------------------------------------------------------------------------

  /** To the next change in reading order, or the one before; round at the ends. */
  async step(by: 1 | -1): Promise<void> {
    const next = this.tour.next(this.state, by);
    if (next) await this.show(next.match, next.at);
  }

  /** Where one is among all changes, from 0; -1 where one is at none. */
  get position(): number {
    return this.tour.position(this.state);
  }

  /** How many changes there are, in all pairs. */
  get changeCount(): number {
    return this.tour.count;
  }

  /** Opens what is around the nodes of a match in all columns, selects them and brings them into view. */
  async show(match: number, at = this.state.at): Promise<void> {
    if (match < 0) return;
    const { changes } = this.row.pair(at);
    const leader = changes.nodes(match, 1).length ? at + 1 : at;
    const nodes = this.nodesOf(match, at);
    this.cameras.touched();
    this.isSelecting = true;
    try {
      await this.cameras.hold(() => {
        this.store.set({ at, match, nodes, leader, hovered: undefined });
        return Promise.all(this.row.columns.map((column) => this.reveal(column, nodes)));
      });
    } finally {
      this.isSelecting = false;
    }
    this.cameras.changed();
    this.cameras.frame();
  }

  /** By column, what stands for the nodes of a match. */
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
    const shown = boxes.length ? boxes : this.aroundMate(column, all);
    const open = new Set([...explorer.state.open, ...shown.flatMap((item) => picture.around(item))]);
    if (!boxes.length) for (const item of shown) if (picture.isGroup(item)) open.add(item);
    explorer.store.set({ selected: boxes, edge: undefined });
    const { scene } = explorer.state;
    const isShown = boxes.every((item) => scene.item[scene.slotOf[item] ?? -1] === item);
    if (open.size === explorer.state.open.size && isShown) return;
    await this.arrange(column, { open });
  }

  /** Where a column has no node: the module that stands for the one around it in the nearest that has. */
  private aroundMate(column: number, all: ByColumn): readonly number[] {
    const nearest = this.row.outward(column).map(({ to }) => to);
    for (const from of nearest.sort((x, y) => Math.abs(x - column) - Math.abs(y - column))) {
      const explorer = this.row.explorer(from);
      const [node] = all[from] ?? [];
      const item = node === undefined ? -1 : explorer.boxShowing(node);
      for (const group of item < 0 ? [] : explorer.picture.around(item)) {
        const mates = this.row.mates(from, [group])[column] ?? [];
        if (mates.length) return mates;
      }
    }
    return [];
  }

  /** Selects a module in all columns and brings it into view; `scopes` as the pair that is told of names them. */
  async showModule(scopes: readonly [number, number]): Promise<void> {
    const side = scopes[1] >= 0 ? 1 : 0;
    const { explorers, at } = this.pair;
    const { picture } = explorers[side];
    const item = picture.moduleItem(picture.graph.number, scopes[side]);
    if (item === undefined) return;
    this.lead(at + side);
    await explorers[side].revealItem(item);
  }

  // --- One column changed, the others follow --------------------------------------------------------------

  private changed(column: number, state: State, before: State): void {
    if (state.scene !== before.scene) this.cameras.changed();
    if (state.picture !== before.picture) this.renewed(column, state);
    else if (state.open !== before.open && !this.cameras.isHeld)
      void this.openAlso(column, state.open, before.open);
    if (state.selected !== before.selected && !this.isSelecting) this.selectAlso(column, state);
  }

  /** Folded or unfolded state, another method: the neighbours do the same, and then theirs. */
  private renewed(column: number, { picture }: State): void {
    const method = picture.snapshot.methodOf(picture.graph.number);
    for (const { from, to } of this.row.outward(column).filter(({ from }) => from === column)) {
      const other = this.row.explorer(to);
      if (other.picture.isFolded !== picture.isFolded) void other.setFolded(picture.isFolded);
      const { pair, side } = this.row.between(from, to);
      const graph = pair.changes.graphLike(side, method);
      if (graph !== undefined && graph !== other.picture.graph.number)
        void other.showGraph(other.snapshot.graph(graph));
    }
    if (this.state.isSameHidden) void this.arrangeAgain(this.row.columns);
  }

  private async openAlso(
    column: number,
    now: ReadonlySet<number>,
    before: ReadonlySet<number>,
  ): Promise<void> {
    const opened = this.row.mates(
      column,
      [...now].filter((item) => !before.has(item)),
    );
    const closed = this.row.mates(
      column,
      [...before].filter((item) => !now.has(item)),
    );
    const others = this.row.columns.filter(
      (other) => other !== column && this.isNews(other, opened[other] ?? [], closed[other] ?? []),
    );
    if (others.length === 0) return;
    await this.cameras.hold(() =>
      Promise.all(
        others.map((other) => {
          const open = new Set([...this.row.explorer(other).state.open, ...(opened[other] ?? [])]);
          for (const item of closed[other] ?? []) open.delete(item);
          return this.arrange(other, { open });
        }),
      ),
    );
    this.cameras.align(column);
  }

  private isNews(column: number, opened: readonly number[], closed: readonly number[]): boolean {
    const { open } = this.row.explorer(column).state;
    return opened.some((item) => !open.has(item)) || closed.some((item) => open.has(item));
  }

  /** What corresponds is selected in the other columns too. */
  private selectAlso(column: number, { picture, selected }: State): void {
    const leaves = selected.filter((item) => !picture.isGroup(item));
    const own = leaves.map((item) => picture.nodeOf(item)).filter((node) => node >= 0);
    const nodes = this.row.nodes(column, own);
    const groups = this.row.mates(
      column,
      selected.filter((item) => picture.isGroup(item)),
    );
    this.isSelecting = true;
    for (const { to } of this.row.outward(column)) {
      const other = this.row.explorer(to);
      const boxes = (nodes[to] ?? []).map((node) => other.picture.boxOf(node)).filter((item) => item >= 0);
      other.store.set({ selected: [...new Set([...(groups[to] ?? []), ...boxes])], edge: undefined });
    }
    const at = this.pairOf(column);
    const [match = -1] = this.row.pair(at).matchesOf(column === at ? 0 : 1, own);
    this.store.set({ at, match, nodes, leader: column });
    this.isSelecting = false;
    if (nodes.some((each, to) => to !== column && each.length > 0)) this.cameras.align(column);
  }

  /** The pair to be told of when a column is used: the one that is, where it is of it; else with what is at its left. */
  private pairOf(column: number): number {
    const { at } = this.state;
    return column === at || column === at + 1 ? at : Math.max(0, column - 1);
  }
}

const NOTHING: ReadonlySet<number> = new Set();
