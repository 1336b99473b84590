/** A worker that needs bundling: it imports another file. */
import { doubled } from "./doubling";

const worker = globalThis as unknown as {
  onmessage: (event: { data: number }) => void;
  postMessage(value: number): void;
};
worker.onmessage = ({ data }) => worker.postMessage(doubled(data));
