/** The explorer's side of JupyterLab's extension, while one is present: the commands that need it. */
import type { Explorer } from "../explorer";
import {
  CAN_MOVE,
  ENDED,
  emitTabEvent,
  MOVE,
  MOVED,
  type Moved,
  onTabEvent,
  SHOW_CELL,
  SHOWN,
  type ShownExplorer,
} from "./tab_events";

const NO_CELL = "No open notebook has this cell, or its text changed.";

/** Offers to move into a tab and to show cells; returns a function that ends it. */
export function offerTab(explorer: Explorer, shown: ShownExplorer): () => void {
  const document = shown.host.ownerDocument;
  if (!document.documentElement.hasAttribute(CAN_MOVE)) return () => undefined;
  const offer = (isInTab: boolean): void => {
    explorer.hostAction = {
      title: isInTab ? "Move back to the cell" : "Open in a tab",
      run: () => emitTabEvent(document, MOVE, shown),
    };
  };
  offer(false);
  const onMissing = (): void => explorer.store.set({ notice: NO_CELL });
  explorer.showCell = (line) => emitTabEvent(document, SHOW_CELL, { host: shown.host, line, onMissing });
  const stop = onTabEvent<Moved>(document, MOVED, ({ id, isInTab }) => {
    if (id === shown.id) offer(isInTab);
  });
  emitTabEvent(document, SHOWN, shown);
  return () => {
    stop();
    emitTabEvent(document, ENDED, shown);
  };
}
