/** The Snapshot as the front end reads it. */

export { UnreadableSnapshot } from "./container";
export * from "./describe";
export * from "./format";
export { baseName, callFrames, framesOf, lineQuery, usersFrame, usersFrames } from "./frames";
export { Graph } from "./graph";
export { isAssert, OP_KINDS, opName, opTitle } from "./opkind";
export { readFile, readSections, type Section } from "./read";
export * from "./schema";
export { Snapshot } from "./snapshot";
export { KINDS, type OpKind, PALETTE } from "./tables";
