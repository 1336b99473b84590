/**
 * Steps between stages: another Snapshot is shown, and what exists in both stays in place. Open modules stay
 * open, the selection moves to descendants or ancestors, and the query runs again.
 */

import type { Camera } from "../geometry/camera";
import { opening, type Picture } from "../picture";
import { grouped, type Snapshot } from "../snapshot";
import {
  across,
  type Counterparts,
  comparedFirst,
  counterparts,
  type Move,
  moved,
  NO_MAPPING,
  type NodeRelatives,
  nodeCounterparts,
  passage,
  StablePositions,
  type StageMapping,
  type Stages,
} from "../stages";
import { plural, visible } from "../ui/text";
import type { Explorer } from "./explorer";
import { nodesOf } from "./focus";
import { warmNeighbours } from "./prefetch";
import { sameGraph } from "./show_view";
import { cameraAcross } from "./stage_camera";

/** Milliseconds after which the neighbours of a stage are read; slightly longer than the motion. */
const REST = 500;

/**
 * A transferred selection and its source: the next step starts from the source, else the selection would only
 * grow.
 */
interface SelectionSource {
  readonly carried: readonly number[];
  readonly stage: string;
  readonly nodes: readonly number[];
}

/** `camera`: the new camera, if not derived from the old one. `isNoted`: whether back returns here. */
interface GoOptions {
  readonly camera?: Camera | undefined;
  readonly isNoted?: boolean;
}

/** The correspondence of two pictures. */
type Pairs = Counterparts & NodeRelatives;

function pairsBetween(old: Picture, picture: Picture, mapping: StageMapping): Pairs {
  const { before, ...relatives } = nodeCounterparts(old.snapshot, picture.snapshot, mapping);
  return { ...counterparts(old, picture, before), ...relatives };
}

export class Stepping {
  private readonly positions = new WeakMap<Picture, StablePositions>();
  private readonly pairs = new WeakMap<Picture, WeakMap<Picture, Pairs>>();
  /** The groups that were open in a picture when it was left. */
  private readonly opened = new WeakMap<Picture, ReadonlySet<number>>();
  private trail: SelectionSource | undefined;
  private request = 0;
  private warming = 0;
  /** Counts shown stages, to end preparations for an earlier one. */
  private turn = 0;
  private wanted: string;
  /** Compares stages side by side, from left to right; absent if that is impossible. */
  onCompare: ((ids: readonly string[]) => void) | undefined;
  private readonly off: () => void;

  constructor(
    private readonly explorer: Explorer,
    readonly stages: Stages,
  ) {
    this.wanted = stages.source.state.at;
    // The Snapshot is released when another one is shown.
    stages.onDeleted = (snapshot) => snapshot !== explorer.snapshot && explorer.forget(snapshot);
    this.off = stages.source.subscribe(() => this.follow());
  }

  positionsOf(picture: Picture): Float64Array | undefined {
    return this.positions.get(picture)?.all;
  }

  /** The Snapshot for a stage; undefined if there is no such stage. */
  async find(stage: string | undefined): Promise<{ stage: string; snapshot: Snapshot } | undefined> {
    if (stage === undefined || !this.stages.record(stage)) return undefined;
    return { stage, snapshot: await this.stages.snapshot(this.stages.shown(stage).id) };
  }

  /**
   * Resolves when the stage is shown, or at once if a newer step replaces it. Errors are put into the state.
   */
  async go(stage: string, { camera, isNoted = true }: GoOptions = {}): Promise<void> {
    const { explorer } = this;
    const request = ++this.request;
    if (stage === explorer.state.stage) return;
    if (isNoted) explorer.history.remember();
    try {
      const from = this.shownId();
      const to = this.stages.shown(stage).id;
      if (from === to) {
        explorer.store.set({ stage });
        return;
      }
      explorer.store.set({ isBusy: true, problem: undefined });
      const [snapshot, mapping] = await Promise.all([
        this.stages.snapshot(to),
        this.stages.mapping(from, to).catch(() => NO_MAPPING),
      ]);
      if (request === this.request) await this.show(stage, snapshot, mapping, camera);
    } catch (problem) {
      if (request !== this.request) return;
      const text = problem instanceof Error ? problem.message : String(problem);
      explorer.store.set({ isBusy: false, problem: `Cannot show this stage: ${text}` });
    }
  }

