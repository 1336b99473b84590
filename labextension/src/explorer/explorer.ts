/**
 * Controller of one mount: what is open, selected and visible. Pointer, keyboard, panel, link and kernel make
 * all changes through it. No DOM.
 */
import type { Camera, Rect, Size } from "../geometry/camera";
import type { Scene, SplitsRun, View } from "../layout";
import {
  type Form,
  type Measure,
  NO_STRETCHES,
  opening,
  Picture,
  type Stretch,
  type Stretches,
} from "../picture";
import { Costs, type Profile } from "../profile";
import { type Formulas, type Graph, NodeValues, type Snapshot, type SymbolValues } from "../snapshot";
import type { Stages } from "../stages";
import {
  type EdgeRef,
  type Focus,
  type State,
  Store,
  type ViewportState,
  type ViewState,
  writeView,
} from "../store";
import type { CellLine } from "../ui/actions";
import { Arranger } from "./arranger";
import { type Follow, followed, rectIn } from "./camera_follow";
import { Coloring } from "./coloring";
import { nodesOf } from "./focus";
import { History } from "./history";
import { firstState } from "./initial_state";
import { everyGroup, groupsAbove, largestDelegate, openedTo, sameItems, withSimilar } from "./open_groups";
import { boxShowing, reveal, revealItem } from "./reveal";
import { Search } from "./search";
import { show } from "./show_view";
import { Stepping } from "./stepping";
import { Viewport } from "./viewport";

type Arranged = Partial<Pick<State, "open" | "unrolled" | "picture">>;

/** Decides which siblings are hidden in one box. */
interface Stretching {
  /** The boxes of hidden siblings in a picture while these groups are open. */
  of(picture: Picture, open: ReadonlySet<number>): Stretches;
  /** Shows the content of such a box from now on. The caller arranges its own picture. */
  release(stretch: Stretch): void;
}

export class Explorer {
  readonly store: Store<State>;
  readonly viewport: Viewport;
  readonly history = new History(this);
  readonly search: Search;
  readonly coloring: Coloring;
  /** Costs of nodes, by stage. */
  readonly costs = new Costs();
  private readonly arranger = new Arranger();
  /** Absent if the program is not a stage of a session. */
  readonly stepping: Stepping | undefined;
  /** Decides which siblings are hidden in one box; set for side-by-side graphs. */
  stretching: Stretching | undefined;
  /** Whether two neighbouring identical siblings are in separate runs; set for side-by-side graphs. */
  splitsRun: ((picture: Picture, item: number, next: number) => boolean) | undefined;
  private readonly pictures = new WeakMap<Graph, Map<string, Picture>>();
  private readonly values = new WeakMap<Snapshot, NodeValues>();
  /** How to measure a program that is not live; "" if the host knows no better than a general answer. */
  howToMeasure = "";
  /** An action of the application around this explorer, such as moving it into a tab; set by its host. */
  hostAction: { readonly title: string; readonly run: () => void } | undefined;
  /** Shows a line of a notebook's cell; set by a host in a notebook. */
  showCell: ((line: CellLine) => void) | undefined;
  private request = 0;

  /** `stages`: the stages that contain the Snapshot, and its id there. */
  constructor(
    snapshot: Snapshot,
    private readonly measure: Measure,
    screen: Size,
    view?: ViewState,
    stages?: { readonly all: Stages; readonly at: string },
    /** The user's, where no view says otherwise. */
    settings: { readonly depth?: number; readonly foldsParameters: boolean } = { foldsParameters: true },
  ) {
    const method = snapshot.methods[0];
    const graph =
      snapshot.graphs.find((each) => each.path === view?.graph) ?? snapshot.graph(method?.graph ?? 0);
    const form = {
      isFolded: view?.folded ?? settings.foldsParameters,
      isByDelegate: view?.delegates ?? false,
    };
    const picture = this.pictureOf(graph, form, snapshot);
    const { depth } = settings;
    const first = depth === undefined ? opening(picture, screen) : openedTo(picture, depth);
    this.store = new Store<State>(firstState(picture, first, stages?.at ?? ""));
    this.viewport = new Viewport(() => this.state, screen);
    this.search = new Search(this);
    this.coloring = new Coloring(this);
    this.stepping = stages && new Stepping(this, stages.all);
    if (view) void this.show(view);
  }

  get state(): State {
    return this.store.state;
  }

  get picture(): Picture {
    return this.store.state.picture;
  }

  /** The Snapshot that is shown; each stage has its own. */
  get snapshot(): Snapshot {
    return this.picture.snapshot;
  }

  get viewportStore(): Store<ViewportState> {
    return this.viewport.store;
  }

  /** Prepares what the next step is likely to need. Call while the page is idle. */
  warm(): void {
    void this.ready(this.picture);
    this.stepping?.prepareLater();
  }

  /** Prepares the layout of a picture. */
  ready(picture: Picture): Promise<void> {
    return this.arranger.warm(picture);
  }

