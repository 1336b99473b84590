/**
 * The component that every host mounts. Input: an element and a program. Output: a handle. A mount owns its
 * elements, worker, listeners and observers; `dispose` removes exactly these.
 */
import { render } from "preact";
import { canvasMeasure } from "../canvas/text";
import type { Appearance, Theme } from "../canvas/theme";
import { CanvasView } from "../canvas/view";
import { Explorer, Marker } from "../explorer";
import { App } from "../frame/app";
import { pictureRoom, widthWithoutPanel } from "../frame/picture_size";
import { storedTimeline } from "../frame/timeline_storage";
import type { Series } from "../overlay";
import { writeBytesIn } from "../snapshot/format";
import { rowsOf, type Stages } from "../stages";
import { TIMELINE_HEIGHT, type ViewState } from "../store";
import { uniqueName } from "../ui/unique_name";
import { type MountedComparison, mountCompare } from "./compare";
import { comparedStages } from "./compared";
import { calmOf, followTheme, inPage, REST, say, themeAt } from "./host_page";
import { keepKeys } from "./keys";
import { pageSettings } from "./page_settings";
import { type Opened, open, type Source } from "./source";

export interface ExplorerOptions {
  readonly title?: string;
  readonly view?: ViewState;
  readonly appearance?: Appearance;
  /** Whether the wheel zooms from the start; in a notebook only after the picture has the focus. */
  readonly takesWheel?: boolean;
  /** How to measure the program where it is not live. */
  readonly howToMeasure?: string;
}

export interface Mounted {
  /** Resolves when the program is read; rejects with its problem. */
  readonly ready: Promise<Explorer>;
  /** Numbers to colour boxes by; replaces the previous ones. */
  paint(series: readonly Series[]): void;
  /** A line about the host, such as a lost kernel; "" removes it. */
  notice(text: string): void;
  /** The visible part of the graph as SVG; "" until the program is read. */
  picture(): string;
  dispose(): void;
}

export function mountExplorer(host: HTMLElement, source: Source, options: ExplorerOptions = {}): Mounted {
  const document = host.ownerDocument;
  const root = document.createElement("div");
  root.className = "exirviz-explorer";
  host.append(root);
  const mount = new Mount(root, options, uniqueName("exirviz"));
  const ready = mount.whenReady(open(source, options.view?.stage)).then(
    (opened) => mount.start(opened),
    (problem: unknown) => {
      mount.fail(problem);
      throw problem;
    },
  );
  ready.catch(() => undefined); // the error is shown; callers that wait for `ready` get it too
  return {
    ready,
    paint: (series) => mount.paint(series),
    notice: (text) => mount.notice(text),
    picture: () => mount.picture(),
    dispose: () => mount.dispose(),
  };
}

