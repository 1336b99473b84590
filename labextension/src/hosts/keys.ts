/**
 * Keys in the explorer are the explorer's. Jupyter matches its shortcuts where the page begins, before a key reaches
 * what has the focus: an arrow would leave the cell, and X would cut it. Its shortcuts keep away from an element that
 * says so, and that is said for as long as a key may mean something here; Ctrl and Command go on to Jupyter.
 */
import { commandOf } from "../ui/shortcuts";

const SUPPRESS = "data-lm-suppress-shortcuts";

export function keepKeys(root: HTMLElement): () => void {
  const view = root.ownerDocument.defaultView;
  const decide = (event: KeyboardEvent): void => {
    const { target } = event;
    if (!(target instanceof Element) || !root.contains(target)) return;
    const isPlain = !event.ctrlKey && !event.metaKey;
    target.toggleAttribute(SUPPRESS, isPlain || commandOf(event, target) !== undefined);
  };
  // The window hears of a key before the document does, where Jupyter listens.
  view?.addEventListener("keydown", decide, true);
  return () => view?.removeEventListener("keydown", decide, true);
}