  /** Whether this stage is shown. */
  shows(stage: string): boolean {
    return this.explorer.state.stage === stage;
  }

  /** Compares the shown stage with its parent, or its first child, if that is possible. */
  compare(): void {
    const compared = this.comparedFirst;
    if (compared && !this.whyNotCompared()) this.onCompare?.(compared);
  }

  /** Why two stages cannot be compared, by default those of `compare`; "" if they can. */
  whyNotCompared(stages = this.comparedFirst): string {
    const { comparing } = this.stages.source;
    if (!stages) return "No other stage has a program to compare with.";
    if (!this.onCompare || !comparing)
      return "This page has no comparisons. In a notebook, any two stages can be compared.";
    return comparing.whyNot?.(...stages) ?? "";
  }

  private get comparedFirst(): readonly [string, string] | undefined {
    return comparedFirst(this.stages.tree, this.shownId());
  }

  /** To a neighbour in the tree, if there is one. */
  async move(move: Move): Promise<void> {
    const stage = moved(this.stages.tree, this.explorer.state.stage, move);
    if (stage !== undefined) await this.go(stage);
  }

  /** Shows a stage and reveals a node of it. */
  async reveal(stage: string, node: number): Promise<void> {
    await this.go(stage);
    if (this.explorer.state.stage === stage) await this.explorer.reveal(node);
  }

  /** The shown stage changed: prepares its neighbours after a while. */
  prepareLater(): void {
    this.cancelRest();
    const { turn } = this;
    const warm = (): Promise<void> => warmNeighbours(this.explorer, () => turn !== this.turn);
    this.warming = Number(setTimeout(() => void warm(), REST));
  }

  /** A layout was requested: preparations must stop, because only the newest request counts. */
  cancelRest(): void {
    clearTimeout(this.warming);
    this.turn++;
  }

  dispose(): void {
    this.cancelRest();
    this.request++;
    this.off();
    this.stages.dispose();
  }

  /** Lays out in advance what a step to a stage would show. */
  async rehearse(stage: string, isOver: () => boolean): Promise<void> {
    const [snapshot, mapping] = await Promise.all([
      this.stages.snapshot(stage),
      this.stages.mapping(this.shownId(), stage),
    ]);
    if (isOver()) return;
    const { picture: old, scene } = this.explorer.state;
    const { picture, pairs, open, unrolled } = this.plan(snapshot, mapping);
    const positions = this.positionsIn(picture).copy();
    positions.take(open, old, scene, pairs.before);
    await this.explorer.rehearse(picture, picture.view(open, unrolled, positions.all));
  }

  private async show(
    stage: string,
    snapshot: Snapshot,
    mapping: StageMapping,
    seen: Camera | undefined,
  ): Promise<void> {
    const { explorer } = this;
    const { state } = explorer;
    const old = state.picture;
    const from = this.shownId();
    const { picture, pairs, open, unrolled } = this.plan(snapshot, mapping);
    this.opened.set(old, state.open);
    this.positionsIn(old).keep(state.open);
    this.positionsIn(picture).take(open, old, state.scene, pairs.before);
    const carried = await this.selection(stage, picture, mapping, pairs);
    const { selected } = carried;
    const { camera, target, screen } = explorer.viewportStore.state;
    const before = {
      picture: old,
      scene: state.scene,
      selected: state.selected,
      camera: target ?? camera,
      screen,
    };
    await explorer.lay({ picture, open, unrolled }, (scene) => ({
      camera: seen ?? cameraAcross(before, { picture, scene, selected }, pairs.after),
      more: {
        stage,
        selected,
        notice:
          carried.nodes === undefined
            ? ""
            : selectionChangeText(carried.nodes, selected.length, this.named(stage)),
        edge: undefined,
        results: { nodes: [], at: -1, of: "" },
        passage: passage({ picture: old, scene: state.scene }, { picture, scene }, pairs, pairs),
      },
    }));
    if (!this.stages.record(from)) explorer.forget(old.snapshot);
    if (explorer.state.query) void explorer.search.ask(explorer.state.query);
  }

