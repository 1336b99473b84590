/**
 * The tree of stages and the lineage between two of them. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

import type { Dialect, Frame, Notice } from "../snapshot/schema";

/** What a link rests on. The first four are exact; `name` and `structure` are inferred: show them so. */
export type Evidence = "from_node" | "identity" | "delegate_map" | "debug_handle" | "name" | "structure";

/** A node that no node of the parent became, and why it exists ("the memory that `conv` writes to"). */
export interface Orphan {
  readonly node: number;
  readonly reason: string;
}

/**
 * Links from a stage to its parent: `nodes[i]` came from `ancestors[i]`, by `evidence[i]` of `kinds`.
 *
 * Sorted by node, then ancestor. A node may have several ancestors, and an ancestor several descendants.
 */
export interface Lineage {
  readonly nodes?: readonly number[];
  readonly ancestors?: readonly number[];
  readonly evidence?: readonly number[];
  readonly kinds?: readonly Evidence[];
  readonly orphans?: readonly Orphan[];
}

/** What made a stage. */
export type StepKind =
  | "start"
  | "decompose"
  | "edge"
  | "transform"
  | "quantize"
  | "backend"
  | "executorch"
  | "reexport";

/** `loaded`: read from a file, so that there is no program to take further. */
export type StageState = "ready" | "failed" | "loaded";

/** One thing that stands in a step's way, or that it tells: the node, the user's line, what to do. */
export interface Finding {
  readonly text: string;
  readonly node?: string;
  readonly op?: string;
  readonly frame?: Frame;
  readonly remedy?: string;
  readonly count?: number;
}

/** A change of options that is suggested: a button that runs the step again with `options`. */
export interface Fix {
  readonly title: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Why a step made no program: the error's class, its first sentence, all it said, and the findings. */
export interface Failure {
  readonly type: string;
  readonly reason: string;
  readonly message?: string;
  readonly findings?: readonly Finding[];
  readonly fixes?: readonly Fix[];
}

/** How a form asks for an option: `ops` is a table of the ops in the graph, `inputs` one of dimensions. */
export type OptionType = "flag" | "choice" | "number" | "text" | "ops" | "inputs";

/** One option of a step, as a form shows it. */
export interface Option {
  readonly name: string;
  readonly title: string;
  readonly type: OptionType;
  readonly default?: unknown;
  readonly choices?: readonly string[];
  readonly about?: string;
}

/** A step that could come next; `reason` says why it cannot, and is empty where it can. */
export interface Offer {
  readonly kind: StepKind;
  readonly title: string;
  readonly about: string;
  readonly reason?: string;
  readonly options?: readonly Option[];
}

/** How many calls a stage has more or less than its parent, by lineage. */
export interface Change {
  readonly kept?: number;
  readonly added?: number;
  readonly removed?: number;
}

/** What was done: options as plain data, the seconds it took, what torch and ExecuTorch said meanwhile. */
export interface Step {
  readonly kind: StepKind;
  readonly title: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly seconds?: number;
  readonly notices?: readonly Notice[];
}

/** One stage of the tree. `calls` counts the nodes that compute; `held` is memory in bytes. */
export interface StageRecord {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
  readonly state: StageState;
  readonly step: Step;
  readonly dialect?: Dialect;
  readonly calls?: number;
  readonly change?: Change;
  readonly held?: number;
  readonly failure?: Failure;
  readonly offers?: readonly Offer[];
  readonly findings?: readonly Finding[];
}

/** All stages, a parent before its children. */
export interface StageTree {
  readonly stages: readonly StageRecord[];
}
