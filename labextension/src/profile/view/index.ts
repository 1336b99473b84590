/** Views of profiles. */

export { ModuleCost, NodeCost } from "./cost";
export { ProfilePanel } from "./panel";