class Mount {
  private explorer: Explorer | undefined;
  private view: CanvasView | undefined;
  /** The comparison of two stages that is shown in its place. */
  private comparison: MountedComparison | undefined;
  private readonly marker = new Marker();
  private theme: Theme;
  private series: readonly Series[] = [];
  private noticed = "";
  private readonly off: (() => void)[] = [];
  private isDisposed = false;
  private isFailed = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly options: ExplorerOptions,
    private readonly name: string,
  ) {
    this.theme = themeAt(this.root, this.options.appearance);
    this.off.push(keepKeys(root));
    this.wait();
  }

  /** Resolves when the program is read and the element is in its page. */
  whenReady(opening: Promise<Opened>): Promise<Opened> {
    const { there, stop } = inPage(this.root, opening);
    this.off.push(stop);
    return there;
  }

  start({ snapshot, stages }: Opened): Explorer {
    if (this.isDisposed) throw new Error("The explorer was closed before its program was read.");
    const document = this.root.ownerDocument;
    const settings = pageSettings(document);
    writeBytesIn(settings.byteUnit);
    this.theme = themeAt(this.root, this.options.appearance);
    const measure = canvasMeasure(this.theme, document);
    const kept = storedTimeline(document.defaultView);
    const timeline = this.options.view?.timeline ?? kept.isTimelineOpen ?? false;
    const below = timeline ? (kept.timelineHeight ?? TIMELINE_HEIGHT.first) : 0;
    const { screen, isPanelOpen } = pictureRoom(this.root, stages ? rowsOf(stages.all.tree) : 0, below);
    const explorer = new Explorer(snapshot, measure, screen, this.options.view, stages, settings);
    const width = widthWithoutPanel(this.root, explorer.state.scene, screen);
    if (width) explorer.viewport.resized({ ...screen, width });
    explorer.store.set({ isPanelOpen: isPanelOpen && !width, ...kept, isTimelineOpen: timeline });
    explorer.howToMeasure = this.options.howToMeasure ?? "";
    this.explorer = explorer;
    if (explorer.stepping && stages) explorer.stepping.onCompare = (ids) => this.compare(stages.all, ids);
    this.view = new CanvasView(explorer, this.marker, measure, this.theme, document, calmOf(document));
    this.root.textContent = "";
    this.draw();
    this.follow(document);
    return explorer;
  }

  fail(problem: unknown): void {
    const text = problem instanceof Error ? problem.message : String(problem);
    this.isFailed = true;
    say(this.root, "exirviz-failed", `This program cannot be shown. ${text}`);
  }

  paint(series: readonly Series[]): void {
    this.series = series;
    if (this.explorer) this.draw();
  }

  notice(text: string): void {
    this.noticed = text;
    if (this.explorer) this.draw();
    else if (!this.isFailed) this.wait();
  }

  picture(): string {
    return this.view?.asSvg("view") ?? "";
  }

  dispose(): void {
    this.isDisposed = true;
    for (const off of this.off) off();
    this.comparison?.dispose();
    render(null, this.root);
    this.view?.dispose();
    this.explorer?.dispose();
    this.root.remove();
  }

  /** Compares stages in place of the explorer until the user goes back. */
  private compare(stages: Stages, ids: readonly string[]): void {
    const { root, options } = this;
    const host = root.parentElement;
    if (!host) return;
    this.comparison?.dispose();
    root.style.display = "none";
    this.comparison = mountCompare(host, comparedStages(stages, ids), {
      ...(options.appearance && { appearance: options.appearance }),
      takesWheel: options.takesWheel ?? false,
      onClose: () => {
        this.comparison?.dispose();
        this.comparison = undefined;
        root.style.display = "";
        this.draw();
        this.view?.canvas.focus({ preventScroll: true });
      },
    });
    this.draw(); // the comparison handles the page's keys now
  }

  private draw(): void {
    const { explorer, view } = this;
    if (!explorer || !view) return;
    render(
      <>
        <App
          explorer={explorer}
          view={view}
          marker={this.marker}
          theme={() => this.theme}
          title={
            this.options.title ?? (explorer.snapshot.skeleton.origin.name || explorer.picture.graph.path)
          }
          mount={this.name}
          takesWheel={(this.options.takesWheel ?? false) && !this.comparison}
          series={this.series}
        />
        <Notice text={this.noticed} />
      </>,
      this.root,
    );
  }

  /** Follows the theme: JupyterLab's attribute, or the system's preference. */
  private follow(document: Document): void {
    const change = (): void => {
      this.theme = themeAt(this.root, this.options.appearance);
      if (this.view) this.view.theme = this.theme;
      this.draw();
    };
    this.off.push(followTheme(document, change));
    if (this.explorer) this.warm(this.explorer);
  }

  /** After the first picture, prepares the worker for the next one. */
  private warm(explorer: Explorer): void {
    const timer = setTimeout(() => explorer.warm(), REST);
    this.off.push(() => clearTimeout(timer));
  }

  private wait(): void {
    say(this.root, "exirviz-waiting", `Reading the program… ${this.noticed}`.trim());
  }
}

/** One line at the bottom about the host; present but empty if there is nothing to report. */
function Notice({ text }: { readonly text: string }): JSX.Element {
  // The element exists before its text: screen readers announce changes in it.
  return (
    <p class="exirviz-notice" role="status" hidden={!text}>
      {text}
    </p>
  );
}
