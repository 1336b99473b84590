/**
 * Scenes for views: small ones are laid out at once, large ones in a worker, or in slices on this thread if
 * workers are forbidden (a content security policy reports that by an error event, not by an exception).
 */
import {
  LayoutClient,
  type LayoutRequest,
  type LayoutResponse,
  runInSlices,
  type Scene,
  type View,
  whenIdle,
} from "../layout";
import source from "../layout/serving/layout.worker?source";
import type { Picture } from "../picture";

/** Pictures with at most this many items are laid out at once. */
const SMALL = 500;
/** Milliseconds of work between two pauses, while a layout is prepared. */
const SLICE = 4;

export class Arranger {
  private worker: Worker | undefined;
  private client: LayoutClient | undefined;
  private readonly programs = new Map<Picture, number>();
  private readonly warming = new Set<Picture>();
  private isForbidden = false;

  /** Undefined if a newer request came before the answer. */
  async scene(picture: Picture, view: View): Promise<Scene | undefined> {
    if (picture.count <= SMALL) return picture.layout.scene(view);
    const client = this.start();
    let program = this.programs.get(picture);
    if (program === undefined) {
      program = client.open(picture.sizedTree());
      this.programs.set(picture, program);
    }
    const scene = await client.layout(program, view);
    const wasLost = client !== this.client && this.client !== undefined;
    return wasLost && !scene ? this.scene(picture, view) : scene;
  }

  /** Creates the worker and sends it the picture in advance, while the page is idle. */
  async warm(picture: Picture): Promise<void> {
    if (picture.count <= SMALL || this.programs.has(picture) || this.warming.has(picture)) return;
    this.warming.add(picture);
    const client = this.start();
    const cancelled = (): boolean =>
      client !== this.client || this.programs.has(picture) || !this.warming.has(picture);
    await runInSlices(picture.sizeInSteps(), { budget: SLICE, cancelled, pause: whenIdle });
    if (!cancelled()) this.programs.set(picture, client.open(picture.sizedTree()));
    this.warming.delete(picture);
  }

  /** Releases what is cached for some pictures. They are sent again if needed. */
  release(isOver: (picture: Picture) => boolean): void {
    for (const picture of this.warming) if (isOver(picture)) this.warming.delete(picture);
    for (const [picture, program] of this.programs) {
      if (!isOver(picture)) continue;
      this.client?.close(program);
      this.programs.delete(picture);
    }
  }

  dispose(): void {
    this.worker?.terminate();
    this.client?.dispose();
    this.worker = undefined;
    this.client = undefined;
    this.programs.clear();
    this.warming.clear();
  }

  private start(): LayoutClient {
    if (this.client) return this.client;
    const worker = this.isForbidden ? undefined : makeWorker();
    this.worker = worker;
    if (!worker) {
      this.client = new LayoutClient();
      return this.client;
    }
    const client = new LayoutClient((request: LayoutRequest) => worker.postMessage(request));
    worker.onmessage = ({ data }: MessageEvent<LayoutResponse>) => client.receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      this.isForbidden = true;
      this.programs.clear();
      this.worker = undefined;
      this.client = new LayoutClient();
      client.dispose();
    };
    this.client = client;
    return client;
  }
}

function makeWorker(): Worker | undefined {
  try {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const worker = new Worker(url);
    // The URL must live until the worker's first message or error shows that the script was loaded.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    return worker;
  } catch {
    return undefined; // no Worker here, or it is forbidden: the caller lays out on this thread
  }
}
