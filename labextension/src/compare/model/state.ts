/** The state of one comparison except its graphs: plain data, replaced and never changed. */
import type { ByColumn } from "./row";
import type { MatchKind } from "./schema";

type PairTab = "changes" | "values" | "costs" | "node";

/** What boxes are coloured by; changes if that was not measured. */
export type PairPaint = "changes" | "values" | "costs";

/** Graphs side by side, or two texts. */
export type ViewMode = "pictures" | "text";

/** What the pointer is on: by column, its nodes or the boxes of groups. */
export interface Hovered {
  readonly column: number;
  readonly item: number;
  readonly nodes: ByColumn;
  readonly groups: ByColumn;
}

/** Whether a column shows a counterpart of what the pointer is on in another. */
export const isHighlighted = (hovered: Hovered | undefined, column: number): boolean =>
  !!hovered &&
  hovered.column !== column &&
  ((hovered.nodes[column] ?? []).length > 0 || (hovered.groups[column] ?? []).length > 0);

export interface PairState {
  /** The current pair: the index of its left column. */
  readonly at: number;
  /** The selected match of that pair; -1 for none. */
  readonly match: number;
  /** The selected nodes, by column. */
  readonly nodes: ByColumn;
  /** The selected groups, by column: items of the graph that is shown there. */
  readonly groups: ByColumn;
  readonly hovered: Hovered | undefined;
  /** The column that was used last: the others follow it. */
  readonly leader: number;
  readonly isOneCamera: boolean;
  readonly isSameHidden: boolean;
  readonly viewMode: ViewMode;
  readonly isHelpOpen: boolean;
  readonly isPaletteOpen: boolean;
  readonly isPanelOpen: boolean;
  /** Whether other columns are being loaded. */
  readonly isBusy: boolean;
  /** Why they could not be loaded; empty if they could. */
  readonly problem: string;
  readonly tab: PairTab;
  readonly paint: PairPaint;
  /** Kinds hidden in the list. */
  readonly without: ReadonlySet<MatchKind>;
}

/** The initial state, with nothing selected. */
export const FIRST: PairState = {
  at: 0,
  match: -1,
  nodes: [],
  groups: [],
  hovered: undefined,
  leader: 1,
  isOneCamera: true,
  isSameHidden: false,
  viewMode: "pictures",
  isHelpOpen: false,
  isPaletteOpen: false,
  isPanelOpen: true,
  isBusy: false,
  problem: "",
  tab: "changes",
  paint: "changes",
  without: new Set(),
};

/**
 * The pair to make current when a column is used: the current one if the column is in it, else the pair with
 * the column at its left.
 */
export const pairOf = ({ at }: Pick<PairState, "at">, column: number): number =>
  column === at || column === at + 1 ? at : Math.max(0, column - 1);
