/**
 * The mind of two pictures side by side: what is open, selected and looked at on one side is followed by the other.
 * Whoever was used last leads. Knows no DOM.
 */
import type { Explorer } from "../explorer";
import { type State, Store } from "../store";
import { Cameras } from "./cameras";
import { type Changes, otherSide, SIDES, type Side } from "./changes";
import { slotsOf } from "./drift";
import { Mates } from "./mates";
import { FIRST, type PairState } from "./state";
import { Tally } from "./tally";

export class Pair {
  readonly store = new Store<PairState>(FIRST);
  private matesNow: Mates;
  private tallies: [Tally, Tally];
  readonly cameras: Cameras;
  private isSelecting = false;
  private readonly off: (() => void)[] = [];

  constructor(
    readonly changes: Changes,
    readonly explorers: readonly [Explorer, Explorer],
  ) {
    this.matesNow = new Mates(changes, [explorers[0].picture, explorers[1].picture]);
    this.tallies = [this.newTally(0), this.newTally(1)];
    this.cameras = new Cameras(changes, explorers, this.store);
    this.off.push(
      ...SIDES.map((side) =>
        explorers[side].store.subscribe((state, before) => this.changed(side, state, before)),
      ),
    );
  }

  get state(): PairState {
    return this.store.state;
  }

  get mates(): Mates {
    return this.matesNow;
  }

  tally(side: Side): Tally {
    return this.tallies[side];
  }

  dispose(): void {
    for (const off of this.off) off();
    this.cameras.dispose();
    for (const explorer of this.explorers) explorer.dispose();
  }

  /** A side was touched: from now on the other follows it. */
  lead(side: Side): void {
    this.cameras.touched();
    this.store.set({ leader: side });
  }

  // --- What is looked at ----------------------------------------------------------------------------------

  /** The pointer is on a slot of a side; -1 for nothing. */
  hover(side: Side, slot: number): void {
    const { scene, picture } = this.explorers[side].state;
    const item = slot < 0 || scene.kind[slot] === 2 ? -1 : (scene.item[slot] ?? -1);
    const now = item < 0 ? undefined : { side, matches: this.matchesOf(side, [item], picture.isGroup(item)) };
    const before = this.state.hovered;
    if (now?.side === before?.side && now?.matches.join() === before?.matches.join()) return;
    this.store.set({ hovered: now });
  }

  /** The slots of a side that stand for what the pointer is on on the other; a module's mate for the module. */
  lit(side: Side): ReadonlySet<number> {
    const { hovered } = this.state;
    const found = new Set<number>();
    if (hovered && hovered.side !== side) this.light(side, hovered.matches, found);
    return found;
  }

  /** Matches whose nodes are joined by threads: what the pointer is on, else what is selected. */
  threaded(): readonly number[] {
    const { hovered, match } = this.state;
    if (hovered && hovered.matches.length === 1) return hovered.matches;
    return match < 0 ? [] : [match];
  }

  private light(side: Side, matches: readonly number[], found: Set<number>): void {
    const { picture, scene } = this.explorers[side].state;
    for (const match of matches) {
      if (match < 0) {
        const slot = scene.slotOf[-match - 2] ?? -1;
        if (slot >= 0) found.add(slot);
      } else for (const slot of slotsOf(this.changes, match, side, { picture, scene })) found.add(slot);
    }
  }

  /** Of boxes; a module is told by its mate, written as -2 - item. */
  private matchesOf(side: Side, items: readonly number[], isGroup: boolean): number[] {
    const { picture } = this.explorers[side];
    if (isGroup) return items.map((item) => -2 - this.mates.of(side, item)).filter((each) => each < -1);
    const nodes = items.map((item) => picture.nodeOf(item)).filter((node) => node >= 0);
    return [...new Set(nodes.map((node) => this.changes.of(side, node)))].filter((match) => match >= 0);
  }

  // --- Going from change to change ------------------------------------------------------------------------

  /** To the next change in reading order, or the one before; round at the ends. */
  step(by: 1 | -1): Promise<void> {
    const { without, match } = this.state;
    const list = this.changes.list.filter((each) => !without.has(this.changes.kind(each)));
    const next = by > 0 ? list.find((each) => each > match) : list.filter((each) => each < match).at(-1);
    return this.show(next ?? list.at(by > 0 ? 0 : -1) ?? -1);
  }

  /** Opens what is around the nodes of a match on both sides, selects them and brings them into view. */
  async show(match: number): Promise<void> {
    if (match < 0) return;
    const side: Side = this.changes.nodes(match, 1).length ? 1 : 0;
    this.cameras.touched();
    this.isSelecting = true;
    this.cameras.isHeld = true;
    try {
      this.store.set({ match, leader: side, hovered: undefined });
      await Promise.all(SIDES.map((each) => this.reveal(each, match)));
    } finally {
      this.isSelecting = false;
      this.cameras.isHeld = false;
    }
    this.cameras.changed();
    this.cameras.frame(match);
  }

