/**
 * The one component that shows a comparison, whichever host mounts it. What enters: an element, programs and what was
 * found between neighbours; what leaves: a handle. A mount takes away exactly what it added.
 */
import { render } from "preact";
import type { Above, Paint } from "../canvas/look";
import { canvasMeasure } from "../canvas/text";
import type { Appearance, Theme } from "../canvas/theme";
import { CanvasView } from "../canvas/view";
import {
  asComparison,
  asTextRows,
  Changes,
  Columns,
  carriedState,
  firstSight,
  Lineup,
  openLike,
  Row,
} from "../compare";
import { costPaint, marksOf, valuePaint, withMarks } from "../compare/gauge";
import { type MeasuredSource, Measuring } from "../compare/measuring";
import { withNext } from "../compare/next";
import type { Pair } from "../compare/pair";
import { changePaint, signPrimitives } from "../compare/signs";
import type { PairPaint } from "../compare/state";
import { isLit } from "../compare/state";
import { PairApp } from "../compare/view/app";
import type { Easel } from "../compare/view/overlay";
import { Explorer, Marker } from "../explorer";
import type { Snapshot } from "../snapshot";
import type { Stages } from "../stages";
import { calmOf, followTheme, say, themeAt } from "./ground";
import { keepKeys } from "./keys";

/** Programs from left to right, and what was found between each and the next. */
export interface Compared {
  readonly snapshots: readonly Snapshot[];
  readonly between: readonly Found[];
  /** Where the programs are stages: which, and how others come to be compared. */
  readonly of?: {
    readonly stages: Stages;
    readonly ids: readonly string[];
    readonly compare: (ids: readonly string[]) => Promise<Compared>;
  };
}

/** What was found between two programs, not yet narrowed. */
export interface Found {
  readonly comparison: unknown;
  /** Rows of the two texts; asked for when they are looked at. */
  readonly text: () => Promise<unknown>;
  /** Absent where nothing was measured, and nobody can. */
  readonly measured?: MeasuredSource;
}

export interface CompareOptions {
  readonly appearance?: Appearance;
  readonly takesWheel?: boolean;
  readonly onClose?: () => void;
}

export interface MountedComparison {
  readonly ready: Promise<Columns>;
  dispose(): void;
}

/** Layouts before the screen is known: of one pane, with bars, panel and legend taken off. */
const AROUND = { width: 350, height: 41 + 34 + 33 } as const;
/** The least width of a column, as the sheet has it. */
const NARROW = 210;
const NO_SCREEN = { width: 1, height: 1 } as const;

const UNMEASURED: MeasuredSource = { known: async () => ({}), values: "Nothing was measured of these two." };

let mounts = 0;

export function mountCompare(
  host: HTMLElement,
  compared: Compared | Promise<Compared>,
  options: CompareOptions = {},
): MountedComparison {
  const root = host.ownerDocument.createElement("div");
  root.className = "exirviz-explorer exirviz-compare";
  root.dataset["appearance"] = options.appearance ?? "auto";
  host.append(root);
  const mount = new Mount(root, options, `exirviz-pair-${++mounts}`);
  const ready = Promise.resolve(compared)
    .then((given) => mount.start(given))
    .catch((problem: unknown) => {
      mount.fail(problem);
      throw problem;
    });
  ready.catch(() => undefined); // it is shown; whoever waits for `ready` hears of it too
  return { ready, dispose: () => mount.dispose() };
}

