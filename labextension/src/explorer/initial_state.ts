/** The initial state of a mount: nothing selected, no query, the first groups open. */
import { NO_STRETCHES, type Opening, type Picture } from "../picture";
import { type State, TIMELINE_HEIGHT } from "../store";

const NO_RULED = new Map<number, number>();

export function firstState(picture: Picture, first: Opening, stage: string): State {
  return {
    stage,
    picture,
    scene: first.scene,
    passage: undefined,
    open: first.open,
    unrolled: new Set(),
    stretches: NO_STRETCHES,
    selected: [],
    edge: undefined,
    focus: undefined,
    query: "",
    results: { nodes: [], at: -1, of: "" },
    overlay: { name: "kind", scale: "linear" },
    rules: [],
    ruled: NO_RULED,
    isWeighted: false,
    sizes: undefined,
    tab: "node",
    report: "",
    isPanelOpen: true,
    isMapShown: true,
    isTimelineOpen: false,
    timelineHeight: TIMELINE_HEIGHT.first,
    brush: undefined,
    isHelpOpen: false,
    isPaletteOpen: false,
    isBusy: false,
    problem: undefined,
    notice: "",
    canGoBack: false,
    canGoForward: false,
    bookmarks: [],
    pointed: -1,
  };
}
