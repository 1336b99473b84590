/**
 * The component that shows a comparison in every host. Input: an element, programs, and the changes between
 * neighbours. Output: a handle. A mount removes exactly what it added.
 */
import { render } from "preact";
import type { Appearance, Theme } from "../canvas/theme";
import { asTextRows, Columns, initialExpansion, keptState, openLike, Row, StageColumns } from "../compare";
import { type Compared, changesOf } from "../compare/model/compared_programs";
import { isHighlighted, type PairState } from "../compare/model/state";
import { PairApp } from "../compare/view/app";
import { color, type Shown } from "../compare/view/coloring";
import { writeBytesIn } from "../snapshot/format";
import { uniqueName } from "../ui/unique_name";
import { ColumnCache } from "./column_cache";
import { followTheme, inPage, REST, say, themeAt } from "./host_page";
import { keepKeys } from "./keys";
import { pageSettings } from "./page_settings";

export interface CompareOptions {
  readonly appearance?: Appearance;
  readonly takesWheel?: boolean;
  readonly onClose?: () => void;
}

export interface MountedComparison {
  readonly ready: Promise<Columns>;
  dispose(): void;
}

/** For layouts before the screen is known: bars, panel and legend around one pane. */
const AROUND = { width: 350, height: 41 + 34 + 33 } as const;
/** Narrower columns get the space of the panel. */
const NARROW = 210;

export function mountCompare(
  host: HTMLElement,
  compared: Compared | Promise<Compared>,
  options: CompareOptions = {},
): MountedComparison {
  const root = host.ownerDocument.createElement("div");
  root.className = "exirviz-explorer exirviz-compare";
  host.append(root);
  const mount = new Mount(root, options, uniqueName("exirviz-pair"));
  const ready = mount
    .whenReady(Promise.resolve(compared))
    .then((given) => mount.start(given))
    .catch((problem: unknown) => {
      mount.fail(problem);
      throw problem;
    });
  ready.catch(() => undefined); // the error is shown; callers that wait for `ready` get it too
  return { ready, dispose: () => mount.dispose() };
}

