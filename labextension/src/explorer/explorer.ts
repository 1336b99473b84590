/**
 * One mount's mind: what is open, selected, looked at. Every change goes through here, whoever asks for it: pointer,
 * keyboard, panel, link or kernel. Knows no DOM.
 */
import { type Camera, fitted, type Rect, revealed, type Size } from "../canvas/camera";
import { type Measure, NAMED, opening, Picture } from "../picture";
import type { Graph, Snapshot } from "../snapshot";
import {
  type EdgeRef,
  type Focus,
  focusOf,
  itemsOf,
  type Sight,
  type State,
  Store,
  type ViewState,
  writeView,
} from "../store";
import { Arranger } from "./arranger";
import { nodesOf } from "./focus";
import { around, FLOATING, type Follow, followed, READABLE, sceneRect } from "./follow";
import { everyGroup, groupsAbove, sameItems, withAlike } from "./groups";
import { History } from "./history";
import { Search } from "./search";

export class Explorer {
  readonly store: Store<State>;
  readonly sight: Store<Sight>;
  readonly history = new History(this);
  readonly search: Search;
  private readonly arranger = new Arranger();
  private readonly pictures = new Map<string, Picture>();
  private request = 0;
  /** Where one looks before anything was done. */
  private firstCamera: Camera;

  constructor(
    readonly snapshot: Snapshot,
    private readonly measure: Measure,
    screen: Size,
    view?: ViewState,
  ) {
    const method = snapshot.methods[0];
    const graph =
      snapshot.graphs.find((each) => each.path === view?.graph) ?? snapshot.graph(method?.graph ?? 0);
    const picture = this.pictureOf(graph, view?.folded ?? true);
    const first = opening(picture, screen);
    this.store = new Store<State>({
      picture,
      scene: first.scene,
      open: first.open,
      unrolled: new Set(),
      selected: [],
      edge: undefined,
      focus: undefined,
      query: "",
      results: { nodes: [], at: -1, of: "" },
      overlay: { name: "kind", scale: "linear" },
      isWeighted: false,
      tab: "node",
      isPanelOpen: screen.width > 480,
      isHelpOpen: false,
      isBusy: false,
      problem: undefined,
      canGoBack: false,
      canGoForward: false,
      bookmarks: [],
      searchAsked: 0,
      pointed: -1,
    });
    const camera = fitted(sceneRect(first.scene), screen, { least: NAMED, ...FLOATING });
    this.firstCamera = camera;
    this.sight = new Store<Sight>({ camera, screen, target: undefined });
    this.search = new Search(this);
    if (view) void this.show(view);
  }

  get state(): State {
    return this.store.state;
  }

  get picture(): Picture {
    return this.store.state.picture;
  }

  /** Makes ready what the next step is likely to need. Call when nothing is being done. */
  warm(): void {
    this.arranger.warm(this.picture);
  }

  dispose(): void {
    this.request++;
    this.arranger.dispose();
  }

  // --- What is open ---------------------------------------------------------------------------------------

  /** Resolves when the new scene stands; at once undone where a newer change comes first. */
  async arrange(
    change: Partial<Pick<State, "open" | "unrolled" | "picture">>,
    follow: Follow,
  ): Promise<void> {
    const request = ++this.request;
    const next = { ...this.state, ...change };
    const { picture, open, unrolled } = next;
    this.store.set({ isBusy: true, problem: undefined });
    try {
      const scene = await this.arranger.scene(picture, picture.view(open, unrolled));
      if (request !== this.request || !scene) return;
      const item = "item" in follow ? follow.item : -1;
      const how = picture === this.picture || follow.how === "camera" ? follow : ({ how: "fit" } as const);
      const before = this.rectOf(item);
      this.goTo(followed(how, scene, this.sight.state, before, this.rectOf(item, scene)));
      this.store.set({ picture, open, unrolled, scene, isBusy: false });
    } catch (problem) {
      if (request !== this.request) return;
      const text = problem instanceof Error ? problem.message : String(problem);
      this.store.set({ isBusy: false, problem: `The layout failed: ${text}` });
    }
  }

