/** Stages: where they come from, who became whom, and how one follows another on the screen. */

export { across, type Counterparts, counterparts } from "./counterparts";
export { isInferred, said, weakest } from "./evidence";
export { ancestry, childrenOf, type Kin, Kinship, NO_KINSHIP, wayBetween } from "./kinship";
export { asTree, UnreadableStages } from "./narrow";
export { type Anchor, anchorOf, type Passage, passage } from "./passage";
export { Seats } from "./seats";
export type { Options, Progress, SourceState, StageActions, StageSource } from "./source";
export { Stages } from "./stages";
export { twins } from "./twins";