  /** What a step to another Snapshot shows: its picture, the correspondence, and what is open. */
  private plan(snapshot: Snapshot, mapping: StageMapping) {
    const { explorer } = this;
    const { picture: old, unrolled } = explorer.state;
    const picture = explorer.pictureOf(sameGraph(explorer, snapshot), old.form, snapshot);
    const pairs = this.pairsOf(old, picture, mapping);
    const open = this.openIn(picture, pairs);
    return { picture, pairs, open, unrolled: across(unrolled, withTop(pairs.after, picture.count)) };
  }

  /** Cached for two pictures, because stages do not change. */
  private pairsOf(old: Picture, picture: Picture, mapping: StageMapping): Pairs {
    const known = this.pairs.get(old) ?? new WeakMap<Picture, Pairs>();
    const found = known.get(picture) ?? pairsBetween(old, picture, mapping);
    this.pairs.set(old, known.set(picture, found));
    return found;
  }

  /** The stage whose Snapshot is shown, also if it was deleted. */
  shownId(): string {
    const { stage } = this.explorer.state;
    return this.stages.record(stage) ? this.stages.shown(stage).id : stage;
  }

  /**
   * The groups that correspond to open ones, and those that only the other stage has and were open there; if
   * there are none, as many as fit the screen.
   */
  private openIn(picture: Picture, { before, after }: Counterparts): ReadonlySet<number> {
    const { state, viewportStore } = this.explorer;
    const own = [...(this.opened.get(picture) ?? [])].filter((item) => before[item] === -1);
    const open = new Set([...across(state.open, after), ...own].filter((item) => picture.isGroup(item)));
    return open.size || !state.open.size ? open : opening(picture, viewportStore.state.screen).open;
  }

  private named(stage: string): string {
    return visible(this.stages.record(stage)?.name ?? "");
  }

  /** The selection in the other stage, and the nodes it comes from; modules correspond to themselves. */
  private async selection(
    stage: string,
    picture: Picture,
    mapping: StageMapping,
    { after }: Counterparts,
  ): Promise<{ readonly selected: readonly number[]; readonly nodes?: number }> {
    const { state } = this.explorer;
    const isTransferred = this.trail?.carried === state.selected;
    const origin = isTransferred && this.trail ? this.trail : undefined;
    const groups = state.selected.filter((item) => state.picture.isGroup(item) && after[item] !== -1);
    if (!origin && groups.length === state.selected.length)
      return { selected: groups.map((item) => after[item] ?? -1) };
    const nodes = origin?.nodes ?? state.selected.flatMap((item) => nodesOf(state.picture, item));
    const from = origin?.stage ?? this.shownId();
    const to = this.stages.shown(stage).id;
    const way = origin ? await this.stages.mapping(from, to) : mapping;
    const found = nodes.flatMap((node) => way.nodes(node));
    // Do not select a delegate's call if its ops are drawn.
    const own = found.filter((node) => picture.nodeOf(picture.boxOf(node)) === node);
    const boxes = (own.length ? own : found).map((node) => picture.boxOf(node));
    const carried = [...new Set(boxes)].filter((item) => item >= 0);
    this.trail = { carried, stage: from, nodes };
    return { selected: carried, nodes: nodes.length };
  }

  private positionsIn(picture: Picture): StablePositions {
    const positions = this.positions.get(picture) ?? new StablePositions(picture);
    this.positions.set(picture, positions);
    return positions;
  }

  /** The source wants another stage to be shown, or deleted the shown one. */
  private follow(): void {
    const { at } = this.stages.source.state;
    const isDeleted = !this.stages.record(this.explorer.state.stage);
    if (at === this.wanted && !isDeleted) return;
    this.wanted = at;
    void this.go(at);
  }
}

/** The change in the number of selected nodes; empty if it is the same. */
export function selectionChangeText(before: number, after: number, stage: string): string {
  if (before === after) return "";
  const was = `${plural(before, "selected node")}`;
  return after === 0
    ? `${was} ${before === 1 ? "has" : "have"} no counterpart in ${stage}`
    : `${was} became ${grouped(after)} in ${stage}${after > 1 ? ": all are selected" : ""}`;
}

/** The tops of two pictures correspond. */
function withTop(after: Int32Array, top: number): Int32Array {
  const all = new Int32Array(after.length + 1).fill(top);
  all.set(after);
  return all;
}
