/** The colours that reports offer, as series of categories like those that Python paints. */
import type { Series } from "../overlay";
import { NONE } from "../snapshot";
import type { ShownReport } from "./reports";

const PREFIX = "report:";

export const overlayName = (report: string): string => `${PREFIX}${report}`;

/** The report of an overlay; undefined if the overlay is of something else. */
export const reportOfOverlay = (overlay: string): string | undefined =>
  overlay.startsWith(PREFIX) ? overlay.slice(PREFIX.length) : undefined;

/** Undefined if it offers none. */
export function seriesOfReport({ name = "", title = name, overlay = [] }: ShownReport): Series | undefined {
  if (overlay.length === 0) return undefined;
  const values = new Map<number, number>();
  overlay.forEach(({ nodes }, category) => {
    for (const node of nodes) if (node !== NONE) values.set(node, category);
  });
  return { label: overlayName(name), title, values, categories: overlay.map(({ label }) => label) };
}
