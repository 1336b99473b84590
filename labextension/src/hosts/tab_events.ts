/**
 * How an explorer in a cell and JupyterLab's extension find each other, to move the explorer into a tab, to
 * show the cell of a line and to save the picture. They are two scripts that share only the page. All events
 * go to the page's document.
 */

import type { Explorer } from "../explorer";
import type { CellLine } from "../ui/actions";

/** On the page's root element while an extension can move explorers. */
export const CAN_MOVE = "data-exirviz-can-move";

/** An explorer is in the page. */
export const SHOWN = "exirviz-shown";
/** Its cell was cleared or run again, or its kernel's widget closed. */
export const ENDED = "exirviz-ended";
/** The user wants to move it into a tab, or back into its cell. */
export const MOVE = "exirviz-move";
/** From the extension: it is now in a tab, or in its cell. */
export const MOVED = "exirviz-moved";

/** What an extension knows of an explorer. `host` contains all that is moved. */
export interface ShownExplorer {
  /** Stays the same after a reload of the page. */
  readonly id: string;
  readonly title: string;
  readonly host: HTMLElement;
  /** The visible part of the graph as SVG. */
  picture(): string;
}

interface Moved {
  readonly id: string;
  readonly isInTab: boolean;
}

/** The user wants to see a line of a cell in the notebook of an explorer. */
export const SHOW_CELL = "exirviz-show-cell";

export interface WantedCell {
  readonly host: HTMLElement;
  readonly line: CellLine;
  /** Called if no open notebook has the cell. */
  readonly onMissing: () => void;
}

export function emitTabEvent(
  document: Document,
  type: string,
  detail: ShownExplorer | Moved | WantedCell,
): void {
  document.dispatchEvent(new CustomEvent(type, { detail }));
}

/** Calls back with each event of a type; returns a function that stops it. */
export function onTabEvent<Detail>(
  document: Document,
  type: string,
  then: (detail: Detail) => void,
): () => void {
  const listener = (event: Event): void => then((event as CustomEvent<Detail>).detail);
  document.addEventListener(type, listener);
  return () => document.removeEventListener(type, listener);
}

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
