/** Source coverage for the code panel: signs of statuses, and which lines made which nodes. */
import type { SourceCoverage } from "../../snapshot";

interface LineStatus {
  readonly status: string;
  readonly sign: string;
  readonly title: string;
}

/** In the order of the legend. */
export const STATUSES: readonly LineStatus[] = [
  { status: "traced", sign: "●", title: "traced" },
  { status: "specialised", sign: "◆", title: "specialised" },
  { status: "folded", sign: "○", title: "folded" },
  { status: "passed", sign: "·", title: "passed on" },
  { status: "skipped", sign: "✕", title: "never reached" },
  { status: "unknown", sign: "?", title: "not known" },
];

/** What each status means, for tooltips. */
export const MEANINGS: Readonly<Record<string, string>> = {
  traced: "It made ops, itself or in functions that it calls",
  specialised: "Decided while exporting: only the outcome is in the program",
  folded: "Python computed it: the program has no op for it",
  passed: "It ran and computes nothing",
  skipped: "It did not run",
  unknown: "Unknown whether it ran, or whether it made ops",
};

export const statusOf = (status: string): LineStatus | undefined =>
  STATUSES.find((each) => each.status === status);

/** By status: how many lines of a file have it. */
export function statusCounts({ statuses }: SourceCoverage): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

/** The file and the index of the line that made a node itself. */
export function lineOf(
  sources: readonly SourceCoverage[],
  node: number,
): { readonly file: number; readonly at: number } | undefined {
  for (const [file, { nodes }] of sources.entries()) {
    const at = nodes.findIndex((each) => each.includes(node));
    if (at >= 0) return { file, at };
  }
  return undefined;
}
