/** Programs compared: what is told of their nodes and modules, and how their pictures are looked at as one. */

export { carriedState, openLike } from "./carried";
export { Columns } from "./columns";
export { Drift } from "./drift";
export { Lineup } from "./lineup";
export { Tally } from "./model/change_counts";
export { Changes, changed, otherSide, SIDES, type Side, titleOf } from "./model/changes";
export { Mates } from "./model/counterparts";
export { asComparison, asTextRows, UnreadableComparison } from "./model/narrow";
export { Pair } from "./model/pair";
export { Row } from "./model/row";
export { firstSight } from "./opening";
