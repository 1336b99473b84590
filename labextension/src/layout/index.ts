/** The public interface of the layout engine. */

export { type Csr, groupBy } from "./csr";
export { type PathSink, trace } from "./curve";
export { type BoxSize, insertGroups, type PseudoGroup, split } from "./grouping/pseudo";
export { findRuns, foldRuns, partRun, type Run, type SplitsRun } from "./grouping/runs";
export { shapes } from "./grouping/shapes";
export { HitIndex, hitsOf, type WorldRect } from "./hit";
export { LayoutCache } from "./layered/signature";
export { Layout } from "./layout";
export { lineMeets } from "./nearest";
export { type Hierarchy, indexTree } from "./scene/hierarchy";

export { LayoutClient } from "./serving/client";
export { type LayoutRequest, type LayoutResponse, transferables } from "./serving/protocol";
export { LayoutServer, serveLayouts } from "./serving/server";
export { runInSlices, whenIdle } from "./serving/slices";
export * from "./types";
