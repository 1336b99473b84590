/**
 * The one component that shows a comparison, whichever host mounts it. What enters: an element, programs and what was
 * found between neighbours; what leaves: a handle. A mount takes away exactly what it added.
 */
import { render } from "preact";
import { canvasMeasure } from "../canvas/text";
import type { Appearance, Theme } from "../canvas/theme";
import { CanvasView } from "../canvas/view";
import { asComparison, asTextRows, Changes, Columns, firstSight, Row } from "../compare";
import { changePaint, signPrimitives } from "../compare/signs";
import { PairApp } from "../compare/view/app";
import { Explorer, Marker } from "../explorer";
import type { Measure } from "../picture";
import type { Snapshot } from "../snapshot";
import { calmOf, followTheme, say, themeAt } from "./ground";
import { keepKeys } from "./keys";

/** Programs from left to right, and what was found between each and the next. */
export interface Compared {
  readonly snapshots: readonly Snapshot[];
  readonly between: readonly Found[];
}

/** What was found between two programs, not yet narrowed. */
export interface Found {
  readonly comparison: unknown;
  /** Rows of the two texts; asked for when they are looked at. */
  readonly text: () => Promise<unknown>;
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
const NO_SCREEN = { width: 1, height: 1 } as const;

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
  private between: Compared["between"] = [];
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

  start({ snapshots, between }: Compared): Columns {
    if (this.isGone) throw new Error("The comparison was closed before its programs were read.");
    const changes = between.map(({ comparison }, at) => {
      const [a, b] = snapshots.slice(at, at + 2) as [Snapshot, Snapshot];
      return new Changes(asComparison(comparison, [a.nodeCount, b.nodeCount]), [a, b]);
    });
    const measure = canvasMeasure(this.theme, this.root.ownerDocument);
    const explorers = snapshots.map((snapshot) => new Explorer(snapshot, measure, NO_SCREEN));
    const row = new Row(explorers, changes);
    this.open(row);
    this.between = between;
    const columns = new Columns(row);
    this.columns = columns;
    this.views = explorers.map((explorer) => this.view(explorer, measure));
    columns.cameras.jump = (column, camera) => this.views[column]?.moved(camera);
    columns.store.set({ isPanelOpen: this.root.clientWidth >= 900 });
    this.off.push(
      columns.store.subscribe(() => {
        for (const view of this.views) view.request();
      }),
    );
    this.root.textContent = "";
    this.color();
    this.draw();
    this.follow(this.root.ownerDocument);
    return columns;
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
    for (const view of this.views) view.dispose();
    this.columns?.dispose();
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

  private view(explorer: Explorer, measure: Measure): CanvasView {
    const document = this.root.ownerDocument;
    return new CanvasView(explorer, new Marker(), measure, this.theme, document, calmOf(document));
  }

  /** The colours of changes, in the theme that is. */
  private color(): void {
    const { columns, views, theme } = this;
    views.forEach((view, column) => {
      if (!columns) return;
      const { row } = columns;
      view.theme = theme;
      view.boxPaint = changePaint(
        () => row.tally(column),
        theme,
        () => row.explorer(column).state.scene,
      );
      view.above = (look, camera, screen) => {
        for (const tell of this.painted) tell();
        const lit = { slots: columns.lit(column), isSameHidden: false };
        return signPrimitives(row.tally(column), lit, look, camera, screen);
      };
    });
  }

  private draw(): void {
    const { columns, views } = this;
    if (!columns) return;
    render(
      <PairApp
        columns={columns}
        views={views}
        isDark={this.theme.isDark}
        mount={this.name}
        takesWheel={this.options.takesWheel ?? false}
        text={this.rows}
        onPaint={this.onPaint}
        onClose={this.options.onClose}
      />,
      this.root,
    );
  }

  private readonly rows = async (at: number) => asTextRows(await this.between[at]?.text());

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
