/**
 * The tree of stages and the lineage between two of them. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

import type { Dialect, Frame, Notice, TargetType } from "../snapshot/schema";

/** The strongest first. */
export const EVIDENCE = [
  "from_node",
  "identity",
  "delegate_map",
  "debug_handle",
  "generated_code",
  "name",
  "structure",
] as const;

/** The kinds that are not inferred. */
export const EXACT = ["from_node", "identity", "delegate_map", "debug_handle", "generated_code"] as const;

/**
 * What a link rests on, the strongest first. `name` and `structure` are inferred, the others exact.
 *
 * from_node: torch's record of the node that it was made from, by name, target and graph.
 * identity: the same object or the same place: metadata passed on by reference, an entry of the
 *     signature, an argument or output of calls that are themselves linked.
 * delegate_map: what was delegated: a delegate's call, its outputs and its inputs, by its members.
 * debug_handle: the number that ExecuTorch gives to what came of one exported node.
 * generated_code: the line of code that torch generated for an inlined body, such as that of `no_grad`.
 * name: the name and target are the same, and nothing else speaks of it.
 * structure: the same op at the same place in the order, in graphs that share nothing else.
 */
export type Evidence =
  | "from_node"
  | "identity"
  | "delegate_map"
  | "debug_handle"
  | "generated_code"
  | "name"
  | "structure";

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

/**
 * Calls that both programs have, that b has more, and that a has more.
 *
 * Unused tuple items on one side only do not count.
 */
export interface CallChange {
  readonly kept?: number;
  readonly added?: number;
  readonly removed?: number;
}

/** The kind of step that made a stage. */
export type StepKind =
  | "start"
  | "decompose"
  | "edge"
  | "transform"
  | "quantize"
  | "backend"
  | "executorch"
  | "reexport";

/** `loaded`: read from a file, without a live program. */
export type StageState = "ready" | "failed" | "loaded";

/** The topic of a finding, so that views can show some findings elsewhere. */
export type FindingTopic = "other" | "not_delegated";

/** A problem or fact that a step reports: the node, the user's line, what to do. */
export interface Finding {
  readonly text: string;
  readonly node?: string;
  readonly op?: string;
  readonly frame?: Frame;
  readonly remedy?: string;
  readonly count?: number;
  readonly topic?: FindingTopic;
}

/**
 * A suggested change of options: a button that runs the step again with `options`.
 *
 * skips_checks: the step then checks less, so that the result may not run. Views never offer it first.
 */
export interface OptionsFix {
  readonly title: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly skips_checks?: boolean;
}

/** Why a step made no program: the error's class, its first sentence, its full text, and the findings. */
export interface Failure {
  readonly type: string;
  readonly reason: string;
  readonly message?: string;
  readonly findings?: readonly Finding[];
  readonly fixes?: readonly OptionsFix[];
}

/**
 * The input control that a form uses: `ops` is a table of the graph's ops, `inputs` a table of
 * dimensions.
 */
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

/** A step that could be next; `reason` says why it cannot run, and is empty if it can. */
export interface Offer {
  readonly kind: StepKind;
  readonly title: string;
  readonly about: string;
  readonly reason?: string;
  readonly options?: readonly Option[];
}

/** A step that ran: its options as plain data, its seconds, and the notices of torch and ExecuTorch. */
export interface Step {
  readonly kind: StepKind;
  readonly title: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly seconds?: number;
  readonly notices?: readonly Notice[];
}

/**
 * One stage of the tree. `calls` counts the nodes that compute, as `change` does.
 *
 * `delegated` counts the ops that a backend runs, `on_cpu` the others, and `share` is a short text: "70% on
 * XNNPACK" (see `exir_viz.snapshot.delegation.Share`).
 *
 * unshared_bytes: memory that no other stage uses. edge_stage: of an ExecuTorch program, the id of the stage
 * whose edge program it was made from. code: the torch and ExecuTorch code that makes it; "" if there is
 * none. unverified: it, or a stage that it was made from, was lowered without verifying edge rules.
 */
