/**
 * A comparison of two Snapshots, and two texts side by side. Made by `python -m exir_viz.typescript` from the Python
 * that owns it: change it there.
 */

import type { CallChange } from "../../stages/schema";

export const SCHEMA = 1;

/** `MatchColumns.kinds` holds positions in this list. */
export const KINDS = ["same", "changed", "moved", "rewritten", "added", "removed"] as const;

/** The sign of each kind, in the same order. */
export const SIGNS = ["=", "~", "\u21b7", "\u21c4", "+", "\u2212"] as const;

/** What became of a node or group. `moved`: the same op and value at another position. */
export type MatchKind = "same" | "changed" | "moved" | "rewritten" | "added" | "removed";

/**
 * All matches in the order of b; removed nodes are at their position in a.
 *
 * `a_nodes` has the nodes of a, match by match, and `a_counts` how many each match has; so for b. The rest
 * are indices: into KINDS, `Comparison.fields`, `.evidence`, `.reasons` and `.rules`; NONE (-1) if a match
 * has no reason or rule.
 */
export interface MatchColumns {
  readonly kinds: readonly number[];
  readonly fields: readonly number[];
  readonly evidence: readonly number[];
  readonly reasons: readonly number[];
  readonly rules: readonly number[];
  readonly a_counts: readonly number[];
  readonly a_nodes: readonly number[];
  readonly b_counts: readonly number[];
  readonly b_nodes: readonly number[];
}

/** How nodes were matched: the evidence, its text, and the share of such matches that are correct. */
export interface Ground {
  readonly name: string;
  readonly text: string;
  readonly confidence: number;
}

/** How many matches of each kind. An added or a removed one is a single node. */
export interface Counts {
  readonly added?: number;
  readonly removed?: number;
  readonly changed?: number;
  readonly moved?: number;
  readonly rewritten?: number;
  readonly same?: number;
}

/**
 * Equal changes, as one: the ops before and after with how often each, and how many matches it has.
 *
 * `short` is `text` for narrow places: ops without their namespace, and no `step`. `step` is the part of
 * `text` that names the step between the dialects (" by decomposition"), empty if there is none. A `minor`
 * rule is about nodes that do no work (inputs and outputs of graphs, items of tuples, memory), or that only
 * moved within their graph.
 */
export interface ChangeRule {
  readonly kind: MatchKind;
  readonly text: string;
  readonly short: string;
  readonly count: number;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly minor?: boolean;
  readonly step?: string;
}

/** How often an op is called on either side. */
export interface OpChange {
  readonly op: string;
  readonly before: number;
  readonly after: number;
}

/**
 * One module call. `a` and `b` are scope numbers, NONE if that side lacks it.
 *
 * `counts` includes submodules, `own` does not. `before` and `after` are numbers of calls.
 */
export interface ModuleChange {
  readonly path: string;
  readonly cls: string;
  readonly depth: number;
  readonly a: number;
  readonly b: number;
  readonly before: number;
  readonly after: number;
  readonly counts: Counts;
  readonly own: Counts;
}

/**
 * Module calls of equal classes with equal changes, as one; their paths differ only in numbers.
 *
 * `path` has `*` for a number that differs. `classes` are those before and after, once if they are equal.
 * `counts` are the changes of one module, submodules excluded. `modules` are indices into
 * `Comparison.modules`. `ops` counts the calls of one module before and after, submodules included; absent
 * if the modules differ in it.
 */
export interface ModuleGroup {
  readonly path: string;
  readonly classes: readonly string[];
  readonly counts: Counts;
  readonly modules: readonly number[];
  readonly ops?: readonly [number, number];
}

/**
 * One change of a whole method. `before` and `after` are absent if that side lacks it.
 *
 * `topic`: "input", "output", "state", "symbol", "range", "guard", "size", "memory", "dialect", "method".
 */
export interface FactChange {
  readonly topic: string;
  readonly name: string;
  readonly text: string;
  readonly before?: string;
  readonly after?: string;
}

/**
 * Equal facts, as one: `name` and `text` have `*` for a number in which `count` names differ.
 *
 * `method` is their method, if a program has several.
 */
export interface FactGroup {
  readonly topic: string;
  readonly name: string;
  readonly text: string;
  readonly count?: number;
  readonly method?: string;
  readonly before?: string;
  readonly after?: string;
}

/** One method on either side ("" if it is not there). */
export interface MethodChange {
  readonly a: string;
  readonly b: string;
  readonly facts?: readonly FactChange[];
}

/**
 * The weights (parameters, buffers, constants) and delegates that both sides have: how many were compared
 * by all their bytes, and how many of these differ. `texts` are sentences; `left` says what was not
 * compared, and why, and which names changed.
 */
export interface Contents {
  readonly weights?: number;
  readonly other_weights?: number;
  readonly delegates?: number;
  readonly other_delegates?: number;
  readonly texts?: readonly string[];
  readonly left?: readonly string[];
}

/** A comparison of Snapshot `a` with Snapshot `b`; `a` and `b` are their titles. */
export interface Comparison {
  readonly schema: number;
  readonly a: string;
  readonly b: string;
  readonly matches: MatchColumns;
  readonly counts: Counts;
  readonly fields?: readonly (readonly string[])[];
  readonly evidence?: readonly Ground[];
  readonly reasons?: readonly string[];
  readonly rules?: readonly ChangeRule[];
  readonly ops?: readonly OpChange[];
  readonly calls?: CallChange;
  readonly modules?: readonly ModuleChange[];
  readonly module_groups?: readonly ModuleGroup[];
  readonly methods?: readonly MethodChange[];
  readonly fact_groups?: readonly FactGroup[];
  readonly contents?: Contents;
}

/** One line of a program's text: its number from 1, the node it shows (NONE if none), the marked spans. */
export interface TextCell {
  readonly line: number;
  readonly text: string;
  readonly node?: number;
  readonly marks?: readonly (readonly [number, number])[];
}

/**
 * One row of two texts side by side.
 *
 * `kind` is a match's, "note" for a line without a node, or "fold" for `hidden` rows that are the same.
 * `match` is the number of the row's match (NONE if none).
 */
export interface TextRow {
  readonly kind: string;
  readonly a?: TextCell;
  readonly b?: TextCell;
  readonly match?: number;
  readonly hidden?: number;
}
