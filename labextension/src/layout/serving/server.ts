/**
 * Answers layout requests, one per program at a time: a newer request ends an older one, which is answered
 * with "dropped". Each request has exactly one answer. Runs in the worker, or in the page if there is none.
 */
import { LayoutCache } from "../layered/signature";
import { Layout } from "../layout";
import type { View } from "../types";
import { type LayoutRequest, type LayoutResponse, transferables } from "./protocol";
import { runInSlices, type SliceOptions } from "./slices";

export class LayoutServer {
  private readonly programs = new Map<number, Layout>();
  /** The current request of each program. */
  private readonly current = new Map<number, number>();
  private readonly cache = new LayoutCache();

  constructor(
    private readonly answer: (response: LayoutResponse) => void,
    private readonly slices: Pick<SliceOptions, "budget" | "pause" | "now"> = {},
  ) {}

  /** Resolves when the request is answered. */
  async receive(request: LayoutRequest): Promise<void> {
    switch (request.kind) {
      case "open":
        this.programs.set(request.program, new Layout(request.tree, request.options, this.cache));
        return;
      case "close":
        this.programs.delete(request.program);
        this.current.delete(request.program);
        return;
      case "cancel":
        for (const [program, id] of this.current) if (id === request.id) this.current.delete(program);
        return;
      case "layout":
        return this.layout(request.id, request.program, request.view);
    }
  }

  private async layout(id: number, program: number, view: View): Promise<void> {
    this.current.set(program, id);
    const now = this.slices.now ?? (() => performance.now());
    const start = now();
    try {
      const layout = this.programs.get(program);
      if (!layout) throw new Error(`Program ${program} is not open. Send "open" with its tree first.`);
      const cancelled = (): boolean => this.current.get(program) !== id;
      const scene = await runInSlices(layout.steps(view), { ...this.slices, cancelled });
      if (scene && !cancelled()) this.answer({ kind: "scene", id, scene, ms: now() - start });
      else this.answer({ kind: "dropped", id });
    } catch (error) {
      this.answer({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
    }
    if (this.current.get(program) === id) this.current.delete(program);
  }
}

/** The part of a worker's global scope that is used. */
export interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<LayoutRequest>) => void): void;
  postMessage(message: LayoutResponse, transfer: Transferable[]): void;
}

/** Serves the messages of a worker, however that was created. */
export function serveLayouts(scope: WorkerScope): void {
  const server = new LayoutServer((response) =>
    scope.postMessage(response, response.kind === "scene" ? transferables(response.scene) : []),
  );
  scope.addEventListener("message", ({ data }) => void server.receive(data));
}
