/** What one comparison shows besides its pictures: plain data, replaced and never changed. */
import type { ByColumn } from "./row";
import type { MatchKind } from "./schema";

type PairTab = "changes" | "values" | "costs" | "node";

/** What boxes are coloured by; where that was not measured, by what changed. */
export type PairPaint = "changes" | "values" | "costs";

/** The pictures side by side, one picture of both, or two texts. */
export type ViewMode = "pictures" | "superimposed" | "text";

/** What the pointer is on: by column, the nodes that stand for it, or the boxes of groups. */
export interface Hovered {
  readonly column: number;
  readonly item: number;
  readonly nodes: ByColumn;
  readonly groups: ByColumn;
}

/** Whether a column shows anything of what the pointer is on in another. */
export const isLit = (hovered: Hovered | undefined, column: number): boolean =>
  !!hovered &&
  hovered.column !== column &&
  ((hovered.nodes[column] ?? []).length > 0 || (hovered.groups[column] ?? []).length > 0);

export interface PairState {
  /** Which pair is told of: the number of the column at its left. */
  readonly at: number;
  /** The match of that pair that is looked at; -1 for none. */
  readonly match: number;
  /** The nodes that are looked at, by column. */
  readonly nodes: ByColumn;
  /** The groups that are looked at, by column: items of the picture that is shown there. */
  readonly groups: ByColumn;
  readonly hovered: Hovered | undefined;
  /** The column that was used last: the others follow it. */
  readonly leader: number;
  readonly isOneCamera: boolean;
  readonly isSameHidden: boolean;
  readonly viewMode: ViewMode;
  readonly isHelpOpen: boolean;
  /** Whether there is a box to search with. */
  readonly isFinding: boolean;
  readonly isPanelOpen: boolean;
  /** Other columns are being made ready. */
  readonly isBusy: boolean;
  /** Why they could not be; empty where nothing went wrong. */
  readonly problem: string;
  readonly tab: PairTab;
  readonly paint: PairPaint;
  /** Kinds that the list leaves out. */
  readonly without: ReadonlySet<MatchKind>;
}

/** Nothing looked at yet. */
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
  isFinding: false,
  isPanelOpen: true,
  isBusy: false,
  problem: "",
  tab: "changes",
  paint: "changes",
  without: new Set(),
};

/** The pair to be told of when a column is used: the one that is, where it is of it; else with what is at its left. */
export const pairOf = ({ at }: Pick<PairState, "at">, column: number): number =>
  column === at || column === at + 1 ? at : Math.max(0, column - 1);
