/** The state of the site: its front page, a file, or a comparison; and what is running. */
import { errorPage } from "../../documents/error_page";
import { FileView } from "../../documents/file_view";
import { notebookFor } from "../../documents/notebook";
import { nameOf } from "../../documents/paths";
import { problemOf } from "../../documents/provider";
import { PyodideProvider, type ReaderState } from "../../documents/pyodide/provider";
import { newReader } from "../../documents/pyodide/reader_worker";
import type { Problem } from "../../documents/schema";
import { save } from "../../frame/export";
import { ENGLISH } from "../translation";
import { fileNameOf } from "./address";
import type { SiteFiles } from "./site_files";

interface SiteState {
  readonly reader: ReaderState;
  /** The name of the open file; "" on the front page. */
  readonly file: string;
  /** What happened or is running, as one line. */
  readonly message: string;
  /** Whether the browser has cached the site for offline use. */
  readonly isKept: boolean;
}

export class Site {
  private current: SiteState = {
    reader: { kind: "loading", loaded: 0 },
    file: "",
    message: "",
    isKept: false,
  };
  private readonly listeners = new Set<() => void>();
  /** Each file has its own path, "2/model.pt2", because two may have one name. */
  private readonly files = new Map<string, Blob>();
  private readonly provider: PyodideProvider;
  private place: HTMLElement | undefined;
  private view: FileView | undefined;
  private work = new AbortController();

  constructor(base: string, files: SiteFiles) {
    const fileAt = async (path: string): Promise<Blob> => {
      const file = this.files.get(path);
      if (!file) throw new Error(`${nameOf(path)} is not open`);
      return file;
    };
    this.provider = new PyodideProvider(newReader, base, files, fileAt, ENGLISH, (reader) => {
      this.set({ reader });
      if (reader.kind === "ready") void this.keep();
    });
  }

  get state(): SiteState {
    return this.current;
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** `place`: where files are shown. Python starts to load before the first file is opened. */
  start(place: HTMLElement): void {
    this.place = place;
    this.provider.start();
  }

  /** Shows one file, compares two. */
  async open(files: readonly File[]): Promise<void> {
    const [first, second, ...more] = files;
    if (!first) return;
    if (more.length > 0) {
      this.set({ message: `Open one file, or two to compare them. These are ${files.length}.` });
      return;
    }
    const view = this.begin(first.name, this.add(first));
    if (second) await view?.compareWith(this.add(second));
    else await view?.read();
  }

  /** Opens a file of the site, or from the address that the user gave. */
  async openAddress(address: URL): Promise<void> {
    const name = fileNameOf(address);
    this.begin(name);
    const { signal } = this.work;
    this.set({ message: `Fetching ${name}…` });
    try {
      const answer = await fetch(address, { signal, credentials: "omit", referrerPolicy: "no-referrer" });
      if (!answer.ok)
        throw new Error(`${address.host} answered ${answer.status} ${answer.statusText}`.trim());
      const file = new File([await answer.blob()], name);
      if (!signal.aborted) await this.begin(name, this.add(file))?.read();
    } catch (thrown) {
      if (!signal.aborted) this.showProblem(address, thrown);
    }
  }

  async compareWith(file: File): Promise<void> {
    this.set({ message: "" });
    await this.view?.compareWith(this.add(file));
  }

  /** Saves what is shown as a standalone HTML page. */
  async savePage(): Promise<void> {
    if (!this.view) return;
    const { shownPaths: paths } = this.view;
    const { signal } = this.work;
    const name = `${paths.map(nameOf).join(" and ")}.html`;
    this.set({ message: "Making the page…" });
    try {
      const page = await this.provider.page(paths, signal);
      save(new Blob([page], { type: "text/html" }), name, document);
      this.set({ message: `Saved ${name}` });
    } catch (thrown) {
      if (signal.aborted) return;
      const { reason, remedy } = problemOf(thrown, name, ENGLISH);
      this.set({ message: `Cannot save ${name}: ${reason}. ${remedy}` });
    }
  }

  /** Saves a notebook that loads the file, for lowering and profiling. */
  saveNotebook(): void {
    const { file } = this.state;
    const name = `${file}.ipynb`;
    save(new Blob([JSON.stringify(notebookFor(file, ENGLISH), undefined, 1)]), name, document);
    this.set({ message: `Saved ${name}: put it next to ${file}, and open it in JupyterLab` });
  }

  showFrontPage(): void {
    this.close();
    this.set({ file: "", message: "" });
  }

  /** After Python: the page's first needs come before the offline cache. */
  private async keep(): Promise<void> {
    const { serviceWorker } = navigator;
    if (this.state.isKept || !serviceWorker) return; // not available without https
    await serviceWorker.register("service_worker.js");
    await serviceWorker.ready;
    this.set({ isKept: true });
  }

  private add(file: File): string {
    const path = `${this.files.size + 1}/${file.name}`;
    this.files.set(path, file);
    return path;
  }

  /** Replaces the open file. Without a path the new one is still to come. */
  private begin(name: string, path?: string): FileView | undefined {
    this.close();
    if (!this.state.file) history.pushState(null, "");
    this.set({ file: name, message: "" });
    if (path !== undefined && this.place) this.view = new FileView(this.place, this.provider, path, ENGLISH);
    return this.view;
  }

  private close(): void {
    this.work.abort();
    this.work = new AbortController();
    this.view?.dispose();
    this.view = undefined;
    this.place?.replaceChildren();
  }

  private showProblem(address: URL, thrown: unknown): void {
    const { reason } = problemOf(thrown, "", ENGLISH);
    const problem: Problem = {
      file: address.href,
      reason:
        thrown instanceof TypeError
          ? `${address.host} did not give the file to this page (${reason})`
          : reason,
      remedy:
        "Download the file, and drop it here. A server has to allow other sites to read its files (CORS).",
    };
    this.set({ message: "" });
    const again = (): void => void this.openAddress(address);
    this.place?.replaceChildren(errorPage(document, problem, [["Try again", again]], ENGLISH));
  }

  private set(change: Partial<SiteState>): void {
    this.current = { ...this.current, ...change };
    document.title = this.current.file ? `${this.current.file} · exir_viz` : "exir_viz";
    for (const listener of this.listeners) listener();
  }
}
