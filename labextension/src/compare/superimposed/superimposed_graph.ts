/**
 * Controller for a superimposed graph. Its selection is copied to the columns, so that lists, panel and texts
 * show it, and theirs is copied to it. No DOM.
 */
import type { Removed } from "../../canvas/removed_boxes";
import { Explorer } from "../../explorer";
import type { Scene } from "../../layout";
import { type Measure, NO_STRETCHES, type Picture, type Screen } from "../../picture";
import { NONE } from "../../snapshot";
import type { State } from "../../store";
import { slotsOfNodes } from "../camera/scene_offset";
import type { Columns } from "../columns/columns";
import { initialExpansion, type Opened } from "../columns/initial_expansion";
import { type Folded, UnchangedRuns } from "../columns/unchanged_runs";
import { groupWords } from "../model/change_summary";
import type { Side } from "../model/changes";
import type { Pair } from "../model/pair";
import { Tally } from "../model/tally";
import { colorOf } from "../view/change_colors";
import { UnitedProgram } from "./united_program";

export class SuperimposedGraph {
  readonly union: UnitedProgram;
  readonly explorer: Explorer;
  private known: { readonly picture: Picture; readonly tally: Tally } | undefined;
  /** The graph as a row with one column. */
  private readonly alone: Opened & Folded;
  private readonly removedByScene = new WeakMap<Scene, Removed>();
  /** The match under the pointer. */
  private hovered: number = NONE;
  private isFollowing = false;
  private isChoosing = false;
  private readonly off: (() => void)[];

  constructor(
    private readonly columns: Columns,
    readonly pair: Pair,
    measure: Measure,
    screen: Screen,
  ) {
    this.union = new UnitedProgram(pair.changes);
    this.explorer = new Explorer(this.union.snapshot, measure, screen);
    this.alone = {
      columns: [0],
      explorers: [this.explorer],
      explorer: () => this.explorer,
      tally: () => this.tally,
      counterpart: (_, item) => item,
      counterparts: (_, items) => [items],
      isSame: (_, item) => this.isSame(item),
    };
    this.explorer.splitsRun = (picture, item, next) =>
      picture === this.explorer.picture && this.tally.splitsRun(item, next);
    this.foldSame();
    this.openFirst(screen);
    this.off = [
      this.explorer.store.subscribe((state, before) => {
        if (state.selected !== before.selected && !this.isFollowing) this.copySelection(state);
      }),
      columns.store.subscribe(({ at, match, groups, isSameHidden }, before) => {
        if (isSameHidden !== before.isSameHidden) void this.hideSame();
        const isOther = match !== before.match || at !== before.at;
        const isModule = match < 0 && groups !== before.groups && groups.some((each) => each.length > 0);
        if (at !== pair.at || this.isChoosing) return;
        if (isModule) void this.showBoxes(this.moduleBoxes());
        else if (isOther) void this.show(match);
      }),
    ];
    if (columns.state.isSameHidden) void this.hideSame();
    void this.show(columns.state.at === pair.at ? columns.state.match : NONE);
  }

  dispose(): void {
    for (const off of this.off) off();
    this.explorer.dispose();
  }

  /** The changes in the boxes of the graph that is shown. */
  get tally(): Tally {
    const { picture } = this.explorer;
    if (this.known?.picture !== picture)
      this.known = { picture, tally: new Tally(this.union.changes, picture, 1) };
    return this.known.tally;
  }

  removed(scene: Scene): Removed {
    const known = this.removedByScene.get(scene);
    if (known) return known;
    const found = { ...removedIn(this.union, this.explorer.picture, scene), color: colorOf("removed") };
    this.removedByScene.set(scene, found);
    return found;
  }

  /** The pointer is on a slot; -1 for none. */
  hover(slot: number): void {
    const { scene, picture } = this.explorer.state;
    const node = slot < 0 ? -1 : picture.nodeOf(scene.item[slot] ?? -1);
    this.hovered = node < 0 ? NONE : this.union.changes.of(1, node);
  }

  /** The boxes of the match under the pointer, else of the selected match. */
  highlighted(): ReadonlySet<number> {
    const { state } = this.columns;
    const { state: shown } = this.explorer;
    const match = this.hovered === NONE ? state.match : this.hovered;
    const nodes = match < 0 || state.at !== this.pair.at ? [] : this.union.changes.nodes(match, 1);
    if (nodes.length < 2) return NOTHING;
    const selected = new Set(shown.selected.map((item) => shown.scene.slotOf[item]));
    return new Set(slotsOfNodes(nodes, shown).filter((slot) => !selected.has(slot)));
  }

  /** The text about a box for tooltips and screen readers. */
  words(item: number): string {
    const { picture, state } = this.explorer;
    return picture.isGroup(item)
      ? groupWords(this.tally, state.scene, item)
      : this.nodeWords(picture.nodeOf(item));
  }

  private nodeWords(node: number): string {
    const { changes } = this.union;
    const match = node < 0 ? NONE : changes.of(1, node);
    if (match === NONE) return "";
    const kind = changes.kind(match);
    if (kind === "removed") return "− removed: only the program before has it";
    if (kind === "added") return "+ added: only the program after has it";
    if (kind === "same") return "in both";
    const fields = changes.fields(match).join(", ");
    if (kind === "rewritten") return `⇄ rewritten from ${changes.ops(match, 0)}`;
    return kind === "moved" ? `↷ moved${fields && `: ${fields}`}` : `~ changed: ${fields}`;
  }

  /** The nodes of a match. */
  private async show(match: number): Promise<void> {
    const nodes = match < 0 ? [] : this.union.changes.nodes(match, 1);
    const boxes = nodes.map((node) => this.explorer.boxShowing(node));
    await this.showBoxes([...new Set(boxes)].filter((item) => item >= 0));
  }

