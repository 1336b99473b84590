/**
 * Where stages come from: a kernel that holds a session, or a page that carries some. What can be done with them is
 * an object where it can be done, and the reason as text where it cannot.
 */
import type { StageTree, StepKind } from "./schema";

/** A step that is being made, or a measurement. */
export interface Progress {
  /** The stage it starts from. */
  readonly stage: string;
  readonly title: string;
  /** What it does just now: "decomposing". */
  readonly text: string;
  /** 0 … 1; absent where nobody knows how much there is. */
  readonly fraction?: number;
  readonly seconds: number;
}

/** Whether it measures a stage, and makes none. */
export const isMeasuring = ({ title }: Progress): boolean => title === "profile";

export interface SourceState {
  readonly tree: StageTree;
  /** The stage to show: a new one each time the other end wants another to be seen. */
  readonly at: string;
  readonly progress?: Progress;
}

export type Options = Readonly<Record<string, unknown>>;

export interface StageSource {
  readonly state: SourceState;
  /** Leaves the way to stop listening. */
  subscribe(listener: () => void): () => void;
  /** Packed sections of a stage that has a Snapshot. */
  skeleton(stage: string): Promise<Uint8Array>;
  detail(stage: string): Promise<Uint8Array>;
  /** The packed page data, where the skeleton does not hold it. */
  page?(stage: string): Promise<Uint8Array | undefined>;
  /** As it came, to its parent; whoever asks narrows it. */
  lineage(stage: string): Promise<unknown>;
  /** What a kernel can do; else why nothing can be done here. */
  readonly actions: StageActions | string;
  /** Absent where nobody can compare them. */
  readonly comparing?: StageComparing;
  /** Stages to begin with, side by side. */
  readonly compare?: readonly string[];
}

/** Stage `b` compared with `a`, the text of both side by side, and what was measured of both: JSON, packed. */
export interface StageComparing {
  diff(a: string, b: string): Promise<Uint8Array>;
  text(a: string, b: string): Promise<Uint8Array>;
  /** Undefined where nothing was measured. */
  measured(a: string, b: string): Promise<Uint8Array | undefined>;
  /** Runs both on the same inputs and compares their values; stopped like a step. Absent where nobody can. */
  values?(a: string, b: string, options: Options): Promise<Uint8Array>;
}

/** One operator of a stage and one dimension of an input, as forms show them: not yet narrowed. */
interface StageQuestions {
  ops(stage: string): Promise<unknown>;
  inputs(stage: string): Promise<unknown>;
  /** What is known of an operator. */
  explain(stage: string, op: string): Promise<unknown>;
  /** The `.exirviz` file of what a call becomes, by its operator's own decomposition or all of Core ATen's. */
  preview(stage: string, node: string, table: "op" | "core"): Promise<Uint8Array>;
}

/** Each rejects with a reason to be shown. */
export interface StageActions extends StageQuestions {
  /** Resolves with the stage that was made; a step that failed makes a failed one. */
  run(stage: string, kind: StepKind, options: Options): Promise<string>;
  /** Ends the step that is being made; nothing has changed then. */
  stop(): void;
  rename(stage: string, name: string): Promise<void>;
  /** Measures what each node costs; resolves when that has been told. Stopping it keeps what was measured. */
  profile(stage: string, options: Options): Promise<void>;
  /** With all stages made from it. */
  drop(stage: string): Promise<void>;
  /** Writes a file where the kernel runs; one that is there only where it is to be replaced. */
  save(what: Save): Promise<Saved>;
}

/** The whole session, or the `.pte` of one of its stages. */
export interface Save {
  readonly of: "session" | "pte";
  readonly stage: string;
  readonly path: string;
  readonly replace: boolean;
}

export interface Saved {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}