  /** Lays out a view in advance; the layout caches it. */
  async rehearse(picture: Picture, view: View): Promise<void> {
    await this.arranger.scene(picture, view);
  }

  /** Releases the layouts of a Snapshot that is not shown again. */
  forget(snapshot: Snapshot): void {
    this.arranger.release((picture) => picture.snapshot === snapshot);
  }

  dispose(): void {
    this.request++;
    this.coloring.dispose();
    this.stepping?.dispose();
    this.arranger.dispose();
  }

  /** The scene in which only these groups are open, computed at once. */
  sceneOf(open: ReadonlySet<number>): Scene {
    const { picture } = this;
    const view = picture.view(open, NOTHING, undefined, NO_STRETCHES, this.splitsIn(picture));
    return picture.layout.scene(view);
  }

  private splitsIn(picture: Picture): SplitsRun | undefined {
    const { splitsRun } = this;
    return splitsRun && ((item, next) => splitsRun(picture, item, next));
  }

  // --- What is open ---------------------------------------------------------------------------------------

  /** Resolves when the new scene is shown, or at once if a newer change replaces it. */
  arrange(change: Arranged, follow: Follow): Promise<void> {
    return this.lay(change, (scene, picture) => {
      const isKept = picture === this.picture || follow.how === "camera" || follow.how === "first";
      const how = isKept ? follow : ({ how: "first" } as const);
      const item = ("item" in how ? how.item : undefined) ?? -1;
      const before = this.rectOf(item);
      return { camera: followed(how, scene, this.viewportStore.state, before, this.rectOf(item, scene)) };
    });
  }

  /** The same for callers that choose the camera and other state after the scene is known. */
  async lay(
    change: Arranged,
    settle: (scene: Scene, picture: Picture) => { readonly camera: Camera; readonly more?: Partial<State> },
  ): Promise<void> {
    const request = ++this.request;
    this.stepping?.cancelRest();
    const { picture, open, unrolled } = { ...this.state, ...change };
    this.store.set({ isBusy: true, problem: undefined });
    try {
      const stretches = this.stretching?.of(picture, open) ?? NO_STRETCHES;
      const previousX = this.stepping?.positionsOf(picture);
      const view = picture.view(open, unrolled, previousX, stretches, this.splitsIn(picture));
      const scene = await this.arranger.scene(picture, view);
      if (request !== this.request || !scene) return;
      const { camera, more } = settle(scene, picture);
      this.goTo(camera);
      const shown = { picture, open, unrolled, stretches, scene };
      const pointed = picture === this.picture ? {} : { pointed: -1 };
      this.store.set({ passage: undefined, ...pointed, ...more, ...shown, isBusy: false });
      this.stepping?.prepareLater();
    } catch (problem) {
      if (request !== this.request) return;
      const text = problem instanceof Error ? problem.message : String(problem);
      this.store.set({ isBusy: false, problem: `Layout failed: ${text}` });
    }
  }

  toggle(item: number): Promise<void> {
    const open = new Set(this.state.open);
    if (!open.delete(item)) open.add(item);
    return this.arrange({ open }, { how: "anchor", item });
  }