class Mount {
  private shown: Shown | undefined;
  private compared: Compared = { snapshots: [], between: [] };
  private readonly kept: ColumnCache;
  private request = 0;
  private warming: ReturnType<typeof setTimeout> | undefined;
  private theme: Theme;
  private readonly painted = new Set<() => void>();
  private readonly off: (() => void)[] = [];
  private isRemoved = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly options: CompareOptions,
    private readonly name: string,
  ) {
    this.theme = themeAt(this.root, this.options.appearance);
    this.kept = new ColumnCache(root.ownerDocument, () => this.color());
    this.off.push(keepKeys(root));
    say(this.root, "exirviz-waiting", "Reading the programs…");
  }

  /** Resolves when the programs are read and the element is in its page. */
  whenReady(reading: Promise<Compared>): Promise<Compared> {
    const { there, stop } = inPage(this.root, reading);
    this.off.push(stop);
    return there;
  }

  start(compared: Compared): Columns {
    if (this.isRemoved) throw new Error("The comparison was closed before its programs were read.");
    writeBytesIn(pageSettings(this.root.ownerDocument).byteUnit);
    this.theme = themeAt(this.root, this.options.appearance);
    this.root.textContent = "";
    const columns = this.show(compared);
    const room = this.root.clientWidth - AROUND.width;
    columns.store.set({ isPanelOpen: room >= Math.max(550, NARROW * columns.explorers.length) });
    this.follow(this.root.ownerDocument);
    return columns;
  }

  /** Shows these programs; existing columns keep their state. */
  private show(compared: Compared): Columns {
    const before = this.shown?.columns;
    const columns = this.columns(compared, before);
    const { row } = columns;
    before?.dispose();
    this.compared = compared;
    const measured = compared.between.map((found, at) => this.kept.measuring(found, row.pair(at).changes));
    const views = row.explorers.map((explorer) => this.kept.canvas(explorer, this.theme));
    this.shown = { columns, views, measured };
    columns.cameras.jump = (column, camera) => views[column]?.moved(camera);
    columns.store.subscribe((state, was) => this.changed(state, was));
    this.kept.leaveOnly(compared);
    this.color();
    this.draw();
    if (before) columns.resume(before.cameras.kept);
    this.warm(row);
    return columns;
  }

  private columns(compared: Compared, before: Columns | undefined): Columns {
    const { snapshots, of } = compared;
    const explorers = snapshots.map((_, column) => this.kept.explorer(compared, column, this.theme));
    const row = new Row(explorers, changesOf(compared));
    const stageColumns =
      of && new StageColumns(of.ids, of.stages, (ids) => void this.lineUp(of.compare, ids));
    if (before) openLike(row, new Set(before.explorers));
    else this.open(row);
    return new Columns(row, before && keptState(before, row), stageColumns);
  }

  /** Opens the groups with changes. */
  private open(row: Row): void {
    const width = Math.max(200, (this.root.clientWidth - AROUND.width) / row.explorers.length);
    const height = Math.max(200, this.root.clientHeight - AROUND.height);
    const { open, scenes } = initialExpansion(row, { width, height });
    row.explorers.forEach(({ store }, column) => {
      const [own, scene] = [open[column], scenes[column]];
      if (own && scene) store.set({ open: own, scene });
    });
  }

  /** While the pointer moves, only columns with new highlights are painted. */
  private changed(state: PairState, was: PairState): void {
    if (state.paint !== was.paint || state.at !== was.at) this.color();
    const isPointer = state.hovered !== was.hovered && state.nodes === was.nodes;
    this.shown?.views.forEach((view, column) => {
      if (!isPointer || isHighlighted(state.hovered, column) || isHighlighted(was.hovered, column))
        view.request();
    });
  }

  /** Shows other stages in the columns; a later request replaces an earlier one. */
  private async lineUp(compare: (ids: readonly string[]) => Promise<Compared>, ids: readonly string[]) {
    const request = ++this.request;
    const { store } = this.shown?.columns ?? {};
    store?.set({ isBusy: true, problem: "" });
    try {
      const compared = await compare(ids);
      if (request === this.request && !this.isRemoved) this.show(compared);
    } catch (problem) {
      if (request === this.request)
        store?.set({ isBusy: false, problem: `These cannot be compared. ${words(problem)}` });
    }
  }

  fail(problem: unknown): void {
    say(this.root, "exirviz-failed", `This comparison cannot be shown. ${words(problem)}`);
    const { onClose } = this.options;
    if (!onClose) return;
    const back = this.root.ownerDocument.createElement("button");
    back.className = "exirviz-button";
    back.textContent = "‹ back";
    back.addEventListener("click", onClose);
    this.root.firstChild?.before(back);
  }

  dispose(): void {
    this.isRemoved = true;
    clearTimeout(this.warming);
    for (const off of this.off) off();
    render(null, this.root);
    this.shown?.columns.dispose();
    this.kept.leaveOnly({ snapshots: [], between: [] });
    this.root.remove();
  }

  private color(): void {
    if (!this.shown) return;
    color(this.shown, this.theme, () => {
      for (const repaint of this.painted) repaint();
    });
  }

  private draw(): void {
    if (!this.shown) return;
    render(
      <PairApp
        {...this.shown}
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

  /** After the first pictures, prepares their workers, one after the other. */
  private warm(row: Row): void {
    clearTimeout(this.warming);
    const warm = async (): Promise<void> => {
      for (const explorer of row.explorers) await explorer.ready(explorer.picture);
    };
    this.warming = setTimeout(() => void warm(), REST);
  }

  private readonly rows = async (at: number) => asTextRows(await this.compared.between[at]?.text());

  private readonly onPaint = (repaint: () => void): (() => void) => {
    this.painted.add(repaint);
    return () => this.painted.delete(repaint);
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

const words = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));
