/** Names unlike any other in the page, also of what another copy of this program put there: each cell has its own. */
import { useState } from "preact/hooks";

/** Random, for no copy knows how far another has counted. */
export const uniqueName = (prefix: string): string =>
  `${prefix}-${Math.random().toString(36).slice(2).padEnd(10, "0")}`;

/** The same for as long as a component stands. */
export const useUniqueName = (prefix: string): string => useState(() => uniqueName(prefix))[0];
