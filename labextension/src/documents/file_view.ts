/**
 * A file in a document: the explorer of its program, the page that says why it cannot be read, the offer to
 * reload it after a change, and its comparison with another file. No Jupyter.
 */
import type { Compared } from "../compare/model/compared_programs";
import { type MountedComparison, mountCompare } from "../hosts/compare";
import { type Mounted, mountExplorer } from "../hosts/explorer";
import { showProfile } from "../hosts/profiles";
import type { Translation } from "../hosts/translation";
import { readDiff, readProgram } from "./answer";
import { errorPage } from "./error_page";
import { pythonString } from "./notebook";
import { nameOf } from "./paths";
import { type FileProvider, problemOf } from "./provider";

/** How programs and comparisons are shown; tests replace it. */
interface Mounts {
  readonly explorer: typeof mountExplorer;
  readonly comparison: typeof mountCompare;
}

export class FileView {
  readonly root: HTMLElement;
  private readonly offer: HTMLElement;
  private readonly program: HTMLElement;
  private shown: Mounted | undefined;
  private compared: MountedComparison | undefined;
  /** The other file, while they are compared. */
  private other = "";
  private reading = new AbortController();
  /** For what the explorer asks for while it is shown. */
  private closing = new AbortController();
  /** Whether the newest read has finished. */
  private isRead = false;
  private isDisposed = false;

  constructor(
    host: HTMLElement,
    private readonly provider: FileProvider,
    private path: string,
    private readonly trans: Translation,
    private readonly mounts: Mounts = { explorer: mountExplorer, comparison: mountCompare },
  ) {
    const document = host.ownerDocument;
    this.root = element(document, "div", "exirviz-document");
    this.offer = element(document, "div", "exirviz-document-offer");
    this.offer.setAttribute("role", "status");
    this.program = element(document, "div", "exirviz-document-program");
    this.root.append(this.offer, this.program);
    host.append(this.root);
  }

  /** Reads the file, for the first time or again; what is open in the graph stays open. */
  async read(): Promise<void> {
    if (this.isDisposed) return;
    const { signal } = this.begin();
    this.isRead = false;
    this.offer.replaceChildren();
    if (!this.shown) this.sayReading();
    const onLoading = (loaded: number): void => {
      if (!this.shown && !signal.aborted) this.sayLoading(loaded);
    };
    try {
      const answer = await this.provider.program(this.path, signal, onLoading);
      const { source, profile } = await readProgram(answer, this.trans, (a, b) =>
        this.provider.stages(this.path, a, b, this.closing.signal),
      );
      const before = await this.shown?.ready.catch(() => undefined);
      if (signal.aborted) return;
      const last = before?.view();
      this.clear();
      this.shown = this.mounts.explorer(this.program, source, {
        title: this.name,
        takesWheel: true,
        howToMeasure: howToMeasure(this.name, this.trans),
        ...(last && { view: { ...last, query: "" } }),
      });
      this.isRead = true;
      const explorer = await this.shown.ready;
      if (last?.query) await searchAgain(explorer, last.query, signal);
      if (!profile || signal.aborted) return;
      explorer.costs.take(new Map([["", profile]]));
      await showProfile(explorer, "");
    } catch (thrown) {
      if (!signal.aborted) this.fail(thrown, () => void this.read());
    }
  }

  /** Shows what changed from this file to another, until the user goes back. */
  async compareWith(path: string): Promise<void> {
    if (this.isDisposed) return;
    const { trans } = this;
    const { signal } = this.begin();
    const back = (): void => this.closeComparison();
    this.compared?.dispose();
    this.other = path;
    this.program.hidden = true;
    const reading: Promise<Compared> = this.provider
      .diff(this.path, path, signal)
      .then((bytes) => readDiff(bytes, trans));
    const names = trans.__("%1 and %2", this.name, nameOf(path));
    this.compared = this.mounts.comparison(this.root, reading, { takesWheel: true, onClose: back });
    try {
      await reading;
    } catch (thrown) {
      if (signal.aborted) return;
      this.compared?.dispose();
      const again = (): void => void this.compareWith(path);
      const page = this.errorPage(thrown, names, [
        [trans.__("Back"), back],
        [trans.__("Try again"), again],
      ]);
      this.root.append(page);
      this.compared = { ready: new Promise(() => undefined), dispose: () => page.remove() };
    }
  }