export interface StageRecord {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
  readonly state: StageState;
  readonly step: Step;
  readonly dialect?: Dialect;
  readonly calls?: number;
  readonly on_cpu?: number;
  readonly delegated?: number;
  readonly share?: string;
  readonly change?: CallChange;
  readonly unshared_bytes?: number;
  readonly failure?: Failure;
  readonly offers?: readonly Offer[];
  readonly findings?: readonly Finding[];
  readonly edge_stage?: string;
  readonly code?: string;
  readonly unverified?: boolean;
}

/** All stages, a parent before its children. */
export interface StageTree {
  readonly stages: readonly StageRecord[];
}

/**
 * One dimension of one input, for the re-export form.
 *
 * input: the path at which the user passes it, in Python's notation ("x", "table['a'][0]"). node: its
 * placeholder. dim: its position; None if the input is itself a number. size: in the example input. now: its
 * expression ("s27", "2*s27 + 1"), "" if it is static. choice: the initial text: "static", "dynamic",
 * "auto", a name with or without bounds ("batch", "batch in 2..64") or a relation ("2*batch + 1").
 */
export interface InputDim {
  readonly input: string;
  readonly node: string;
  readonly dim: number | null;
  readonly size: number | null;
  readonly now?: string;
  readonly lower?: string;
  readonly upper?: string;
  readonly choice?: string;
}

/**
 * One operator of a stage, and what decomposing would do to it.
 *
 * decomposes: torch has a decomposition, so that it can be selected. in_core_table: it is in Core ATen's
 * table. core: it is a Core ATen operator. implicit: functionalization always removes it, because it writes
 * in place or torch cannot keep it. nodes: the first nodes that call it ("forward/linear_1").
 */
export interface OpRow {
  readonly op: string;
  readonly count: number;
  readonly decomposes?: boolean;
  readonly in_core_table?: boolean;
  readonly core?: boolean;
  readonly implicit?: boolean;
  readonly nodes?: readonly string[];
}

/**
 * What decomposes an op, if anything does.
 *
 * `implicit`: functionalization always does, because the op writes in place or torch cannot keep it.
 * `table`: run_decompositions() does by default. `by_name`: torch has a rule, but uses it only if the op is
 * named.
 */
export type DecompositionKind = "implicit" | "table" | "by_name" | "none";

/** A tag that torch gives to an op, and torch's description of the tag. */
export interface OpTag {
  readonly name: string;
  readonly about?: string;
}

/** Whether an op may appear in a dialect; None if unknown. The reason is the verifier's. */
export interface DialectRule {
  readonly dialect: Dialect;
  readonly allowed: boolean | null;
  readonly reason?: string;
}

/** The dtype combinations that edge allows for an op: each row has the allowed dtype by argument. */
export interface DtypeRule {
  readonly arguments: readonly string[];
  readonly combinations: readonly (readonly (readonly string[])[])[];
}

/**
 * What an operator is: the facts from torch and ExecuTorch, and where a program calls it.
 *
 * Attributes
 * ----------
 * op, type, schema
 *     The name, what kind of target it is, and its schema.
 * sentence, source
 *     What it does in one sentence, and whose words these are.
 * tags, effects, dialects, decomposition, out_variant
 *     torch's tags; what it writes to and what it is a view of; whether each dialect allows it; what
 *     decomposes it; and its out variant.
 * dtypes
 *     The dtypes that edge allows; None where edge has no rule.
 * executorch
 *     Whether ExecuTorch's own rules were read.
 * uses, nodes, made_of
 *     How many nodes call it, the ids of the first of them, and the operators that became it.
 *
 * Examples
 * --------
 * >>> exir_viz.explain("aten.relu.default").schema
 * 'aten::relu(Tensor self) -> Tensor'
 */
export interface OpCard {
  readonly op: string;
  readonly type: TargetType;
  readonly sentence?: string;
  readonly source?: string;
  readonly schema?: string;
  readonly tags?: readonly OpTag[];
  readonly effects?: readonly string[];
  readonly dialects?: readonly DialectRule[];
  readonly decomposition?: DecompositionKind;
  readonly out_variant?: string;
  readonly dtypes?: DtypeRule;
  readonly executorch?: boolean;
  readonly uses?: number;
  readonly nodes?: readonly string[];
  readonly made_of?: readonly string[];
}
