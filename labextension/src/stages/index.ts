/** Stages: where they come from, who became whom, and how one follows another on the screen. */

export { asCard, opUses } from "./card";
export { CARRIED, type Carried, CarriedSource, type CarriedWhat } from "./carried";
export { comparable, comparedFirst } from "./comparable";
export { across, type Counterparts, counterparts } from "./counterparts";
export { isInferred, said, weakest } from "./evidence";
export { ancestry, childrenOf, descendants, type Kin, Kinship, NO_KINSHIP, wayBetween } from "./kinship";
export { type Ladder, ladder, type StageRung } from "./ladder";
export { asTree, UnreadableStages } from "./narrow";
export { type Anchor, nearestAnchor, type Passage, passage } from "./passage";
export type { Finding, Fix, Offer, OpCard, StageRecord, StageTree, StepKind } from "./schema";
export { Seats } from "./seats";
export { cellsOf, type Move, moved, rowsOf } from "./shape";
export type {
  Options,
  Progress,
  Save,
  Saved,
  SourceState,
  StageActions,
  StageSource,
} from "./source";
export { Stages, shownOf } from "./stages";
export { twins } from "./twins";