  private async reveal(side: Side, match: number): Promise<void> {
    const explorer = this.explorers[side];
    const { picture } = explorer;
    const nodes = this.changes.nodes(match, side);
    const boxes = [...new Set(nodes.map((node) => explorer.boxShowing(node)))].filter((item) => item >= 0);
    const mateBoxes = boxes.length ? boxes : this.aroundMate(side, match);
    const open = new Set([...explorer.state.open, ...mateBoxes.flatMap((item) => picture.around(item))]);
    if (!boxes.length) for (const item of mateBoxes) if (picture.isGroup(item)) open.add(item);
    explorer.store.set({ selected: boxes, edge: undefined });
    const { scene } = explorer.state;
    const isShown = boxes.every((item) => scene.item[scene.slotOf[item] ?? -1] === item);
    if (open.size === explorer.state.open.size && isShown) return;
    const { camera, target } = explorer.sight.state;
    await explorer.arrange({ open }, { how: "camera", camera: target ?? camera });
  }

  /** Where there is no node on a side: the module that stands for the one around it on the other. */
  private aroundMate(side: Side, match: number): number[] {
    const from = otherSide(side);
    const explorer = this.explorers[from];
    const [node] = this.changes.nodes(match, from);
    const item = node === undefined ? -1 : explorer.boxShowing(node);
    for (const group of item < 0 ? [] : explorer.picture.around(item)) {
      const mate = this.mates.of(from, group);
      if (mate >= 0) return [mate];
    }
    return [];
  }

  /** Selects a module on both sides and brings it into view; `scopes` as the comparison names them. */
  async showModule(scopes: readonly [number, number]): Promise<void> {
    const side: Side = scopes[1] >= 0 ? 1 : 0;
    const { picture } = this.explorers[side];
    const item = picture.moduleItem(picture.graph.number, scopes[side]);
    if (item === undefined) return;
    this.lead(side);
    await this.explorers[side].revealItem(item);
  }

  // --- One side changed, the other follows ----------------------------------------------------------------

  private changed(side: Side, state: State, before: State): void {
    if (state.scene !== before.scene) this.cameras.changed();
    if (state.picture !== before.picture) this.renewed(side, state);
    else if (state.open !== before.open && !this.cameras.isHeld)
      void this.openAlso(side, state.open, before.open);
    if (state.selected !== before.selected && !this.isSelecting) this.selectAlso(side, state);
  }

  /** Folded or unfolded state, another method: the other side does the same. */
  private renewed(side: Side, state: State): void {
    const other = this.explorers[otherSide(side)];
    const { picture } = state;
    this.matesNow = new Mates(this.changes, this.pictures(side, picture));
    this.tallies = [this.newTally(0), this.newTally(1)];
    if (other.picture.isFolded !== picture.isFolded) void other.setFolded(picture.isFolded);
    const graph = this.graphLike(side, picture.snapshot.methodOf(picture.graph.number));
    if (graph !== undefined && graph !== other.picture.graph.number)
      void other.showGraph(other.snapshot.graph(graph));
  }

  private graphLike(side: Side, method: number): number | undefined {
    const names = ["a", "b"] as const;
    const { methods = [] } = this.changes.comparison;
    const name = this.changes.snapshots[side].methods[method]?.name;
    const like = methods.find((each) => each[names[side]] === name)?.[names[otherSide(side)]];
    return this.changes.snapshots[otherSide(side)].methods.find((each) => each.name === like)?.graph;
  }

  private pictures(side: Side, picture: State["picture"]): [State["picture"], State["picture"]] {
    const other = this.explorers[otherSide(side)].picture;
    return side === 0 ? [picture, other] : [other, picture];
  }

  private async openAlso(side: Side, now: ReadonlySet<number>, before: ReadonlySet<number>): Promise<void> {
    const other = this.explorers[otherSide(side)];
    const open = new Set(other.state.open);
    for (const item of now) if (!before.has(item)) open.add(this.mates.of(side, item));
    for (const item of before) if (!now.has(item)) open.delete(this.mates.of(side, item));
    open.delete(-1);
    const isSame =
      open.size === other.state.open.size && [...open].every((item) => other.state.open.has(item));
    if (isSame) return;
    const { camera, target } = other.sight.state;
    this.cameras.isHeld = true;
    await other.arrange({ open }, { how: "camera", camera: target ?? camera });
    this.cameras.isHeld = false;
    this.cameras.align(side);
  }

  /** What corresponds is selected on the other side too. */
  private selectAlso(side: Side, { picture, selected }: State): void {
    const other = this.explorers[otherSide(side)];
    const groups = selected.filter((item) => picture.isGroup(item));
    const mates = groups.map((item) => this.mates.of(side, item)).filter((item) => item >= 0);
    const leaves = selected.filter((item) => !picture.isGroup(item));
    const matches = this.matchesOf(side, leaves, false);
    const nodes = matches.flatMap((match) => this.changes.nodes(match, otherSide(side)));
    const boxes = nodes.map((node) => other.picture.boxOf(node)).filter((item) => item >= 0);
    this.isSelecting = true;
    other.store.set({ selected: [...new Set([...mates, ...boxes])], edge: undefined });
    this.store.set({ match: matches[0] ?? -1, leader: side });
    this.isSelecting = false;
    if (boxes.length) this.cameras.align(side);
  }

  private newTally(side: Side): Tally {
    return new Tally(this.changes, this.mates.pictures[side], side);
  }
}
