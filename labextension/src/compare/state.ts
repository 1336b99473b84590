/** What one comparison shows besides its two pictures: plain data, replaced and never changed. */
import type { Side } from "./changes";
import type { MatchKind } from "./schema";

export type PairTab = "changes" | "node";

export interface PairState {
  /** The match that is looked at; -1 for none. */
  readonly match: number;
  /** What the pointer is on: a side, and matches. */
  readonly hovered: { readonly side: Side; readonly matches: readonly number[] } | undefined;
  readonly leader: Side;
  readonly isOneCamera: boolean;
  readonly isSameHidden: boolean;
  readonly isText: boolean;
  readonly isHelpOpen: boolean;
  readonly isPanelOpen: boolean;
  readonly tab: PairTab;
  /** Kinds that the list leaves out. */
  readonly without: ReadonlySet<MatchKind>;
}

/** Nothing looked at yet. */
export const FIRST: PairState = {
  match: -1,
  hovered: undefined,
  leader: 1,
  isOneCamera: true,
  isSameHidden: false,
  isText: false,
  isHelpOpen: false,
  isPanelOpen: true,
  tab: "changes",
  without: new Set(),
};
