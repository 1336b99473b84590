/** A Snapshot's graph as a picture: its boxes, their text, and what is open. */

export type { Form } from "./build";
export { isFoldable } from "./fold";
export { ItemKind } from "./items";
export { type Opening, opening, type Screen } from "./opening";
export { itemsAt, Picture } from "./picture";
export { runsOnCpu } from "./runs_on_cpu";
export { BADGE, BOX, CHIP, FIRST, type Measure, MODULE, shownChips, type TextRole } from "./sizes";
export { NO_STRETCHES, namesIn, type Stretch, type Stretches, stretchesByItem } from "./stretch";
