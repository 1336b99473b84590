/** Compared programs: the changes of nodes and modules, and the views that show them together. */

export { SceneOffset } from "./camera/scene_offset";
export { Columns, keptState, openLike } from "./columns/columns";
export { initialExpansion } from "./columns/initial_expansion";
export { StageColumns } from "./columns/stage_columns";
export { Changes, SIDES, type Side } from "./model/changes";
export { Counterparts } from "./model/counterparts";
export { asComparison, asTextRows } from "./model/narrow";

export { Row } from "./model/row";
export { Tally } from "./model/tally";
