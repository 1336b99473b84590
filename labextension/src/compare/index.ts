/** Programs compared: what is told of their nodes and modules, and how their pictures are looked at as one. */

export { SceneOffset } from "./camera/scene_offset";
export { Columns } from "./columns/columns";
export { initialExpansion } from "./columns/initial_expansion";
export { StageColumns } from "./columns/stage_columns";
export { carriedState, openLike } from "./columns/state_transfer";
export { Changes, SIDES, type Side } from "./model/changes";
export { Counterparts } from "./model/counterparts";
export { asComparison, asTextRows } from "./model/narrow";

export { Row } from "./model/row";
export { Tally } from "./model/tally";
