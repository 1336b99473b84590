/** The layout engine's front door. */

export { LayoutClient } from "./client";
export { type Csr, groupBy } from "./csr";
export { type PathSink, trace } from "./curve";
export { type Hierarchy, indexTree } from "./hierarchy";
export { HitIndex, hitsOf, type WorldRect } from "./hit";
export { type BoxSize, insertGroups } from "./insert";
export { Layout } from "./layout";
export type { LocalGraph } from "./local";
export { distanceToLine, lineMeets } from "./nearest";
export { type LayoutRequest, type LayoutResponse, transferables } from "./protocol";
export { type PseudoGroup, type SplitOptions, split } from "./pseudo";
export { findRuns, foldRuns, type IsParted, partRun, type Run } from "./runs";
export { LayoutServer } from "./server";
export { shapes } from "./shapes";
export { LayoutCache } from "./signature";
export { runInSlices, type SliceOptions, whenIdle } from "./slices";
export * from "./types";
export { serveLayouts } from "./worker";