  /** Opens or closes a group and all that are identical or of its class. */
  toggleSimilar(item: number): Promise<void> {
    const open = withSimilar(this.picture, this.state.open, item);
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

  /** Shows the siblings that are hidden in one box. */
  unstretch(item: number): Promise<void> {
    const stretch = this.state.stretches.get(item);
    if (!stretch) return Promise.resolve();
    this.stretching?.release(stretch);
    return this.arrange({}, { how: "anchor", item });
  }

  /**
   * Opens or closes the selected group, or all similar ones, and returns it. If the selection is a box of
   * hidden siblings, shows them instead.
   */
  async toggleSelected(isSimilar: boolean): Promise<number | undefined> {
    const { selected, stretches } = this.state;
    const folded = selected.find((each) => stretches.has(each));
    const group = selected.find((each) => this.picture.isGroup(each));
    if (folded !== undefined) await this.unstretch(folded);
    else if (group !== undefined) await (isSimilar ? this.toggleSimilar(group) : this.toggle(group));
    return folded === undefined ? group : undefined;
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
    return this.setForm({ ...this.picture.form, isFolded });
  }

  /** Whether delegates have boxes, of which the largest comes into view if nothing is selected. */
  setByDelegate(isByDelegate: boolean): Promise<void> {
    return this.setForm({ ...this.picture.form, isByDelegate });
  }

  private setForm(form: Form): Promise<void> {
    const old = this.picture;
    const picture = this.pictureOf(old.graph, form);
    const same = (items: Iterable<number>): Set<number> => sameItems(old, picture, items);
    const selected = [...same(this.state.selected)];
    const isNew = form.isByDelegate && !old.form.isByDelegate;
    const item = selected[0] ?? (isNew ? largestDelegate(picture) : undefined);
    const open = same(this.state.open);
    if (item !== undefined) for (const group of picture.around(item)) open.add(group);
    this.store.set({ selected: [], edge: undefined });
    return this.arrange({ picture, open, unrolled: new Set() }, { how: "first", item }).then(() =>
      this.store.set({ selected }),
    );
  }

  /** Shows another graph, such as that of another method. */
  showGraph(graph: Graph): Promise<void> {
    const picture = this.pictureOf(graph, this.picture.form);
    const first = opening(picture, this.viewportStore.state.screen);
    this.store.set({ selected: [], edge: undefined, focus: undefined, brush: undefined });
    return this.arrange({ picture, open: first.open, unrolled: new Set() }, { how: "first" });
  }

  /** Draws the shapes and bytes of the program for other sizes of its symbols; undefined: as it is. */
  trySizes(sizes: SymbolValues | undefined, formulas?: Formulas): void {
    this.valuesOf(this.snapshot).try(sizes, formulas);
    this.store.set({ sizes });
  }

  openReport(report: string): void {
    this.store.set({ tab: "reports", report, isPanelOpen: true });
  }

  private valuesOf(snapshot: Snapshot): NodeValues {
    const values = this.values.get(snapshot) ?? new NodeValues(snapshot);
    this.values.set(snapshot, values);
    return values;
  }

  // --- What is selected -----------------------------------------------------------------------------------

  select(items: readonly number[], edge?: EdgeRef): void {
    this.history.remember();
    this.store.set({ selected: items, edge, ...(items.length || edge ? {} : { focus: undefined }) });
  }

  reveal(node: number): Promise<void> {
    return reveal(this, node);
  }

  revealItem(item: number): Promise<void> {
    return revealItem(this, item);
  }

  /** The box that shows a node when all is open; -1 if this picture has none. */
  boxShowing(node: number): number {
    return boxShowing(this.picture, node);
  }

  setFocus(focus: Focus | undefined): void {
    this.store.set({ focus });
  }

  /** The profile of the program that is shown, for the sizes that are tried. */
  profile(): Profile | undefined {
    return this.costs.of(this.stepping?.shownId() ?? "", this.snapshot, this.picture.values.sizes);
  }

  /** What the costs are while other sizes are tried; "" if there is nothing to say. */
  costsText(): string {
    const { sizes } = this.picture.values;
    return (sizes && this.costs.at(this.stepping?.shownId() ?? "", this.snapshot, sizes)?.text) ?? "";
  }

  /** The nodes of the selection. */
  selectedNodes(): number[] {
    return this.state.selected.flatMap((item) => nodesOf(this.picture, item));
  }

  // --- What is visible ------------------------------------------------------------------------------------

  goTo(target: Camera): void {
    this.viewport.goTo(target);
  }

  fit(): void {
    this.viewport.fit();
  }

  fitSelection(): void {
    this.viewport.fitItems(this.state.selected);
  }

  lookAt(item: number): void {
    this.viewport.lookAt(item);
  }

  rectOf(item: number, scene = this.state.scene): Rect | undefined {
    return rectIn(scene, item);
  }

  /** Closing it also clears its highlights. */
  showTimeline(isTimelineOpen: boolean): void {
    this.store.set({ isTimelineOpen, ...(!isTimelineOpen && { brush: undefined }) });
  }

  /** Clears one thing per call: a problem, the timeline's brush, focus, selection, search. */
  clear(): void {
    const { problem, brush, focus, selected, edge, query } = this.state;
    if (problem) this.store.set({ problem: undefined });
    else if (brush?.snapshot === this.snapshot) this.store.set({ brush: undefined });
    else if (focus) this.setFocus(undefined);
    else if (selected.length || edge) this.select([]);
    else if (query) void this.search.ask("");
  }

  bookmark(): void {
    const { selected, bookmarks } = this.state;
    const at = selected[0];
    const title = at === undefined ? this.picture.graph.path : this.nameOf(at);
    this.store.set({
      bookmarks: [...bookmarks, { title, view: this.view() }],
      notice: `Bookmarked ${title}`,
    });
  }

  /** A node's name, or a group's title. */
  private nameOf(item: number): string {
    const node = this.picture.nodeOf(item);
    return node < 0 ? this.picture.words.title(item) : this.snapshot.name(node);
  }

  view(): ViewState {
    return writeView(this.state, this.viewportStore.state);
  }

  /** Restores a saved view. */
  show(view: ViewState): Promise<void> {
    return show(this, view);
  }

  /** The picture of a graph, cached by form. */
  pictureOf(graph: Graph, form: Form, snapshot = this.snapshot): Picture {
    const known = this.pictures.get(graph) ?? new Map<string, Picture>();
    const { isFolded, isByDelegate } = form;
    const key = `${isFolded} ${isByDelegate}`;
    const picture =
      known.get(key) ??
      new Picture(snapshot, graph, isFolded, this.measure, isByDelegate, this.valuesOf(snapshot));
    this.pictures.set(graph, known.set(key, picture));
    return picture;
  }
}

const NOTHING: ReadonlySet<number> = new Set();
