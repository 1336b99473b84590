/**
 * The mind of two pictures side by side: what is open, selected and looked at on one side is followed by the other.
 * Whoever was used last leads. Knows no DOM.
 */
import { type Camera, fitted, type Rect, toScreen, toWorld } from "../canvas/camera";
import { type Explorer, sceneRect } from "../explorer";
import { around, READABLE } from "../explorer/follow";
import { type State, Store } from "../store";
import { type Changes, otherSide, SIDES, type Side } from "./changes";
import { Drift, rectOfSlot, slotsOf } from "./drift";
import { Mates } from "./mates";
import type { MatchKind } from "./schema";
import { Tally } from "./tally";

export type PairTab = "changes" | "node";

export interface PairState {
  /** The match that is looked at; -1 for none. */
  readonly match: number;
  /** What the pointer is on: a side, and matches. */
  readonly hovered: { readonly side: Side; readonly matches: readonly number[] } | undefined;
  readonly leader: Side;
  readonly isOneCamera: boolean;
  readonly isSameHidden: boolean;
  readonly isText: boolean;
  readonly isHelpOpen: boolean;
  readonly isPanelOpen: boolean;
  readonly tab: PairTab;
  /** Kinds that the list leaves out. */
  readonly without: ReadonlySet<MatchKind>;
}

const FIRST: PairState = {
  match: -1,
  hovered: undefined,
  leader: 1,
  isOneCamera: true,
  isSameHidden: false,
  isText: false,
  isHelpOpen: false,
  isPanelOpen: true,
  tab: "changes",
  without: new Set(),
};

/** Screen pixels around what fits, and the zoom at which names are still read. */
const AROUND = { margin: 18, above: 22 } as const;
const LEAST = 0.36;
const NEAR = { margin: 60 } as const;

/** Where a match is on the other side, and how much lower than here. */
interface Held {
  readonly drift: number;
  readonly left: number;
  readonly right: number;
}

export class Pair {
  readonly store = new Store<PairState>(FIRST);
  private matesNow: Mates;
  private tallies: [Tally, Tally];
  private driftNow: Drift | undefined;
  /** While one follows the other, it is not followed. */
  private isFollowing = false;
  private isSelecting = false;
  private isUntouched = true;
  private readonly off: (() => void)[] = [];

  constructor(
    readonly changes: Changes,
    readonly explorers: readonly [Explorer, Explorer],
  ) {
    this.matesNow = new Mates(changes, [explorers[0].picture, explorers[1].picture]);
    this.tallies = [this.newTally(0), this.newTally(1)];
    for (const side of SIDES) {
      const { store, sight } = explorers[side];
      sight.set({ camera: { ...sight.state.camera } }); // it is fitted here, and no longer by the explorer alone
      this.off.push(
        store.subscribe((state, before) => this.changed(side, state, before)),
        sight.subscribe((now, before) => {
          if (now.screen !== before.screen) this.resized();
          else if (now.target !== before.target && now.target) this.looked(side, now.target, true);
          else if (now.camera !== before.camera && !now.target) this.looked(side, now.camera, false);
        }),
      );
    }
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
    for (const explorer of this.explorers) explorer.dispose();
  }

  /** A side was touched: from now on the other follows it. */
  lead(side: Side): void {
    this.isUntouched = false;
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
    this.isUntouched = false;
    this.isSelecting = true;
    this.isFollowing = true;
    try {
      this.store.set({ match, leader: side, hovered: undefined });
      await Promise.all(SIDES.map((each) => this.reveal(each, match)));
    } finally {
      this.isSelecting = false;
      this.isFollowing = false;
    }
    this.driftNow = undefined;
    this.frame(match);
  }

