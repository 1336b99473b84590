/** Live memory during a run: one column of a drawing per step, or for several steps. */
import type { Profile } from "./profile";

export interface Step {
  /** The row with the most live bytes in this column. */
  readonly row: number;
  readonly bytes: number;
}

/** At most `most` columns, each the highest of its steps; empty if memory was not measured. */
export function timeline(profile: Profile, most: number): readonly Step[] {
  const rows: Step[] = [];
  for (let row = 0; row < profile.count; row++) {
    const bytes = profile.at("live_bytes", row);
    if (bytes !== undefined) rows.push({ row, bytes });
  }
  const width = Math.max(1, rows.length / most);
  const steps: Step[] = [];
  rows.forEach((step, i) => {
    const column = Math.floor(i / width);
    const before = steps[column];
    if (!before || step.bytes > before.bytes) steps[column] = step;
  });
  return steps;
}

/** The row after which the most bytes are alive, the first of several: `peak` of `exir_viz/measure/profile.py`. */
export function peak(profile: Profile): Step | undefined {
  return timeline(profile, Number.POSITIVE_INFINITY).reduce<Step | undefined>(
    (best, step) => (best && best.bytes >= step.bytes ? best : step),
    undefined,
  );
}
