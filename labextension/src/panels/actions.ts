/**
 * The props of panels. They hold no state of the mount: its owner passes the selection and handles the
 * actions.
 */
import type { ProfileAccess } from "../profile";
import type { ReportAccess, WhatIf } from "../reports";
import type { NodeTrace, OpCard } from "../stages";
import type { PanelContext } from "../ui/actions";

/** The stages of the Snapshot, for a node's lineage. */
export interface StageAccess {
  /** For a node of the Snapshot that is shown. */
  trace(node: number): Promise<NodeTrace>;
  /** Shows a stage and reveals a node of it. */
  go(stage: string, node: number): void;
  /** The card of an op of the Snapshot that is shown; else why there is none. */
  readonly explain: ((op: string) => Promise<OpCard>) | string;
}

export interface PanelProps extends PanelContext {
  readonly whatIf?: WhatIf | undefined;
  readonly costs?: ProfileAccess | undefined;
  readonly stages?: StageAccess | undefined;
  readonly reports?: ReportAccess | undefined;
}
