/**
 * How an explorer in a cell and JupyterLab's extension find each other, so that the explorer can be moved into a tab.
 * They are two scripts: what they share is the page. All events go to the page's document.
 */

/** On the page's root element while an extension is there that can move explorers. */
export const CAN_MOVE = "data-exirviz-can-move";

/** An explorer stands in the page. */
export const SHOWN = "exirviz-shown";
/** Its cell was cleared or run again, or its kernel's widget closed. */
export const ENDED = "exirviz-ended";
/** The user wants it in a tab, or back in its cell. */
export const MOVE = "exirviz-move";
/** From the extension: it is in a tab now, or in its cell. */
export const MOVED = "exirviz-moved";

/** What an extension needs to know of an explorer. `host` holds all that is to be moved. */
export interface ShownExplorer {
  /** The same after the page was loaded again. */
  readonly id: string;
  readonly title: string;
  readonly host: HTMLElement;
}

export interface Moved {
  readonly id: string;
  readonly isInTab: boolean;
}

export function tell(document: Document, type: string, detail: ShownExplorer | Moved): void {
  document.dispatchEvent(new CustomEvent(type, { detail }));
}

/** Calls back with each event of a type; gives back what ends it. */
export function hear<Detail>(document: Document, type: string, then: (detail: Detail) => void): () => void {
  const listener = (event: Event): void => then((event as CustomEvent<Detail>).detail);
  document.addEventListener(type, listener);
  return () => document.removeEventListener(type, listener);
}