  toggle(item: number): Promise<void> {
    const open = new Set(this.state.open);
    if (!open.delete(item)) open.add(item);
    return this.arrange({ open }, { how: "anchor", item });
  }

  /** Opens or closes a group and all that are equal to it or of its class. */
  toggleAlike(item: number): Promise<void> {
    const open = withAlike(this.picture, this.state.open, item);
    return this.arrange({ open }, { how: "anchor", item });
  }

  /** Shows the modules of a run one by one, or folds them again. */
  unroll(item: number): Promise<void> {
    const parent = this.picture.parentOf(item);
    const group = parent === -1 ? this.picture.count : parent;
    const unrolled = new Set(this.state.unrolled);
    if (!unrolled.delete(group)) unrolled.add(group);
    return this.arrange({ unrolled }, { how: "anchor", item });
  }

  openAll(): Promise<void> {
    return this.arrange({ open: everyGroup(this.picture) }, { how: "fit" });
  }

  closeAll(): Promise<void> {
    return this.arrange({ open: new Set() }, { how: "fit" });
  }

  /** Opens all modules down to a depth: 0 closes all. */
  openTo(depth: number): Promise<void> {
    return this.arrange({ open: groupsAbove(this.picture, depth) }, { how: "fit" });
  }

  setFolded(isFolded: boolean): Promise<void> {
    const old = this.picture;
    const picture = this.pictureOf(old.graph, isFolded);
    const same = (items: Iterable<number>): Set<number> => sameItems(old, picture, items);
    const selected = [...same(this.state.selected)];
    this.store.set({ selected: [], edge: undefined });
    return this.arrange({ picture, open: same(this.state.open), unrolled: new Set() }, { how: "fit" }).then(
      () => this.store.set({ selected }),
    );
  }

  /** Shows another graph, such as another method's. */
  showGraph(graph: Graph): Promise<void> {
    const picture = this.pictureOf(graph, this.picture.isFolded);
    const first = opening(picture, this.sight.state.screen);
    this.store.set({ selected: [], edge: undefined, focus: undefined });
    return this.arrange({ picture, open: first.open, unrolled: new Set() }, { how: "fit" });
  }

  // --- What is selected -----------------------------------------------------------------------------------

  select(items: readonly number[], edge?: EdgeRef): void {
    this.history.remember();
    this.store.set({ selected: items, edge, ...(items.length || edge ? {} : { focus: undefined }) });
  }

  /** Opens what is around a node, selects its box and brings it into view. */
  async reveal(node: number): Promise<void> {
    const item = this.boxShowing(node);
    if (item < 0) {
      const { graph } = this.snapshot.locate(node);
      if (graph === this.picture.graph || this.snapshot.methodOf(graph.number) < 0) return;
      await this.showGraph(
        this.snapshot.graph(this.snapshot.methods[this.snapshot.methodOf(graph.number)]?.graph ?? 0),
      );
      if (this.boxShowing(node) < 0) return;
    }
    await this.revealItem(this.boxShowing(node));
  }

  async revealItem(item: number): Promise<void> {
    this.history.remember();
    const around = this.picture.around(item);
    const open = new Set(this.state.open);
    for (const group of around) open.add(group);
    this.store.set({ selected: [item], edge: undefined });
    if (
      open.size > this.state.open.size ||
      (this.state.scene.members[this.state.scene.slotOf[item] ?? -1] ?? 1) > 1
    ) {
      await this.arrange({ open }, { how: "reveal", item });
    } else this.lookAt(item);
  }

  /** The box in which a node is seen when all is open: its own, or that of the first op that eats it. */
  boxShowing(node: number): number {
    const own = this.picture.boxOf(node);
    if (own >= 0) return own;
    const { graph, position } = this.snapshot.locate(node);
    for (const user of graph.usersOf(position)) {
      const box = this.picture.boxOf(graph.base + user);
      if (box >= 0) return box;
    }
    return -1;
  }

