/** The Snapshot as the front end reads it. */

export { UnreadableSnapshot } from "./container";
export * from "./describe";
export { type ExecutionSteps, executionSteps } from "./execution_steps";
export * from "./format";
export { baseName, callFrames, framesOf, isCell, lineQuery, usersFrame, usersFrames } from "./frames";
export { Graph, isMutation } from "./graph";
export { type Formulas, NodeValues } from "./node_values";
export { doesWork, isAssert, isInstruction, isItem, isMemory, OP_KINDS, opName, opTitle } from "./opkind";
export { evaluatePostfix, type SymbolValues } from "./postfix";
export { readFile, readPacked, readSections, type Section, savedReports } from "./read";
export * from "./schema";
export { type ReportSource, Snapshot } from "./snapshot";
export { ITEM, KINDS, type OpKind, PALETTE } from "./tables";
