/** Overlays: what a box's colour can say. */

export {
  BUILT_IN,
  kindLegend,
  type Legend,
  makeOverlay,
  type Overlay,
  type Series,
  type Swatch,
} from "./overlay";
export { ramp } from "./ramp";
