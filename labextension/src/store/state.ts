/** What one mount shows: plain data, replaced and never changed. Items are those of `picture`. */
import type { Camera, Size } from "../geometry/camera";
import type { Scene } from "../layout";
import type { ColorRule, Ruled } from "../overlay";
import type { Picture, Stretches } from "../picture";
import type { Snapshot } from "../snapshot";
import type { Passage } from "../stages";

export type Tab = "node" | "code" | "signature" | "shapes" | "profile" | "findings" | "delegation";

export type Direction = "ancestors" | "descendants" | "both" | "between";

/** What is bright while the rest is dimmed: what is reached from the selection in so many steps. */
export interface Focus {
  readonly direction: Direction;
  /** Infinity reaches all. */
  readonly steps: number;
}

/** An edge by its ends, which outlive the scene that drew it. */
export interface EdgeRef {
  readonly source: number;
  readonly target: number;
  /** The leaf whose value it carries. */
  readonly value: number;
}

export interface Results {
  /** Node numbers, in program order. */
  readonly nodes: readonly number[];
  /** Which of them is looked at; -1 before the first step. */
  readonly at: number;
  /** The query that this answers. */
  readonly of: string;
  /** Why there is no answer, where that is not the query's fault. */
  readonly problem?: string;
}

export interface OverlayChoice {
  /** "kind", "dtype", "device", "module", "file", "bytes", "rules", or the label of numbers handed over. */
  readonly name: string;
  readonly scale: "linear" | "log" | "quantile";
}

export interface State {
  /** The stage that is looked at; a failed one shows the picture of what it was made from. Empty where none is. */
  readonly stage: string;
  readonly picture: Picture;
  readonly scene: Scene;
  /** How the scene came from that of another stage; undefined where it did not. */
  readonly passage: Passage | undefined;
  readonly open: ReadonlySet<number>;
  /** Groups whose runs of equal modules are shown one by one; the picture's count stands for the top. */
  readonly unrolled: ReadonlySet<number>;
  /** Siblings that stand as one box in the scene. */
  readonly stretches: Stretches;
  readonly selected: readonly number[];
  readonly edge: EdgeRef | undefined;
  readonly focus: Focus | undefined;
  readonly query: string;
  readonly results: Results;
  readonly overlay: OverlayChoice;
  /** Queries that colour ops, and what they found. */
  readonly rules: readonly ColorRule[];
  readonly ruled: Ruled;
  readonly isWeighted: boolean;
  readonly tab: Tab;
  readonly isPanelOpen: boolean;
  /** Whether the minimap is welcome; it stands where the picture is not seen as a whole. */
  readonly isMapShown: boolean;
  readonly isTimelineOpen: boolean;
  /** CSS pixels, as the reader dragged it. */
  readonly timelineHeight: number;
  /** Ops that were chosen on the timeline: bright while the rest is dimmed, in the Snapshot that they are of. */
  readonly brush: Brush | undefined;
  readonly isHelpOpen: boolean;
  readonly isPaletteOpen: boolean;
  /** A layout that is not there yet. */
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  /** What was done that leaves no trace on the screen, said for a moment; empty where nothing was. */
  readonly notice: string;
  /** Whether there is somewhere to go back or forward to. */
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  readonly bookmarks: readonly Bookmark[];
  /** An item named by a panel that the pointer is on; -1 for none. */
  readonly pointed: number;
}

/** CSS pixels. */
export const TIMELINE_HEIGHT = { first: 230, least: 120, most: 700 } as const;

export interface Brush {
  readonly snapshot: Snapshot;
  /** Node numbers. */
  readonly nodes: readonly number[];
}

interface Bookmark {
  readonly title: string;
  readonly view: ViewState;
}

/** Where the viewer looks. `target` is where it is going, if it is. */
export interface ViewportState {
  readonly camera: Camera;
  readonly screen: Size;
  readonly target: Camera | undefined;
  /** How far the reader has dragged the way between two stages, 0 … 1; undefined while nobody does. */
  readonly scrub?: number | undefined;
}

/** A view as a link or a Python value holds it: names only, nothing of one session. */
export interface ViewState {
  readonly stage?: string;
  readonly graph: string;
  readonly folded: boolean;
  /** Whether delegates are boxes. */
  readonly delegates?: boolean;
  readonly open: readonly string[];
  readonly unrolled: readonly string[];
  readonly selected: readonly string[];
  readonly focus?: { readonly direction: Direction; readonly steps: number | "all" };
  readonly query?: string;
  readonly overlay?: string;
  readonly scale?: OverlayChoice["scale"];
  readonly rules?: readonly ColorRule[];
  readonly weighted?: boolean;
  /** Whether the timeline is open; absent where it is not. */
  readonly timeline?: boolean;
  readonly tab?: Tab;
  readonly camera: Camera;
}
