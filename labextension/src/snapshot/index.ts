/** The Snapshot as the front end reads it. */

export { UnreadableSnapshot } from "./container";
export * from "./describe";
export * from "./format";
export { baseName, callFrames, framesOf, isCell, lineQuery, usersFrame, usersFrames } from "./frames";
export { Graph } from "./graph";
export { NodeValues } from "./node_values";
export { isAssert, isInstruction, OP_KINDS, opName, opTitle } from "./opkind";
export { evaluatePostfix, type SymbolValues } from "./postfix";
export { readFile, readSections, type Section } from "./read";
export * from "./schema";
export { Snapshot } from "./snapshot";
export { KINDS, type OpKind, PALETTE } from "./tables";
