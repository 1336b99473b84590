/**
 * A file in a document: the explorer of its program, the page that says why it cannot be read, the offer to
 * reload it after a change, and its comparison with another file. No Jupyter.
 */
import type { Compared } from "../compare/model/compared_programs";
import { type MountedComparison, mountCompare } from "../hosts/compare";
import { type Mounted, mountExplorer } from "../hosts/explorer";
import { showProfile } from "../hosts/profiles";
import { readDiff, readProgram } from "./answer";
import { errorPage } from "./error_page";
import { nameOf } from "./paths";
import { type FileProvider, problemOf } from "./provider";

/** How programs and comparisons are shown; tests replace it. */
interface Mounts {
  readonly explorer: typeof mountExplorer;
  readonly comparison: typeof mountCompare;
}

const READING = "Reading the file…";
const LOADING = "Loading Python";

export class FileView {
  readonly root: HTMLElement;
  private readonly offer: HTMLElement;
  private readonly program: HTMLElement;
  private shown: Mounted | undefined;
  private compared: MountedComparison | undefined;
  /** The other file, while they are compared. */
  private other = "";
  private reading = new AbortController();
  /** Whether the newest read has finished. */
  private isRead = false;
  private isDisposed = false;

  constructor(
    host: HTMLElement,
    private readonly provider: FileProvider,
    private path: string,
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
    if (!this.shown) this.say(READING);
    const onLoading = (loaded: number): void => {
      if (!this.shown && !signal.aborted) this.sayLoading(loaded);
    };
    try {
      const { snapshot, profile } = await readProgram(
        await this.provider.program(this.path, signal, onLoading),
      );
      const before = await this.shown?.ready.catch(() => undefined);
      if (signal.aborted) return;
      const view = before?.view();
      this.clear();
      this.shown = this.mounts.explorer(
        this.program,
        { snapshot },
        { title: this.name, takesWheel: true, ...(view && { view }) },
      );
      this.isRead = true;
      const explorer = await this.shown.ready;
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
    const { signal } = this.begin();
    const back = (): void => this.closeComparison();
    this.compared?.dispose();
    this.other = path;
    this.program.hidden = true;
    const reading: Promise<Compared> = this.provider.diff(this.path, path, signal).then(readDiff);
    const names = `${this.name} and ${nameOf(path)}`;
    this.compared = this.mounts.comparison(this.root, reading, { takesWheel: true, onClose: back });
    try {
      await reading;
    } catch (thrown) {
      if (signal.aborted) return;
      this.compared?.dispose();
      const page = errorPage(this.root.ownerDocument, problemOf(thrown, names), [
        ["Back", back],
        ["Try again", () => void this.compareWith(path)],
      ]);
      this.root.append(page);
      this.compared = { ready: new Promise(() => undefined), dispose: () => page.remove() };
    }
  }

  /** The file has changed since it was read. */
  offerReload(): void {
    const { ownerDocument: document } = this.root;
    const button = element(document, "button", "exirviz-button");
    button.textContent = "Reload";
    button.addEventListener("click", () => {
      this.closeComparison();
      void this.read();
    });
    const text = element(document, "span", "");
    text.textContent = `${this.name} has changed on disk.`;
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
    const problem = problemOf(thrown, this.name);
    this.program.replaceChildren(errorPage(this.root.ownerDocument, problem, [["Try again", again]]));
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
      if (bar) this.say(READING);
      return;
    }
    if (!bar) {
      bar = this.root.ownerDocument.createElement("progress");
      bar.setAttribute("aria-label", LOADING);
      this.say(`${LOADING} `).append(bar);
    }
    bar.value = loaded;
  }

  private clear(): void {
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
