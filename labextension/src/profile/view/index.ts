/** Profiles, shown. */

export { ModuleCost, NodeCost } from "./cost";
export { ProfilePanel, type ProfilePanelProps } from "./panel";
