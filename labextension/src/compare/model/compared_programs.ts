/** What whoever opens a comparison gives: programs, and what was found between neighbours. */
import type { Snapshot } from "../../snapshot";
import type { Stages } from "../../stages";
import type { MeasuredSource } from "../measurements/measurement_runs";
import { Changes } from "./changes";
import { asComparison } from "./narrow";

/** Programs from left to right, and what was found between each and the next. */
export interface Compared {
  readonly snapshots: readonly Snapshot[];
  readonly between: readonly Found[];
  /** Where the programs are stages: which, and how others come to be compared. */
  readonly of?: {
    readonly stages: Stages;
    readonly ids: readonly string[];
    readonly compare: (ids: readonly string[]) => Promise<Compared>;
  };
}

/** What was found between two programs, not yet narrowed. */
export interface Found {
  readonly comparison: unknown;
  /** Rows of the two texts; asked for when they are looked at. */
  readonly text: () => Promise<unknown>;
  /** Absent where nothing was measured, and nobody can. */
  readonly measured?: MeasuredSource;
}

/** Stages by themselves, so that they are known again; else by their place. */
export const idOf = ({ of }: Compared, column: number): string => of?.ids[column] ?? String(column);

export function changesOf({ snapshots, between }: Compared): Changes[] {
  return between.map(({ comparison }, at) => {
    const [a, b] = snapshots.slice(at, at + 2) as [Snapshot, Snapshot];
    return new Changes(asComparison(comparison, [a.nodeCount, b.nodeCount]), [a, b]);
  });
}
