/** Overlays: what boxes can be coloured by. */

export { delegateColors, delegationOverlay } from "./delegation";
export {
  BUILT_IN,
  HEAT,
  HEAT_PARTS,
  kindLegend,
  type Laid,
  type Legend,
  makeOverlay,
  type Overlay,
  type OverlayChoice,
  type Series,
  TICKS,
  WITH_DETAIL,
} from "./overlay";
export { type Ramp, ramp, type Scale } from "./ramp";
export { type ColorRule, isColor, nextColor, RULES, type Ruled, rulesOverlay } from "./rules";
