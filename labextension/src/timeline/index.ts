/** The timeline: ops in execution order, with their modules, times, delegates and memory. */

export type { Hit } from "./hit";
export { methodGraph, type Timeline, timelineOf } from "./model";
export { rooflineOf } from "./roofline";
export { rangesOf } from "./sequence";
export { costText, liveBasis } from "./timeline_text";
