/** The state that a mount begins with: nothing selected, nothing asked, the picture at its first depth. */
import type { Size } from "../canvas/camera";
import type { Opening, Picture } from "../picture";
import type { State } from "../store";

/** Where the screen is narrower than this, the picture has it for itself. */
const ROOM_FOR_PANEL = 480;

export function firstState(picture: Picture, first: Opening, screen: Size): State {
  return {
    picture,
    scene: first.scene,
    open: first.open,
    unrolled: new Set(),
    selected: [],
    edge: undefined,
    focus: undefined,
    query: "",
    results: { nodes: [], at: -1, of: "" },
    overlay: { name: "kind", scale: "linear" },
    isWeighted: false,
    tab: "node",
    isPanelOpen: screen.width > ROOM_FOR_PANEL,
    isHelpOpen: false,
    isBusy: false,
    problem: undefined,
    canGoBack: false,
    canGoForward: false,
    bookmarks: [],
    searchAsked: 0,
    pointed: -1,
  };
}
