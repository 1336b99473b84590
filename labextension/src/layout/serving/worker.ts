/** The layout server behind a worker's messages. Knows nothing of how the worker was made. */

import { type LayoutRequest, type LayoutResponse, transferables } from "./protocol";
import { LayoutServer } from "./server";

/** What is used of a worker's global scope. */
export interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<LayoutRequest>) => void): void;
  postMessage(message: LayoutResponse, transfer: Transferable[]): void;
}

export function serveLayouts(scope: WorkerScope): void {
  const server = new LayoutServer((response) =>
    scope.postMessage(response, response.kind === "scene" ? transferables(response.scene) : []),
  );
  scope.addEventListener("message", ({ data }) => void server.receive(data));
}
