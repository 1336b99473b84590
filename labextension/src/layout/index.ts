/** The layout engine's front door. */

export { type PathSink, trace } from "./curve";
export { type Hierarchy, indexTree } from "./hierarchy";
export { Layout } from "./layout";
export { shapes } from "./shapes";
export { LayoutCache } from "./signature";
export * from "./types";
