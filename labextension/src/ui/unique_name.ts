/**
 * Names that are unique in the page, also among other copies of this program: each notebook cell has its own.
 */
import { useState } from "preact/hooks";

/** Random, because copies do not share a counter. */
export const uniqueName = (prefix: string): string =>
  `${prefix}-${Math.random().toString(36).slice(2).padEnd(10, "0")}`;

/** Constant while a component is mounted. */
export const useUniqueName = (prefix: string): string => useState(() => uniqueName(prefix))[0];