class Mount {
  private columns: Columns | undefined;
  private views: readonly CanvasView[] = [];
  /** Of each pair. */
  private measured: readonly Measuring[] = [];
  private readonly measurings = new Map<Found, Measuring>();
  private compared: Compared = { snapshots: [], between: [] };
  /** By program: its mind, and by mind its canvas, for as long as it has a column. */
  private readonly minds = new Map<string, Explorer>();
  private readonly canvases = new Map<Explorer, CanvasView>();
  private request = 0;
  private theme: Theme;
  private readonly painted = new Set<() => void>();
  private readonly off: (() => void)[] = [];
  private isGone = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly options: CompareOptions,
    private readonly name: string,
  ) {
    this.theme = themeAt(this.root, this.options.appearance);
    this.off.push(keepKeys(root));
    say(this.root, "exirviz-waiting", "Reading the programs…");
  }

  start(compared: Compared): Columns {
    if (this.isGone) throw new Error("The comparison was closed before its programs were read.");
    this.root.textContent = "";
    const columns = this.show(compared);
    const room = this.root.clientWidth - AROUND.width;
    columns.store.set({ isPanelOpen: room >= Math.max(550, NARROW * columns.explorers.length) });
    this.follow(this.root.ownerDocument);
    return columns;
  }

  /** Shows these programs; a column that stood before stays what it was. */
  private show(compared: Compared): Columns {
    const { snapshots, of } = compared;
    const before = this.columns;
    const row = new Row(
      snapshots.map((_, column) => this.mind(compared, column)),
      changesOf(compared),
    );
    const lineup = of && new Lineup(of.ids, of.stages, (ids) => void this.lineUp(of.compare, ids));
    if (before) openLike(row, new Set(before.explorers));
    else this.open(row);
    const columns = new Columns(row, before && carriedState(before, row), lineup);
    before?.dispose();
    this.columns = columns;
    this.compared = compared;
    this.measured = compared.between.map((found, at) => this.measuring(found, row.pair(at)));
    this.views = row.explorers.map((explorer) => this.canvas(explorer));
    columns.cameras.jump = (column, camera) => this.views[column]?.moved(camera);
    columns.store.subscribe((state, was) => {
      if (state.paint !== was.paint) this.color();
      // While the pointer moves, only columns are painted in which something lights up or goes out.
      const isPointer = state.hovered !== was.hovered && state.nodes === was.nodes;
      this.views.forEach((view, column) => {
        if (!isPointer || isLit(state.hovered, column) || isLit(was.hovered, column)) view.request();
      });
    });
    this.leave();
    this.color();
    this.draw();
    if (before) columns.resume();
    return columns;
  }

  /** Other stages are to stand in the columns; a later wish comes first. */
  private async lineUp(compare: (ids: readonly string[]) => Promise<Compared>, ids: readonly string[]) {
    const request = ++this.request;
    this.columns?.store.set({ isBusy: true, problem: "" });
    try {
      const compared = await compare(ids);
      if (request === this.request && !this.isGone) this.show(compared);
    } catch (problem) {
      if (request !== this.request) return;
      const text = problem instanceof Error ? problem.message : String(problem);
      this.columns?.store.set({ isBusy: false, problem: `These cannot be compared. ${text}` });
    }
  }

  private mind(compared: Compared, column: number): Explorer {
    const id = idOf(compared, column);
    const measure = canvasMeasure(this.theme, this.root.ownerDocument);
    const found =
      this.minds.get(id) ?? new Explorer(compared.snapshots[column] as Snapshot, measure, NO_SCREEN);
    this.minds.set(id, found);
    return found;
  }

  /** Once the first scene is chosen: what comes before is not to be seen moving there. */
  private canvas(explorer: Explorer): CanvasView {
    const document = this.root.ownerDocument;
    const measure = canvasMeasure(this.theme, document);
    const found =
      this.canvases.get(explorer) ??
      new CanvasView(explorer, new Marker(), measure, this.theme, document, calmOf(document));
    this.canvases.set(explorer, found);
    return found;
  }

  /** What is measured of two programs is kept for as long as they stand beside each other. */
  private measuring(found: Found, { changes }: Pair): Measuring {
    const known = this.measurings.get(found) ?? new Measuring(changes, found.measured ?? UNMEASURED);
    if (!this.measurings.has(found)) {
      known.store.subscribe((state, was) => {
        if (state.values !== was.values || state.costs !== was.costs) this.color();
      });
    }
    this.measurings.set(found, known);
    return known;
  }

  /** What has no column any more goes. */
  private leave(): void {
    for (const [found, measuring] of this.measurings) {
      if (this.compared.between.includes(found)) continue;
      measuring.dispose();
      this.measurings.delete(found);
    }
    const ids = new Set(this.compared.snapshots.map((_, column) => idOf(this.compared, column)));
    for (const [id, explorer] of this.minds) {
      if (ids.has(id)) continue;
      this.canvases.get(explorer)?.dispose();
      this.canvases.delete(explorer);
      explorer.dispose();
      this.minds.delete(id);
    }
  }

  fail(problem: unknown): void {
    const text = problem instanceof Error ? problem.message : String(problem);
    say(this.root, "exirviz-failed", `This comparison cannot be shown. ${text}`);
    const { onClose } = this.options;
    if (!onClose) return;
    const back = this.root.ownerDocument.createElement("button");
    back.className = "exirviz-button";
    back.textContent = "‹ back";
    back.addEventListener("click", onClose);
    this.root.firstChild?.before(back);
  }

  dispose(): void {
    this.isGone = true;
    for (const off of this.off) off();
    render(null, this.root);
    this.columns?.dispose();
    this.compared = { snapshots: [], between: [] };
    this.leave();
    this.root.remove();
  }

  /** All begin with what changed. */
  private open(row: Row): void {
    const width = Math.max(200, (this.root.clientWidth - AROUND.width) / row.explorers.length);
    const height = Math.max(200, this.root.clientHeight - AROUND.height);
    const { open, scenes } = firstSight(row, { width, height });
    row.explorers.forEach(({ store }, column) => {
      const [own, scene] = [open[column], scenes[column]];
      if (own && scene) store.set({ open: own, scene });
    });
  }

  /** The colours of changes, in the theme that is. */
  private color(): void {
    const { columns, views, theme } = this;
    views.forEach((view, column) => {
      if (!columns) return;
      const { row } = columns;
      view.theme = theme;
      view.boxPaint = this.paintOf(columns, column);
      const { values } = this.measuredOf(column)?.store.state ?? {};
      const isTold = (): boolean => this.paintAt(column) === "changes";
      const signs: Above = (look, camera, screen) => {
        for (const tell of this.painted) tell();
        return signPrimitives(
          isTold() ? row.tally(column) : undefined,
          columns.lit(column),
          look,
          camera,
          screen,
        );
      };
      const above = withNext(signs, () => (isTold() ? row.nextTally(column) : undefined));
      view.above = values ? withMarks(above, marksOf(values, row.toldOf(column).side)) : above;
    });
  }

  private measuredOf(column: number): Measuring | undefined {
    const pair = this.columns?.row.toldOf(column).pair;
    return pair && this.measured[pair.at];
  }

  /** What is chosen, as far as it was measured; else what changed. */
  private paintAt(column: number): PairPaint {
    const { values, costs } = this.measuredOf(column)?.store.state ?? {};
    const paint = this.columns?.state.paint ?? "changes";
    return (paint === "values" && values) || (paint === "costs" && costs) ? paint : "changes";
  }

  private paintOf({ row }: Columns, column: number): Paint {
    const { theme } = this;
    const { pair, side } = row.toldOf(column);
    const { values, costs } = this.measuredOf(column)?.store.state ?? {};
    const paint = this.paintAt(column);
    if (paint === "values" && values) return valuePaint(values, side, row.explorer(column), theme);
    if (paint === "costs" && costs) return costPaint(costs, pair, side, theme);
    return changePaint(
      () => row.tally(column),
      theme,
      () => row.explorer(column).state.scene,
    );
  }

  private draw(): void {
    const { columns, views } = this;
    if (!columns) return;
    render(
      <PairApp
        columns={columns}
        views={views}
        measured={this.measured}
        isDark={this.theme.isDark}
        mount={this.name}
        takesWheel={this.options.takesWheel ?? false}
        text={this.rows}
        easel={this.easel}
        onPaint={this.onPaint}
        onClose={this.options.onClose}
      />,
      this.root,
    );
  }

  /** What a picture of both programs is painted with. */
  private get easel(): Easel {
    const { theme } = this;
    const document = this.root.ownerDocument;
    const measure = canvasMeasure(theme, document);
    const isCalm = calmOf(document);
    return {
      measure,
      theme,
      canvas: (explorer) => new CanvasView(explorer, new Marker(), measure, theme, document, isCalm),
    };
  }

  private readonly rows = async (at: number) => asTextRows(await this.compared.between[at]?.text());

  private readonly onPaint = (tell: () => void): (() => void) => {
    this.painted.add(tell);
    return () => this.painted.delete(tell);
  };

  private follow(document: Document): void {
    const change = (): void => {
      this.theme = themeAt(this.root, this.options.appearance);
      this.color();
      this.draw();
    };
    this.off.push(followTheme(document, change));
  }
}

/** Stages by themselves, so that they are known again; else by their place. */
const idOf = ({ of }: Compared, column: number): string => of?.ids[column] ?? String(column);

function changesOf({ snapshots, between }: Compared): Changes[] {
  return between.map(({ comparison }, at) => {
    const [a, b] = snapshots.slice(at, at + 2) as [Snapshot, Snapshot];
    return new Changes(asComparison(comparison, [a.nodeCount, b.nodeCount]), [a, b]);
  });
}
