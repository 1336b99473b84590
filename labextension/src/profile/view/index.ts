/** Profiles, shown. */

export { ModuleCost, NodeCost } from "./cost";
export { ProfilePanel } from "./panel";
