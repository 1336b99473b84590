/** Programs compared: what is told of their nodes and modules, and how their pictures are looked at as one. */

export { carriedState, openLike } from "./carried";
export { Changes, changed, otherSide, SIDES, type Side, titleOf } from "./changes";
export { Columns } from "./columns";
export { Drift } from "./drift";
export { Lineup } from "./lineup";
export { Mates } from "./mates";
export { asComparison, asTextRows, UnreadableComparison } from "./narrow";
export { firstSight } from "./opening";
export { Pair } from "./pair";
export { Row } from "./row";
export { Tally } from "./tally";
