/** The cost of each node: reads profiles, sums them up, and makes overlays of them. */

export { type Arena, arenas, type Planned } from "./arenas";
export { Boxes } from "./boxes";
export { type CostState, Costs, nextHottest } from "./costs";
export { peak, timeline } from "./memory";
export { asProfile, readProfile, UnreadableProfile } from "./narrow";
export { badgeOf, costOverlay, FIRST_MEASURE, MEASURES, signText } from "./overlay";
export { Profile } from "./profile";
export type { Measuring, ProfileAccess } from "./profile_access";
export * from "./profile_text";
export { hotPath, rollup } from "./rollup";
export type { ProfileRecord } from "./schema";
export { across, differences } from "./stage_comparison";
