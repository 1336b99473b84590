/**
 * What panels are given and what they may ask for. They hold no state of the mount: whoever mounts them owns the
 * selection, hands it in, and answers.
 */
import type { ProfileAccess } from "../profile";
import type { NodeTrace, OpCard } from "../stages";
import type { PanelContext } from "../ui/actions";

/** The stages that the Snapshot is one of, as far as a node's story goes through them. */
export interface StageAccess {
  /** Of a node of the Snapshot that is shown. */
  trace(node: number): Promise<NodeTrace>;
  /** Goes to a stage and looks at a node of it. */
  go(stage: string, node: number): void;
  /** What is known of an op of the Snapshot that is shown; else why it cannot be asked here. */
  readonly explain: ((op: string) => Promise<OpCard>) | string;
}

export interface PanelProps extends PanelContext {
  readonly costs?: ProfileAccess | undefined;
  readonly stages?: StageAccess | undefined;
}
