/** The state of one mount, and how it is written down. */

export * from "./state";
export { Store } from "./store";
export { asView, focusOf, itemsOf, linkOf, viewOfLink, writeView } from "./view";
