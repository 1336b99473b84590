/**
 * Our Python reader in a worker: Pyodide runs the same code as Jupyter's server. A file is mounted in place,
 * so that its weights are not copied, and read as data: it is never executed.
 */
import { asProblem } from "../provider";
import { asRequest } from "./protocol";
import type { ReaderResponse, ReadFiles } from "./schema";

/** The part of Pyodide that is used. */
interface Pyodide {
  readonly FS: {
    readonly filesystems: { readonly WORKERFS: unknown };
    mkdirTree(path: string): void;
    mount(type: unknown, options: { readonly blobs: readonly MountedBlob[] }, at: string): void;
    unmount(at: string): void;
  };
  unpackArchive(data: ArrayBuffer, format: "zip", options: { readonly extractDir: string }): void;
  runPython(code: string): unknown;
  readonly globals: { get(name: string): unknown };
}

interface MountedBlob {
  readonly name: string;
  readonly data: Blob;
}

interface Scope {
  fetch: typeof fetch;
  postMessage(response: ReaderResponse, transfer: Transferable[]): void;
  addEventListener(kind: "message", listen: (event: MessageEvent<unknown>) => void): void;
}

/**
 * A Python function: takes the paths, whether a page is wanted, and the stages to compare; returns the worker's exit
 * code and bytes.
 */
type Perform = (
  paths: readonly string[],
  isPage: boolean,
  stages: readonly string[],
) => { toJs(): [number, Uint8Array<ArrayBuffer>] };

const PACKAGES = "/packages";
const FOLDER = "/files";
const ANSWERED = 0;

/** Limits in bytes: the memory of WebAssembly, and the largest answer. */
const MEMORY = 4 * 2 ** 30;
const LARGEST_ANSWER = 2 ** 29;
const PYTHON = `
import sys
sys.path.insert(0, "${PACKAGES}")
from exir_viz.server.worker import Task, perform, prepare

def answer(paths, is_page, stages):
    files = tuple("${FOLDER}/" + path for path in paths)
    return perform(Task(files, ${MEMORY}, ${LARGEST_ANSWER}, is_page, tuple(stages)))
`;

export function serveReader(scope: Scope): void {
  const say = (response: ReaderResponse, transfer: Transferable[] = []): void =>
    scope.postMessage(response, transfer);
  let python: Promise<Python> | undefined;
  scope.addEventListener("message", ({ data }) => {
    const request = asRequest(data);
    if (!request) {
      say({ kind: "failed", reason: "The page sent an invalid message." });
      return;
    }
    if (request.kind === "start") {
      python = Python.load(scope, request.base, request.bytes, (loaded) => say({ kind: "progress", loaded }));
      python.then(
        (runtime) => {
          say({ kind: "ready" });
          // While the user chooses a file: importing takes longer than reading a small one.
          setTimeout(() => runtime.prepare());
        },
        (problem: unknown) => say({ kind: "failed", reason: String(problem) }),
      );
      return;
    }
    python
      ?.then((runtime) => {
        const response = runtime.read(request);
        say(response, response.kind === "answer" ? [response.bytes.buffer] : []);
      })
      // Python has crashed: its next answer would be worthless.
      .catch((problem: unknown) => say({ kind: "failed", reason: String(problem) }));
  });
}

class Python {
  private constructor(
    private readonly pyodide: Pyodide,
    private readonly perform: Perform,
  ) {}

  static async load(
    scope: Scope,
    base: string,
    bytes: number,
    progress: (loaded: number) => void,
  ): Promise<Python> {
    const given = scope.fetch;
    scope.fetch = counted(given.bind(scope), bytes, progress);
    try {
      const packages = scope.fetch(`${base}python/exir_viz.zip`).then((answer) => answer.arrayBuffer());
      const { loadPyodide } = await import(`${base}python/pyodide.mjs`);
      const pyodide: Pyodide = await loadPyodide({ indexURL: `${base}python/`, args: ["-B"] });
      pyodide.unpackArchive(await packages, "zip", { extractDir: PACKAGES });
      pyodide.runPython(PYTHON);
      return new Python(pyodide, pyodide.globals.get("answer") as Perform);
    } finally {
      scope.fetch = given;
    }
  }

  /** Imports what reading needs. */
  prepare(): void {
    this.pyodide.runPython("prepare()");
  }

  /** Throws only if Python has crashed, for instance out of memory. */
  read({ id, files, isPage, stages }: ReadFiles): ReaderResponse {
    const { FS } = this.pyodide;
    const folders: string[] = [];
    try {
      for (const { folder, name, file } of files) {
        const at = `${FOLDER}/${folder}`;
        FS.mkdirTree(at);
        FS.mount(FS.filesystems.WORKERFS, { blobs: [{ name, data: file }] }, at);
        folders.push(at);
      }
      const paths = files.map(({ folder, name }) => `${folder}/${name}`);
      const [code, data] = this.perform(paths, isPage, stages).toJs();
      if (code === ANSWERED) return { kind: "answer", id, bytes: data };
      const problem = asProblem(JSON.parse(new TextDecoder().decode(data)));
      if (!problem) throw new Error(`Python answered with code ${code}`);
      return { kind: "problem", id, problem };
    } finally {
      for (const folder of folders) FS.unmount(folder);
    }
  }
}

/** A `fetch` that reports how much of `bytes` has arrived. */
function counted(ask: typeof fetch, bytes: number, progress: (loaded: number) => void): typeof fetch {
  let come = 0;
  return async (...request) => {
    const answer = await ask(...request);
    if (!answer.body) return answer;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        come += chunk.byteLength;
        progress(Math.min(1, come / bytes));
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = answer;
    return new Response(answer.body.pipeThrough(counting), { status, statusText, headers });
  };
}
