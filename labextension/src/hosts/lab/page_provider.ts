/**
 * Files read in this page: in JupyterLite and wherever else Jupyter has no server that reads them. The page's
 * configuration says where the reader is, as `exirVizReader`: a folder that `scripts/site.py` made.
 */
import type { Contents } from "@jupyterlab/services";
import { type FileProvider, UnreadableFile } from "../../documents/provider";
import type { ReaderFiles } from "../../documents/pyodide/protocol";
import { type Port, PyodideProvider, type ReaderState } from "../../documents/pyodide/provider";
import { newReader } from "../../documents/pyodide/reader_worker";
import type { Translation } from "../translation";

/** As much of the contents manager as is used. */
type Files = Pick<Contents.IManager, "get">;

/** Where the page's reader is; undefined where Jupyter's server reads files. `base` is Jupyter's own address. */
export function readerAddress(document: Document, base: string): string | undefined {
  const configuration = document.getElementById("jupyter-config-data")?.textContent || "{}";
  const { exirVizReader: folder } = JSON.parse(configuration) as Record<string, unknown>;
  if (typeof folder !== "string" || !folder) return undefined;
  return new URL(folder.endsWith("/") ? folder : `${folder}/`, new URL(base, document.location.href)).href;
}

export class PageProvider implements FileProvider {
  private reader: Promise<PyodideProvider> | undefined;
  /** Of the documents that wait for a program. */
  private readonly onLoading = new Set<(loaded: number) => void>();

  constructor(
    private readonly address: string,
    private readonly files: Files,
    private readonly trans: Translation,
    private readonly ask: (url: string) => Promise<Response> = (url) => fetch(url),
    private readonly make: () => Port = newReader,
  ) {}

  async program(
    path: string,
    signal: AbortSignal,
    onLoading: (loaded: number) => void = () => undefined,
  ): Promise<Uint8Array> {
    this.onLoading.add(onLoading);
    try {
      return await (await this.start()).program(path, signal);
    } finally {
      this.onLoading.delete(onLoading);
    }
  }

  async diff(a: string, b: string, signal: AbortSignal): Promise<Uint8Array> {
    return (await this.start()).diff(a, b, signal);
  }

  async stages(path: string, a: string, b: string, signal: AbortSignal): Promise<Uint8Array> {
    return (await this.start()).stages(path, a, b, signal);
  }

  private start(): Promise<PyodideProvider> {
    this.reader ??= this.load().catch((problem: unknown) => {
      this.reader = undefined; // the next file tries again
      throw problem;
    });
    return this.reader;
  }

  private async load(): Promise<PyodideProvider> {
    const { trans } = this;
    const url = `${this.address}site.json`;
    const answer = await this.ask(url).catch((problem: unknown) => String(problem));
    if (typeof answer === "string" || !answer.ok) {
      const reason =
        typeof answer === "string" ? answer : trans.__("the server answered %1", `${answer.status}`);
      throw new UnreadableFile({
        file: url,
        reason: trans.__("The reader of exir_viz cannot be loaded: %1", reason),
        remedy: trans.__(
          "Put the folder that %1 builds where %2 in jupyter-lite.json says.",
          "`make site`",
          "`exirVizReader`",
        ),
      });
    }
    const site: ReaderFiles = await answer.json();
    const onState = (state: ReaderState): void => {
      if (state.kind === "failed") return; // the reading fails, and its document says why
      for (const tell of this.onLoading) tell(state.kind === "ready" ? 1 : state.loaded);
    };
    const fileAt = (path: string): Promise<Blob> => this.contentsOf(path);
    return new PyodideProvider(this.make, this.address, site, fileAt, trans, onState);
  }

  private async contentsOf(path: string): Promise<Blob> {
    const { content, format } = await this.files.get(path, { type: "file", format: "base64", content: true });
    if (format === "base64") return new Blob([Uint8Array.from(atob(content), (each) => each.charCodeAt(0))]);
    return new Blob([format === "json" ? JSON.stringify(content) : content]);
  }
}
