/** A worker's script as text: scripts/worker-source.mjs bundles it. */
declare module "*?source" {
  const source: string;
  export default source;
}