  setFocus(focus: Focus | undefined): void {
    this.store.set({ focus });
  }

  /** The nodes of what is selected. */
  selectedNodes(): number[] {
    return this.state.selected.flatMap((item) => nodesOf(this.picture, item));
  }

  // --- Where one looks ------------------------------------------------------------------------------------

  /** The screen has another size. Until someone moves, the picture stays fitted to it. */
  resized(screen: Size): void {
    const { camera, target } = this.sight.state;
    const isFirst = camera === this.firstCamera && !target;
    this.sight.set({ screen });
    if (!isFirst) return;
    this.firstCamera = fitted(sceneRect(this.state.scene), screen, { least: NAMED, ...FLOATING });
    this.sight.set({ camera: this.firstCamera });
  }

  /** The camera goes there, smoothly where motion is welcome. */
  goTo(target: Camera): void {
    this.sight.set({ target });
  }

  fit(): void {
    this.goTo(fitted(sceneRect(this.state.scene), this.sight.state.screen, FLOATING));
  }

  fitSelection(): void {
    const rects = this.state.selected.map((item) => this.rectOf(item)).filter((rect) => rect !== undefined);
    if (rects.length) this.goTo(fitted(around(rects), this.sight.state.screen, { margin: 60, most: 1.25 }));
  }

  lookAt(item: number): void {
    const rect = this.rectOf(item);
    const { camera, screen } = this.sight.state;
    if (!rect) return;
    const near = camera.zoom < READABLE ? { ...camera, zoom: 1 } : camera;
    const target =
      near === camera ? revealed(camera, rect, screen) : fitted(rect, screen, { most: 1, margin: 60 });
    this.goTo(target);
  }

  rectOf(item: number, scene = this.state.scene): Rect | undefined {
    const slot = scene.slotOf[item] ?? -1;
    if (slot < 0) return undefined;
    const [x = 0, y = 0, width = 0, height = 0] = scene.rect.subarray(4 * slot, 4 * slot + 4);
    return { x, y, width, height };
  }

  /** Clears one thing after the other: help, focus, selection, search. */
  clear(): void {
    const { isHelpOpen, focus, selected, edge, query } = this.state;
    if (isHelpOpen) this.store.set({ isHelpOpen: false });
    else if (focus) this.setFocus(undefined);
    else if (selected.length || edge) this.select([]);
    else if (query) void this.search.ask("");
  }

  /** Whoever has a search box puts the cursor into it. */
  askForSearch(): void {
    this.store.set({ searchAsked: this.state.searchAsked + 1 });
  }

  bookmark(): void {
    const { selected, bookmarks } = this.state;
    const at = selected[0];
    const title = at === undefined ? this.picture.graph.path : this.picture.words.key(at);
    this.store.set({ bookmarks: [...bookmarks, { title, view: this.view() }] });
  }

  view(): ViewState {
    return writeView(this.state, this.sight.state);
  }

  /** Shows a view that was written down before. */
  async show(view: ViewState): Promise<void> {
    const graph = this.snapshot.graphs.find((each) => each.path === view.graph) ?? this.picture.graph;
    const picture = this.pictureOf(graph, view.folded);
    this.store.set({ selected: [], edge: undefined });
    await this.arrange(
      {
        picture,
        open: new Set(itemsOf(picture, view.open)),
        unrolled: new Set(itemsOf(picture, view.unrolled)),
      },
      { how: "camera", camera: view.camera },
    );
    this.store.set({
      selected: itemsOf(picture, view.selected),
      focus: focusOf(view),
      overlay: { ...this.state.overlay, name: view.overlay ?? "kind" },
      ...(view.tab && { tab: view.tab }),
    });
    if (view.query) await this.search.ask(view.query);
  }

  private pictureOf(graph: Graph, isFolded: boolean): Picture {
    const key = `${graph.number} ${isFolded}`;
    const picture = this.pictures.get(key) ?? new Picture(this.snapshot, graph, isFolded, this.measure);
    this.pictures.set(key, picture);
    return picture;
  }
}
