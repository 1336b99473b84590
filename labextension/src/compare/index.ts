/** Programs compared: what is told of their nodes and modules, and how their pictures are looked at as one. */

export { Drift } from "./camera/scene_offset";
export { Columns } from "./columns/columns";
export { firstSight } from "./columns/initial_expansion";
export { Lineup } from "./columns/stage_columns";
export { carriedState, openLike } from "./columns/state_transfer";
export { Tally } from "./model/change_counts";
export { Changes, changed, otherSide, SIDES, type Side, titleOf } from "./model/changes";
export { Mates } from "./model/counterparts";
export { asComparison, asTextRows, UnreadableComparison } from "./model/narrow";
export { Pair } from "./model/pair";
export { Row } from "./model/row";