  /** Brings the boxes of a match to the middle of both pictures, their tops at one height; stays where they are seen. */
  private frame(match: number): void {
    const views = SIDES.map((side) => {
      const { screen } = this.explorers[side].sight.state;
      return { side, screen, rect: this.rectOf(match, side) };
    });
    const { leader } = this.state;
    const most = Math.max(READABLE, Math.min(1, this.explorers[leader].sight.state.camera.zoom));
    const zooms = views.flatMap(({ rect, screen }) =>
      rect ? fitted(rect, screen, { ...NEAR, most }).zoom : [],
    );
    const zoom = Math.max(LEAST, Math.min(...zooms));
    const tall = Math.max(...views.map(({ rect }) => rect?.height ?? 0));
    this.isFollowing = true;
    for (const { side, rect, screen } of views) {
      if (!rect) continue;
      const spare = Math.max(NEAR.margin / zoom, (screen.height / zoom - tall) / 2);
      const x = rect.x + rect.width / 2 - screen.width / zoom / 2;
      this.explorers[side].goTo({ zoom, x, y: rect.y - spare });
    }
    this.isFollowing = false;
    // A side that has none of it shows the place.
    if (views.some(({ rect }) => !rect)) this.align(leader);
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

  // --- Cameras --------------------------------------------------------------------------------------------

  /** Both at one zoom, and their tops at one height. */
  fit(isAtOnce = false): void {
    const fitting = (side: Side, zoom?: number): Camera => {
      const { state, sight } = this.explorers[side];
      const bounds = zoom === undefined ? { least: LEAST } : { least: zoom, most: zoom };
      return fitted(sceneRect(state.scene), sight.state.screen, { ...AROUND, ...bounds });
    };
    const zoom = Math.min(fitting(0).zoom, fitting(1).zoom);
    const cameras = [fitting(0, zoom), fitting(1, zoom)] as const;
    const y = Math.max(cameras[0].y, cameras[1].y);
    this.isFollowing = true;
    for (const side of SIDES) {
      const camera = { ...cameras[side], y };
      if (isAtOnce) this.explorers[side].sight.set({ camera, target: undefined });
      else this.explorers[side].goTo(camera);
    }
    this.isFollowing = false;
  }

  setOneCamera(isOneCamera: boolean): void {
    this.store.set({ isOneCamera });
    this.align(this.state.leader);
  }

  /** Brings the other side to what a side shows. */
  align(side: Side): void {
    if (!this.state.isOneCamera) return;
    const { camera, target } = this.explorers[side].sight.state;
    this.explorers[otherSide(side)].goTo(this.matching(side, target ?? camera));
  }

  private get drift(): Drift {
    const [a, b] = [this.explorers[0].state, this.explorers[1].state];
    this.driftNow ??= new Drift(this.changes, [a, b]);
    return this.driftNow;
  }

  /** The other side's camera for one of a side: what corresponds is at the same height. */
  private matching(side: Side, camera: Camera): Camera {
    const [screen, others] = [side, otherSide(side)].map(
      (each) => this.explorers[each as Side].sight.state.screen,
    );
    const half = { x: (screen?.width ?? 0) / 2, y: (screen?.height ?? 0) / 2 };
    const drift = this.drift.at(side, toWorld(camera, half));
    const held = this.held(side, camera);
    const width = (others?.width ?? 0) / camera.zoom;
    const x = camera.x + drift.x - (width - (screen?.width ?? 0) / camera.zoom) / 2;
    if (!held) return { zoom: camera.zoom, x, y: camera.y + drift.y };
    // What is selected is seen on both sides: sideways the camera moves no more than that needs.
    const [most, least] = [held.left - 20 / camera.zoom, held.right + 20 / camera.zoom - width];
    const shown = least > most ? (least + most) / 2 : Math.min(most, Math.max(least, x));
    return { zoom: camera.zoom, x: shown, y: camera.y + held.drift };
  }

  /** While what is selected is in view, it is that which keeps its height. */
  private held(side: Side, camera: Camera): Held | undefined {
    const { match } = this.state;
    if (match < 0) return undefined;
    const [here, there] = [this.rectOf(match, side), this.rectOf(match, otherSide(side))];
    if (!here || !there) return undefined;
    const { screen } = this.explorers[side].sight.state;
    const { x, y } = toScreen(camera, here);
    const isSeen = y > -40 && y < screen.height + 40 && x > -200 && x < screen.width + 200;
    return isSeen ? { drift: there.y - here.y, left: there.x, right: there.x + there.width } : undefined;
  }

  /** Around the boxes of a match, in a side's world; undefined where it has none. */
  private rectOf(match: number, side: Side): Rect | undefined {
    const { state } = this.explorers[side];
    const rects = slotsOf(this.changes, match, side, state).map((slot) => rectOfSlot(state.scene, slot));
    return rects.length ? around(rects) : undefined;
  }

  /** Until someone moves, both stay fitted to their screens. */
  private resized(): void {
    if (this.isUntouched) this.fit(true);
    else this.align(this.state.leader);
  }

  /** A camera moved by hand, or is to go somewhere: the other goes along. */
  private looked(side: Side, camera: Camera, isTarget: boolean): void {
    const { isOneCamera, leader } = this.state;
    if (!isOneCamera || this.isFollowing || side !== leader) return;
    const other = otherSide(side);
    this.isFollowing = true;
    if (isTarget) this.explorers[other].goTo(this.matching(side, camera));
    else this.jump(other, this.matching(side, camera));
    this.isFollowing = false;
  }

  /** Sets a camera at once; a canvas that moves is told by whoever owns it. */
  jump: (side: Side, camera: Camera) => void = (side, camera) =>
    this.explorers[side].sight.set({ camera, target: undefined });

  // --- One side changed, the other follows ----------------------------------------------------------------

  private changed(side: Side, state: State, before: State): void {
    if (state.scene !== before.scene) this.driftNow = undefined;
    if (state.picture !== before.picture) this.renewed(side, state);
    else if (state.open !== before.open && !this.isFollowing)
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
    this.isFollowing = true;
    await other.arrange({ open }, { how: "camera", camera: target ?? camera });
    this.isFollowing = false;
    this.align(side);
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
    if (boxes.length) this.align(side);
  }

  private newTally(side: Side): Tally {
    return new Tally(this.changes, this.mates.pictures[side], side);
  }
}
