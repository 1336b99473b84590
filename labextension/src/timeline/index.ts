/** The timeline: ops in execution order, with their modules, times, delegates and memory. */

export { type Hit, linesOf } from "./hit";
export { methodGraph, type Timeline, timelineOf } from "./model";
export { type Roofline, rooflineOf } from "./roofline";
export { rangesOf } from "./sequence";
export { costText, liveBasis, opLines } from "./timeline_text";
