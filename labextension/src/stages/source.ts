/**
 * The source of stages: a kernel with a session, or a page with saved ones. Actions are an object if they are
 * possible, and the reason as text if not.
 */
import type { ReportSource } from "../snapshot";
import type { StageTree, StepKind } from "./schema";

/** A running step or measurement. */
export interface Progress {
  /** The stage it starts from. */
  readonly stage: string;
  readonly title: string;
  /** What it is doing: "decomposing". */
  readonly text: string;
  /** 0 … 1; absent if the total is unknown. */
  readonly fraction?: number;
  readonly seconds: number;
}

/** Whether it measures a stage and makes none. */
export const isMeasuring = ({ title }: Progress): boolean => title === "profile";

export interface SourceState {
  readonly tree: StageTree;
  /** The stage to show: changes when the source wants another one. */
  readonly at: string;
  readonly progress?: Progress;
  /** Names of deleted stages that can be put back. */
  readonly dropped?: readonly string[];
}

/** Why a kernel refuses a question; `node` is the id of the node that the reason names. */
export class Refusal extends Error {
  constructor(
    reason: string,
    readonly node: string,
  ) {
    super(reason);
  }
}

export type Options = Readonly<Record<string, unknown>>;

export interface StageSource {
  readonly state: SourceState;
  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Packed sections of a stage that has a Snapshot. */
  skeleton(stage: string): Promise<Uint8Array>;
  detail(stage: string): Promise<Uint8Array>;
  /** The packed page data, if it is not in the skeleton. */
  page?(stage: string): Promise<Uint8Array | undefined>;
  /** Absent if there are none. */
  reports?(stage: string): ReportSource | undefined;
  /** The lineage to its parent, not validated yet. */
  lineage(stage: string): Promise<unknown>;
  /** What a kernel can do; else the reason why not. */
  readonly actions: StageActions | string;
  /** Absent if they cannot be compared. */
  readonly comparing?: StageComparing;
  /** Stages to show side by side first. */
  readonly compare?: readonly string[];
}

/** Stage `b` compared with `a`, the text of both side by side, and their measurements: packed JSON. */
export interface StageComparing {
  /** Why these two cannot be compared; "" if they can. Absent if any two can. */
  whyNot?(a: string, b: string): string;
  diff(a: string, b: string): Promise<Uint8Array>;
  text(a: string, b: string): Promise<Uint8Array>;
  /** Undefined if nothing was measured. */
  measured(a: string, b: string): Promise<Uint8Array | undefined>;
  /**
   * Runs both on the same inputs and compares their values; stopped like a step. Absent if that is
   * impossible.
   */
  values?(a: string, b: string, options: Options): Promise<Uint8Array>;
  /** Finds the smallest region of a delegate of `b` that diverges; stopped like a step. Packed JSON. */
  bisect?(a: string, b: string, node: string): Promise<Uint8Array>;
  /** Writes that region as a program of its own. */
  reproduce?(a: string, b: string, what: Reproduce): Promise<Reproducer>;
}

/** The folder to write a reproducer to, where the kernel runs, and what of the program it keeps. */
export interface ReproducerOptions {
  readonly path: string;
  readonly replace: boolean;
  readonly weights: "random" | "real";
  readonly names: boolean;
}

/** A delegate that was bisected, and how to write its reproducer. */
export interface Reproduce extends ReproducerOptions {
  readonly node: string;
}

/** The written files, and whether they show the difference. */
export interface Reproducer {
  readonly script: string;
  readonly program: string;
  readonly shows: boolean;
}

/** Operators and input dimensions of a stage for forms, not validated yet. */
interface StageQuestions {
  ops(stage: string): Promise<unknown>;
  inputs(stage: string): Promise<unknown>;
  /** The facts about an operator. */
  explain(stage: string, op: string): Promise<unknown>;
  /**
   * The `.exirviz` file with the decomposition of a call, by its operator's own decomposition or all of Core
   * ATen's.
   */
  preview(stage: string, node: string, table: "op" | "core"): Promise<Uint8Array>;
}

/** Each rejects with a reason for the user. */
export interface StageActions extends StageQuestions {
  /** Resolves with the new stage; a failed step makes a failed stage. */
  run(stage: string, kind: StepKind, options: Options): Promise<string>;
  /** Stops the running step; nothing is changed. */
  stop(): void;
  rename(stage: string, name: string): Promise<void>;
  /**
   * Measures the cost of each node; resolves when the profile has been sent. A stopped run keeps its
   * measurements.
   */
  profile(stage: string, options: Options): Promise<void>;
  /** Also deletes all stages made from it. */
  drop(stage: string): Promise<void>;
  /** Puts back the stages that were deleted last. */
  restore(): Promise<void>;
  /** Writes a file where the kernel runs; replaces an existing one only if asked to. */
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