  /** The file has changed since it was read. */
  offerReload(): void {
    const { ownerDocument: document } = this.root;
    const button = element(document, "button", "exirviz-button");
    button.textContent = this.trans.__("Reload");
    button.addEventListener("click", () => {
      this.closeComparison();
      void this.read();
    });
    const text = element(document, "span", "");
    text.textContent = this.trans.__("%1 has changed on disk.", this.name);
    this.offer.replaceChildren(text, button);
  }

  /** The file that is shown, or the two that are compared. */
  get shownPaths(): readonly string[] {
    return this.compared ? [this.path, this.other] : [this.path];
  }

  rename(path: string): void {
    this.path = path;
  }

  dispose(): void {
    this.isDisposed = true;
    this.reading.abort();
    this.compared?.dispose();
    this.closing.abort();
    this.shown?.dispose();
    this.root.remove();
  }

  private get name(): string {
    return nameOf(this.path);
  }

  /** Cancels the previous request. */
  private begin(): AbortController {
    this.reading.abort();
    this.reading = new AbortController();
    return this.reading;
  }

  private closeComparison(): void {
    if (!this.compared) return;
    this.begin();
    this.compared.dispose();
    this.compared = undefined;
    this.program.hidden = false;
    if (!this.isRead) void this.read(); // it was still being read
  }

  private fail(thrown: unknown, again: () => void): void {
    this.clear();
    this.program.replaceChildren(this.errorPage(thrown, this.name, [[this.trans.__("Try again"), again]]));
  }

  private errorPage(thrown: unknown, file: string, buttons: Parameters<typeof errorPage>[2]): HTMLElement {
    const problem = problemOf(thrown, file, this.trans);
    return errorPage(this.root.ownerDocument, problem, buttons, this.trans);
  }

  private sayReading(): void {
    this.say(this.trans.__("Reading the file…"));
  }

  private say(text: string): HTMLElement {
    const line = element(this.root.ownerDocument, "p", "exirviz-document-waiting");
    line.setAttribute("role", "status");
    line.textContent = text;
    this.program.replaceChildren(line);
    return line;
  }

  /** The bar stays in place while it grows. */
  private sayLoading(loaded: number): void {
    let bar = this.program.querySelector("progress");
    if (loaded >= 1) {
      if (bar) this.sayReading();
      return;
    }
    if (!bar) {
      bar = this.root.ownerDocument.createElement("progress");
      const text = this.trans.__("Loading Python");
      bar.setAttribute("aria-label", text);
      this.say(`${text} `).append(bar);
    }
    bar.value = loaded;
  }

  private clear(): void {
    this.closing.abort();
    this.closing = new AbortController();
    this.shown?.dispose();
    this.shown = undefined;
    this.program.replaceChildren();
  }
}

function element(document: Document, tag: string, className: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}

/** Repeats a search in a file that has changed, if it still finds something there. */
async function searchAgain(
  explorer: Awaited<Mounted["ready"]>,
  query: string,
  signal: AbortSignal,
): Promise<void> {
  const nodes = await explorer.search.nodesOf(query);
  if (nodes.length > 0 && !signal.aborted) await explorer.search.ask(query);
}

/** The cell that measures the program of a file, which reading does not run; "" if Python cannot run it. */
function howToMeasure(file: string, trans: Translation): string {
  const cell = cellFor(file);
  return (
    cell &&
    trans.__("A file is read and not run. If you trust it, measure it with a cell in a notebook: %1", cell)
  );
}

function cellFor(file: string): string {
  const path = pythonString(file);
  if (file.endsWith(".pt2"))
    return `import exir_viz; exir_viz.explore(exir_viz.profile(exir_viz.load(${path}, trust=True)))`;
  if (file.endsWith(".pte") || file.endsWith(".bpte"))
    return `import exir_viz; exir_viz.explore(exir_viz.measure.profile_file(${path}, trust=True))`;
  return "";
}