  /** The boxes of the selected module. */
  private moduleBoxes(): number[] {
    const { pair, union } = this;
    const { groups, leader } = this.columns.state;
    const side: Side = leader === pair.at ? 0 : 1;
    const { picture: there } = pair.explorers[side];
    return (groups[pair.at + side] ?? []).slice(0, 1).flatMap((item) => {
      const own = there.scopeOf(item);
      const scope = side === 1 ? own : (union.changes.module(0, own)?.b ?? NONE);
      return scope === NONE
        ? []
        : (this.counterpartBox(there, item, side, this.explorer.picture, scope) ?? []);
    });
  }

  /**
   * The box of a module in another graph: the one in the same subgraph, else the first. Graphs of b keep
   * their indices in both.
   */
  private counterpartBox(
    from: Picture,
    item: number,
    side: Side,
    to: Picture,
    scope: number,
  ): number | undefined {
    const counterpart = side === 1 ? to.moduleItem(from.graphAround(item).number, scope) : undefined;
    return counterpart ?? to.firstModule(scope);
  }

  /** Opens the groups around boxes, selects the boxes and brings them into view. */
  private async showBoxes(boxes: readonly number[]): Promise<void> {
    const { explorer } = this;
    this.isFollowing = true;
    explorer.store.set({ selected: boxes, edge: undefined });
    this.isFollowing = false;
    const [first] = boxes;
    if (first === undefined) return;
    const { picture, state } = explorer;
    const open = new Set([...state.open, ...boxes.flatMap((item) => picture.around(item))]);
    const isHidden = boxes.some((item) => state.scene.item[state.scene.slotOf[item] ?? -1] !== item);
    if (open.size > state.open.size || isHidden)
      await explorer.arrange({ open }, { how: "reveal", item: first });
    else explorer.lookAt(first);
  }

  /** Copies the selection to the column that it belongs to. */
  private copySelection({ picture, selected }: State): void {
    this.isChoosing = true;
    const [item] = selected;
    const { side, boxes } =
      item === undefined ? { side: 1 as Side, boxes: [] } : this.inColumn(picture, item);
    const column = this.pair.at + side;
    this.columns.lead(column);
    this.columns.row.explorer(column).select(boxes);
    this.isChoosing = false;
  }

  /** The side that a box belongs to, and its box there. */
  private inColumn(
    picture: Picture,
    item: number,
  ): { readonly side: Side; readonly boxes: readonly number[] } {
    const node = picture.nodeOf(item);
    const origin = node < 0 ? undefined : this.union.originOf(node);
    if (origin) {
      const box = this.pair.explorers[origin.side].boxShowing(origin.node);
      return { side: origin.side, boxes: box < 0 ? [] : [box] };
    }
    const scope = picture.scopeOf(item);
    const side: Side = scope >= this.pair.changes.snapshots[1].scopes.length ? 0 : 1;
    const own = side === 1 ? scope : (this.union.changes.module(1, scope)?.a ?? NONE);
    const { picture: there } = this.pair.explorers[side];
    const box = own === NONE ? undefined : this.counterpartBox(picture, item, side, there, own);
    return { side, boxes: box === undefined ? [] : [box] };
  }

  private openFirst(screen: Screen): void {
    const { open, scenes } = initialExpansion(this.alone, screen);
    const [[own], [scene]] = [open, scenes];
    if (own && scene) this.explorer.store.set({ open: own, scene });
  }

  /** Hides unchanged boxes in runs while that is wanted. */
  private foldSame(): void {
    const stretches = new UnchangedRuns(this.alone);
    this.explorer.stretching = {
      of: (picture, open) =>
        this.columns.state.isSameHidden && picture === this.explorer.picture
          ? stretches.of(0, open)
          : NO_STRETCHES,
      release: (stretch) => stretches.release(0, stretch),
    };
  }

  private async hideSame(): Promise<void> {
    this.foldSame();
    await this.explorer.arrange({}, { how: "fit" });
  }

  private isSame(item: number): boolean {
    const { tally, explorer } = this;
    return explorer.picture.isGroup(item) ? tally.changesIn(item) === 0 : tally.kind(item) === "same";
  }
}

const NOTHING: ReadonlySet<number> = new Set();

/** The boxes and lines of a scene of both programs that only the first program has. Pure. */
export function removedIn(
  union: UnitedProgram,
  picture: Picture,
  scene: Scene,
): { readonly boxes: ReadonlySet<number>; readonly edges: ReadonlySet<number> } {
  const isGhost = (item: number): boolean => {
    const node = picture.nodeOf(item);
    return node >= 0 && union.isGhost(node);
  };
  const boxes = new Set<number>();
  scene.item.forEach((item, slot) => {
    if (!picture.isGroup(item) && isGhost(item)) boxes.add(slot);
  });
  const edges = new Set<number>();
  scene.edgeValue.forEach((value, edge) => {
    const target = scene.edgeTarget[edge] ?? -1;
    if (isGhost(value) || usersIn(picture, scene, value, target).every(isGhost)) edges.add(edge);
  });
  return { boxes, edges };
}

/** The visible leaves that read a value, by slot. */
function usersIn(picture: Picture, scene: Scene, leaf: number, slot: number): number[] {
  const { edgeStart, edgeTarget } = picture.tree;
  const seenIn = (item: number): number => {
    for (let at = item; at >= 0; at = picture.parentOf(at))
      if ((scene.slotOf[at] ?? -1) >= 0) return scene.slotOf[at] ?? -1;
    return -1;
  };
  return Array.from(edgeTarget.subarray(edgeStart[leaf], edgeStart[leaf + 1])).filter(
    (user) => seenIn(user) === slot,
  );
}
