/** What each node cost: profiles read, rolled up, and told to the picture. */

export { across, type Cell, differences, type Line, wholes } from "./across";
export { type Arena, arenas, type Planned } from "./arenas";
export { Boxes } from "./boxes";
export { type CostState, Costs, nextHottest } from "./costs";
export { peak, type Step, timeline } from "./memory";
export { asProfile, readProfile, UnreadableProfile } from "./narrow";
export { badgeOf, costOverlay, FIRST_MEASURE, MEASURES, signText } from "./overlay";
export { Profile } from "./profile";
export { type By, hotPath, rollup } from "./rollup";
export type { ProfileRecord } from "./schema";
export type { CostSight, Measure, Measuring } from "./sight";
export * from "./words";
