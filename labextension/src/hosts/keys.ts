/**
 * Keys in the explorer belong to the explorer. Jupyter matches shortcuts at the start of the page, before the
 * focused element gets a key: an arrow would leave the cell, and X would cut it. Its shortcuts ignore an
 * element with a certain attribute, which is set for as long as keys mean something here. Ctrl and Command
 * still go to Jupyter.
 */
import { COMMANDS } from "../frame/commands";
import { commandOf } from "../ui/commands";

const SUPPRESS = "data-lm-suppress-shortcuts";

export function keepKeys(root: HTMLElement): () => void {
  const view = root.ownerDocument.defaultView;
  const decide = (event: KeyboardEvent): void => {
    const { target } = event;
    if (!(target instanceof Element) || !root.contains(target)) return;
    const isPlain = !event.ctrlKey && !event.metaKey;
    target.toggleAttribute(SUPPRESS, isPlain || commandOf(COMMANDS, event, target) !== undefined);
  };
  // The window gets a key before the document, where Jupyter listens.
  view?.addEventListener("keydown", decide, true);
  return () => view?.removeEventListener("keydown", decide, true);
}
