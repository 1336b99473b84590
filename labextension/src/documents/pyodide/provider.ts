/**
 * Reads files in this tab, with the Python reader that Jupyter's server uses too, in a web worker. It reads one file
 * after another. Where a reading is cancelled, takes too long or ends Python, the worker ends too, and the next reading
 * starts another.
 */
import type { Translation } from "../../hosts/translation";
import { nameOf } from "../paths";
import { type FileProvider, UnreadableFile } from "../provider";
import type { Problem } from "../schema";
import { asResponse, type ReaderFiles } from "./protocol";
import type { NamedFile, ReaderRequest, ReaderResponse, ReadFiles } from "./schema";

/** Milliseconds after which a read is cancelled. */
const PATIENCE = 180_000;

/** The state of the reader for the page. `loaded`: from 0 to 1. */
export type ReaderState =
  | { readonly kind: "loading"; readonly loaded: number }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string };

/** The part of a worker that is used. */
export interface Port {
  postMessage(request: ReaderRequest): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<unknown>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

type ReadOptions = Partial<Pick<ReadFiles, "isPage" | "stages">>;

/** Says in its message why the worker ended, as part of a sentence. */
class Ended extends Error {}

export class PyodideProvider implements FileProvider {
  private port: Port | undefined;
  private readonly waiting = new Map<
    number,
    { resolve(bytes: Uint8Array<ArrayBuffer>): void; reject(reason: unknown): void }
  >();
  private turn: Promise<unknown> = Promise.resolve();
  private lastId = 0;

  constructor(
    private readonly make: () => Port,
    private readonly base: string,
    private readonly site: ReaderFiles,
    /** The contents of a file. Rejects where it cannot be read. */
    private readonly fileAt: (path: string) => Promise<Blob>,
    private readonly trans: Translation,
    private readonly onState: (state: ReaderState) => void = () => undefined,
    private readonly patience = PATIENCE,
  ) {}

  /** Loads Python before a file is opened. */
  start(): void {
    this.port ??= this.begin();
  }

  program(path: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.ask([path], signal);
  }

  diff(a: string, b: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.ask([a, b], signal);
  }

  stages(path: string, a: string, b: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.ask([path], signal, { stages: [a, b] });
  }

  /** The explorer of one file, or the comparison of two, as a standalone HTML page. */
  page(paths: readonly string[], signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    return this.ask(paths, signal, { isPage: true });
  }

  dispose(): void {
    this.end(this.trans.__("the page was closed"));
  }

  private ask(
    paths: readonly string[],
    signal: AbortSignal,
    options: ReadOptions = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const result = this.turn.then(() => this.read(paths, signal, options));
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async read(
    paths: readonly string[],
    signal: AbortSignal,
    { isPage = false, stages = [] }: ReadOptions,
  ): Promise<Uint8Array<ArrayBuffer>> {
    signal.throwIfAborted();
    const { trans } = this;
    const [first = "", second] = paths.map(nameOf);
    const name = second === undefined ? first : trans.__("%1 and %2", first, second);
    this.start(); // Python loads while the files do
    const files = await Promise.all(
      // Each in a folder of its own: two may have one name.
      paths.map(
        async (path, i): Promise<NamedFile> => ({
          folder: `${i}`,
          name: nameOf(path),
          file: await this.fileAt(path),
        }),
      ),
    );
    signal.throwIfAborted();
    const id = ++this.lastId;
    const answer = new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) =>
      this.waiting.set(id, { resolve, reject }),
    );
    const stop = (): void => this.end(trans.__("it was cancelled"));
    const timer = setTimeout(
      () => this.end(trans.__("it took more than %1 seconds", `${this.patience / 1000}`)),
      this.patience,
    );
    signal.addEventListener("abort", stop);
    try {
      this.start();
      this.port?.postMessage({ kind: "read", id, files, isPage, stages });
      return await answer;
    } catch (problem) {
      signal.throwIfAborted();
      throw problem instanceof Ended ? new UnreadableFile(this.lost(name, problem.message)) : problem;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      this.waiting.delete(id);
    }
  }

  private begin(): Port {
    const port = this.make();
    port.onmessage = ({ data }) => {
      const response = asResponse(data);
      if (response) this.receive(response);
      else this.fail(this.trans.__("it sent an invalid message"));
    };
    port.onerror = (event) => {
      event.preventDefault();
      this.fail(event.message || this.trans.__("the worker could not be started"));
    };
    this.onState({ kind: "loading", loaded: 0 });
    const bytes = Object.values(this.site.reader).reduce((sum, size) => sum + size, 0);
    port.postMessage({ kind: "start", base: this.base, bytes });
    return port;
  }

  private receive(response: ReaderResponse): void {
    switch (response.kind) {
      case "progress":
        this.onState({ kind: "loading", loaded: response.loaded });
        break;
      case "ready":
        this.onState({ kind: "ready" });
        break;
      case "failed":
        this.fail(response.reason);
        break;
      case "answer":
        this.waiting.get(response.id)?.resolve(response.bytes);
        break;
      case "problem":
        this.waiting.get(response.id)?.reject(new UnreadableFile(response.problem));
        break;
    }
  }

  private fail(reason: string): void {
    this.end(this.trans.__("Python ended in this tab: %1", reason));
    this.onState({ kind: "failed", reason });
  }

  /** Ends the worker and rejects open requests. */
  private end(reason: string): void {
    this.port?.terminate();
    this.port = undefined;
    for (const { reject } of this.waiting.values()) reject(new Ended(reason));
  }

  private lost(file: string, reason: string): Problem {
    return {
      file,
      reason: this.trans.__("Reading was not finished: %1", reason),
      remedy: this.trans.__(
        "Try again. A file that is too large for a browser opens in Python: %1.",
        "exir_viz.load(FILE)",
      ),
    };
  }
}
