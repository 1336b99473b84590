/**
 * The viewer's side of the layout server: asks for scenes, and does not care where they are made.
 *
 * Give it a port (a worker's `postMessage`), and hand what the worker says to `receive`; without a port the
 * work is done here, in slices. A newer request for a program resolves the older ones with undefined.
 */

import type { LayoutOptions, Scene, Tree, View } from "../types";
import type { LayoutRequest, LayoutResponse } from "./protocol";
import { LayoutServer } from "./server";

interface Waiting {
  readonly resolve: (scene: Scene | undefined) => void;
  readonly reject: (error: Error) => void;
}

export class LayoutClient {
  private readonly waiting = new Map<number, Waiting>();
  private readonly send: (request: LayoutRequest) => void;
  private lastId = 0;
  private lastProgram = 0;

  constructor(port?: (request: LayoutRequest) => void) {
    const server = port ? undefined : new LayoutServer((response) => this.receive(response));
    this.send = port ?? ((request) => void server?.receive(request));
  }

  /** Gives the program's number. */
  open(tree: Tree, options: Partial<LayoutOptions> = {}): number {
    const program = ++this.lastProgram;
    this.send({ kind: "open", program, tree, options });
    return program;
  }

  layout(program: number, view: View): Promise<Scene | undefined> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ kind: "layout", id, program, view });
    });
  }

  close(program: number): void {
    this.send({ kind: "close", program });
  }

  receive(response: LayoutResponse): void {
    const waiting = this.waiting.get(response.id);
    this.waiting.delete(response.id);
    if (response.kind === "failed") waiting?.reject(new Error(response.message));
    else waiting?.resolve(response.kind === "scene" ? response.scene : undefined);
  }

  /** The worker is gone: nothing more will be answered. */
  dispose(): void {
    for (const { resolve } of this.waiting.values()) resolve(undefined);
    this.waiting.clear();
  }
}
