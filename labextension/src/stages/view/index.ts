/** The views of stages: the strip, and what opens below it. */

export { Busy } from "./busy";
export { Dock } from "./dock";
export { Deleted } from "./edit_stage";
export { Failed } from "./failed";
export { Form } from "./form";
export { Grid } from "./grid";
export { Pill } from "./pill";
export { StageDetails } from "./stage_details";
export type { FinalAction } from "./steps";
export { Steps } from "./steps";
export { Strip } from "./strip";
