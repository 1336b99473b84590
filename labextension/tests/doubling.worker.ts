/** A worker that is sure to need bundling: half of it lives in another file. */
import { doubled } from "./doubling";

const worker = globalThis as unknown as {
  onmessage: (event: { data: number }) => void;
  postMessage(value: number): void;
};
worker.onmessage = ({ data }) => worker.postMessage(doubled(data));
