/** Two programs compared: what is told of their nodes and modules, and how both are looked at as one. */

export { Changes, changed, otherSide, SIDES, type Side, titleOf } from "./changes";
export { Drift } from "./drift";
export { Mates } from "./mates";
export { asComparison, asTextRows, UnreadableComparison } from "./narrow";
export { firstSight } from "./opening";
export { Tally } from "./tally";
