/** The input of a comparison: programs, and the changes between neighbours. */
import type { Snapshot } from "../../snapshot";
import type { Stages } from "../../stages";
import type { MeasuredSource } from "../measurements/measurement_runs";
import { Changes } from "./changes";
import { asComparison } from "./narrow";

/** Programs from left to right, and the changes from each to the next. */
export interface Compared {
  readonly snapshots: readonly Snapshot[];
  readonly between: readonly Found[];
  /** If the programs are stages: which ones, and how to compare others. */
  readonly of?: {
    readonly stages: Stages;
    readonly ids: readonly string[];
    readonly compare: (ids: readonly string[]) => Promise<Compared>;
  };
}

/** The changes between two programs, not validated yet. */
export interface Found {
  readonly comparison: unknown;
  /** Rows of the two texts, loaded when they are shown. */
  readonly text: () => Promise<unknown>;
  /** Absent if there are no measurements and no way to make them. */
  readonly measured?: MeasuredSource;
}

/** The id of a stage, so that it is recognised later; else its position. */
export const idOf = ({ of }: Compared, column: number): string => of?.ids[column] ?? String(column);

export function changesOf({ snapshots, between }: Compared): Changes[] {
  return between.map(({ comparison }, at) => {
    const [a, b] = snapshots.slice(at, at + 2) as [Snapshot, Snapshot];
    return new Changes(asComparison(comparison, [a.nodeCount, b.nodeCount]), [a, b]);
  });
}
