/** What boxes can be coloured by: changes and measurements. Pure. */

import type { PairPaint } from "../model/state";
import type { MeasuringState } from "./measurement_runs";

type Known = Partial<Pick<MeasuringState, "values" | "costs">>;

export const paintsOf = ({ values, costs }: Known): readonly PairPaint[] => [
  "changes",
  ...(values ? (["values"] as const) : []),
  ...(costs ? (["costs"] as const) : []),
];

/** The wanted colour mode if it was measured, else changes. */
export const paintAs = (wanted: PairPaint, known: Known): PairPaint =>
  paintsOf(known).includes(wanted) ? wanted : "changes";

export function nextPaint(wanted: PairPaint, known: Known): PairPaint {
  const paints = paintsOf(known);
  return paints[(paints.indexOf(paintAs(wanted, known)) + 1) % paints.length] ?? "changes";
}
