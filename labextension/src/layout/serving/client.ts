/**
 * The page's side of the layout server: requests scenes, wherever they are made.
 *
 * Give it a port (a worker's `postMessage`), and pass the worker's messages to `receive`; without a port it
 * works here, in slices. A newer request for a program resolves the older ones with undefined.
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

  /** Returns the program's number. */
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

  /** The worker has ended: there are no more answers. */
  dispose(): void {
    for (const { resolve } of this.waiting.values()) resolve(undefined);
    this.waiting.clear();
  }
}
