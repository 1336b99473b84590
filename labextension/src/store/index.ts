/** The state of one mount, and saved views. */

export * from "./state";
export { Store } from "./store";
export { asView, focusOf, itemsOf, linkOf, viewOfLink, writeView } from "./view";
