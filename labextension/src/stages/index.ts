/** Stages: their sources, their correspondence, and the transition from one to another. */

export { across, type Counterparts, counterparts } from "./counterparts";
export { evidenceText, isInferred, weakest } from "./evidence";
export { asTree } from "./narrow";
export { type NodeRelatives, nodeCounterparts } from "./node_counterparts";
export { type NodeTrace, type TraceStep, trace } from "./node_trace";
export { asCard, opUses } from "./op_card";
export {
  SAVED_PARTS,
  type SavedPart,
  SavedStageSource,
  type SavedStages,
  savedComparing,
} from "./saved_stages";
export type { Finding, Offer, OpCard, StageRecord, StageTree } from "./schema";
export { cellsOf, comparable, comparedFirst, lineThrough, type Move, moved, rowsOf } from "./shape";
export type {
  Options,
  SourceState,
  StageActions,
  StageComparing,
  StageSource,
} from "./source";
export { StablePositions } from "./stable_positions";
export {
  descendants,
  NO_MAPPING,
  StageMapping,
  wayBetween,
} from "./stage_mapping";
export { whyNot, whyNotLive } from "./stage_text";
export { type Anchor, nearestAnchor, type Passage, passage } from "./stage_transition";
export { Stages, shownOf } from "./stages";
