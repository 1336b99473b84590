/** The state of one mount: plain data, replaced and never changed. Items are those of `picture`. */
import type { Camera, Size } from "../geometry/camera";
import type { Scene } from "../layout";
import type { ColorRule, Ruled } from "../overlay";
import type { Picture, Stretches } from "../picture";
import type { Snapshot, SymbolValues } from "../snapshot";
import type { Passage } from "../stages";

export type Tab = "node" | "code" | "cost" | "reports";

export type Direction = "ancestors" | "descendants" | "both" | "between";

/** What stays bright while others are dimmed: nodes within some steps of the selection. */
export interface Focus {
  readonly direction: Direction;
  /** Infinity for all. */
  readonly steps: number;
}

/** An edge by its ends, independent of the scene that drew it. */
export interface EdgeRef {
  readonly source: number;
  readonly target: number;
  /** The leaf whose value it carries. */
  readonly value: number;
}

export interface Results {
  /** Node numbers, in program order. */
  readonly nodes: readonly number[];
  /** The index of the current one; -1 before the first step. */
  readonly at: number;
  /** The query of these results. */
  readonly of: string;
  /** Why there are no results, if the query is valid. */
  readonly problem?: string;
}

export interface OverlayChoice {
  /** "kind", "dtype", "device", "module", "file", "bytes", "rules", "report:" with a name, or the label of a series. */
  readonly name: string;
  readonly scale: "linear" | "log" | "quantile";
}

export interface State {
  /** The current stage; a failed one shows its parent's picture. Empty if there is none. */
  readonly stage: string;
  readonly picture: Picture;
  readonly scene: Scene;
  /** How the scene came from that of another stage; undefined if it did not. */
  readonly passage: Passage | undefined;
  readonly open: ReadonlySet<number>;
  /** Groups whose runs of identical modules are shown one by one; the picture's count represents the top. */
  readonly unrolled: ReadonlySet<number>;
  /** Siblings that share one box in the scene. */
  readonly stretches: Stretches;
  readonly selected: readonly number[];
  readonly edge: EdgeRef | undefined;
  readonly focus: Focus | undefined;
  readonly query: string;
  readonly results: Results;
  readonly overlay: OverlayChoice;
  /** Queries that colour ops, and their results. */
  readonly rules: readonly ColorRule[];
  readonly ruled: Ruled;
  readonly isWeighted: boolean;
  /** The sizes of symbols that the user tries; undefined: none. */
  readonly sizes: SymbolValues | undefined;
  readonly tab: Tab;
  /** The report that is open in its tab; "" for none. */
  readonly report: string;
  readonly isPanelOpen: boolean;
  /** Whether the minimap is enabled; it is shown if the picture is not completely visible. */
  readonly isMapShown: boolean;
  readonly isTimelineOpen: boolean;
  /** CSS pixels, as the user set it. */
  readonly timelineHeight: number;
  /** Ops that were brushed on the timeline, which stay bright while others are dimmed; for one Snapshot. */
  readonly brush: Brush | undefined;
  readonly isHelpOpen: boolean;
  readonly isPaletteOpen: boolean;
  /** Whether a layout is running. */
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  /** A short message about an action without a visible effect; empty if there is none. */
  readonly notice: string;
  /** Whether back and forward are possible. */
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  readonly bookmarks: readonly Bookmark[];
  /** The item that a panel names under the pointer; -1 for none. */
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

/** The camera. `target` is where it moves, if it does. */
export interface ViewportState {
  readonly camera: Camera;
  readonly screen: Size;
  readonly target: Camera | undefined;
  /** How far the user has dragged between two stages, 0 … 1; undefined without a drag. */
  readonly scrub?: number | undefined;
}

/** A view in a link or a Python value: only names, independent of a session. */
export interface ViewState {
  readonly stage?: string;
  readonly graph: string;
  readonly folded: boolean;
  /** Whether delegates have boxes. */
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
  /** Whether the timeline is open; absent if not. */
  readonly timeline?: boolean;
  readonly tab?: Tab;
  readonly report?: string;
  readonly camera: Camera;
}
