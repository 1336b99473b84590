/** The explorer's side of moving between its cell and a tab: the command, while an extension is present. */
import type { Explorer } from "../explorer";
import {
  CAN_MOVE,
  ENDED,
  MOVE,
  MOVED,
  type Moved,
  onTabEvent,
  SHOWN,
  type ShownExplorer,
  tell,
} from "./tab_events";

/** Offers the command; returns a function that removes it. */
export function offerTab(explorer: Explorer, shown: ShownExplorer): () => void {
  const document = shown.host.ownerDocument;
  if (!document.documentElement.hasAttribute(CAN_MOVE)) return () => undefined;
  const offer = (isInTab: boolean): void => {
    explorer.hostAction = {
      title: isInTab ? "Move back to the cell" : "Open in a tab",
      run: () => tell(document, MOVE, shown),
    };
  };
  offer(false);
  const stop = onTabEvent<Moved>(document, MOVED, ({ id, isInTab }) => {
    if (id === shown.id) offer(isInTab);
  });
  tell(document, SHOWN, shown);
  return () => {
    stop();
    tell(document, ENDED, shown);
  };
}
