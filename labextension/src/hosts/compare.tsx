/**
 * The one component that shows a comparison, whichever host mounts it. What enters: an element, two programs and what
 * was found between them; what leaves: a handle. A mount takes away exactly what it added.
 */
import { render } from "preact";
import { canvasMeasure } from "../canvas/text";
import type { Appearance, Theme } from "../canvas/theme";
import { CanvasView } from "../canvas/view";
import { asComparison, asTextRows, Changes, firstSight, Mates, SIDES, type Side, Tally } from "../compare";
import { Pair } from "../compare/pair";
import { changePaint, signPrimitives } from "../compare/signs";
import { PairApp } from "../compare/view/app";
import { Explorer, Marker } from "../explorer";
import type { Measure } from "../picture";
import type { Snapshot } from "../snapshot";
import { calmOf, followTheme, say, themeAt } from "./ground";
import { keepKeys } from "./keys";

/** Two programs and what was found between them, not yet narrowed. */
export interface Compared {
  readonly snapshots: readonly [Snapshot, Snapshot];
  readonly comparison: unknown;
  /** Rows of the two texts; asked for when they are looked at. */
  readonly text: () => Promise<unknown>;
}

export interface CompareOptions {
  readonly appearance?: Appearance;
  readonly takesWheel?: boolean;
  readonly onClose?: () => void;
}

export interface MountedPair {
  readonly ready: Promise<Pair>;
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
): MountedPair {
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
  private pair: Pair | undefined;
  private views: [CanvasView, CanvasView] | undefined;
  private text: Compared["text"] = () => Promise.resolve([]);
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
    say(this.root, "exirviz-waiting", "Reading the two programs…");
  }

  start({ snapshots, comparison, text }: Compared): Pair {
    if (this.isGone) throw new Error("The comparison was closed before its programs were read.");
    const nodes: [number, number] = [snapshots[0].nodeCount, snapshots[1].nodeCount];
    const changes = new Changes(asComparison(comparison, nodes), snapshots);
    const measure = canvasMeasure(this.theme, this.root.ownerDocument);
    const explorers = this.explorers(changes, measure);
    this.text = text;
    this.pair = new Pair(changes, explorers);
    this.views = [this.view(0, measure), this.view(1, measure)];
    const { pair, views } = this;
    pair.cameras.jump = (side, camera) => views[side].moved(camera);
    pair.store.set({ isPanelOpen: this.root.clientWidth >= 900 });
    this.off.push(
      pair.store.subscribe(() => {
        for (const view of views) view.request();
      }),
    );
    this.root.textContent = "";
    this.color();
    this.draw();
    this.follow(this.root.ownerDocument);
    return pair;
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
    for (const view of this.views ?? []) view.dispose();
    this.pair?.dispose();
    this.root.remove();
  }

  /** Two minds that begin with what changed. */
  private explorers(changes: Changes, measure: Measure): [Explorer, Explorer] {
    const explorer = (side: Side): Explorer => new Explorer(changes.snapshots[side], measure, NO_SCREEN);
    const explorers: [Explorer, Explorer] = [explorer(0), explorer(1)];
    const mates = new Mates(changes, [explorers[0].picture, explorers[1].picture]);
    const tally = (side: Side): Tally => new Tally(changes, explorers[side].picture, side);
    const width = Math.max(200, (this.root.clientWidth - AROUND.width) / 2);
    const height = Math.max(200, this.root.clientHeight - AROUND.height);
    const { open, scenes } = firstSight(mates, [tally(0), tally(1)], { width, height });
    for (const side of SIDES) explorers[side].store.set({ open: open[side], scene: scenes[side] });
    return explorers;
  }

  private view(side: Side, measure: Measure): CanvasView {
    const { pair, theme } = this;
    const document = this.root.ownerDocument;
    if (!pair) throw new Error("A view came before its pair.");
    return new CanvasView(pair.explorers[side], new Marker(), measure, theme, document, calmOf(document));
  }

  /** The colours of changes, in the theme that is. */
  private color(): void {
    const { pair, views, theme } = this;
    if (!pair || !views) return;
    for (const side of SIDES) {
      const view = views[side];
      view.theme = theme;
      view.boxPaint = changePaint(
        () => pair.tally(side),
        theme,
        () => pair.explorers[side].state.scene,
      );
      view.above = (look, camera, screen) => {
        for (const tell of this.painted) tell();
        const lit = { slots: pair.lit(side), isSameHidden: pair.state.isSameHidden };
        return signPrimitives(pair.tally(side), lit, look, camera, screen);
      };
    }
  }

  private draw(): void {
    const { pair, views } = this;
    if (!pair || !views) return;
    render(
      <PairApp
        pair={pair}
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

  private readonly rows = async () => asTextRows(await this.text());

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
