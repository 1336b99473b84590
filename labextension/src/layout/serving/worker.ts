/** The layout server behind a worker's messages. It does not depend on how the worker was created. */

import { type LayoutRequest, type LayoutResponse, transferables } from "./protocol";
import { LayoutServer } from "./server";

/** The part of a worker's global scope that is used. */
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
