/**
 * `unknown` → a comparison, its text rows, and its measurements. Data that does not fit the two Snapshots is
 * refused with its path.
 */

import { SCHEMA as COSTS_SCHEMA, type CostChange } from "../costs/schema";
import type { Measured } from "../measurements/schema";
import { type BisectionRecord, SCHEMA as VALUES_SCHEMA, type ValuesRecord } from "../values/schema";
import type { Changes } from "./changes";
import { type Comparison, KINDS, type MatchColumns, SCHEMA, type TextRow } from "./schema";

class UnreadableComparison extends Error {
  override readonly name = "UnreadableComparison";
}

/** `nodes`: how many nodes the two Snapshots have. */
export function asComparison(raw: unknown, nodes: readonly [number, number]): Comparison {
  const comparison = record(raw, "a comparison") as unknown as Comparison;
  if (comparison.schema !== SCHEMA) {
    throw new UnreadableComparison(
      `The comparison is of schema ${String(comparison.schema)}, and this viewer reads ${SCHEMA}.`,
    );
  }
  if (typeof comparison.a !== "string" || typeof comparison.b !== "string") {
    throw new UnreadableComparison("The comparison does not name its two sides.");
  }
  const { matches, fields = [], evidence = [], reasons = [], rules = [], modules = [] } = comparison;
  checkMatches(record(matches, "the matches") as unknown as MatchColumns, nodes, {
    kinds: KINDS.length,
    fields: list(fields, "fields").length,
    evidence: list(evidence, "evidence").length,
    reasons: list(reasons, "reasons").length,
    rules: list(rules, "rules").length,
  });
  list(modules, "modules");
  return comparison;
}

export function asTextRows(raw: unknown): readonly TextRow[] {
  const rows = list(raw, "text rows");
  for (const row of rows) {
    if (typeof record(row, "a text row")["kind"] !== "string")
      throw new UnreadableComparison("A text row has no kind.");
  }
  return rows as readonly TextRow[];
}

export function asMeasured(raw: unknown, changes: Changes): Measured {
  const { values, costs } = record(raw, "what was measured") as { values?: unknown; costs?: unknown };
  return {
    ...(values !== undefined && { values: asValues(values, changes) }),
    ...(costs !== undefined && { costs: asCosts(costs, changes) }),
  };
}

export function asValues(raw: unknown, changes: Changes): ValuesRecord {
  const values = record(raw, "the values") as unknown as ValuesRecord;
  checkSchema(values.schema, VALUES_SCHEMA, "values");
  const rows = list(values.rows, "compared values") as ValuesRecord["rows"];
  const [a, b] = changes.snapshots.map((snapshot) => snapshot.nodeCount);
  const columns = { match: changes.count, a: a ?? 0, b: b ?? 0 };
  for (const name of ["match", "a", "b"] as const)
    numbers(
      rows.map((row) => record(row, "a compared value")[name] as number),
      `compared values' ${name}`,
      rows.length,
      0,
      columns[name],
    );
  for (const row of rows) record(row.numbers, "the numbers of a compared value");
  return values;
}

export function asBisection(raw: unknown, changes: Changes): BisectionRecord {
  const found = record(raw, "the bisection") as unknown as BisectionRecord;
  const [, b] = changes.snapshots;
  const nodes = [
    ...list(found.nodes, "nodes of the region"),
    ...list(found.around ?? [], "nodes around the region"),
  ];
  numbers([found.delegate, ...nodes], "nodes of the region", nodes.length + 1, 0, b.nodeCount);
  list(found.log ?? [], "parts that were tried");
  return found;
}

function asCosts(raw: unknown, changes: Changes): CostChange {
  const costs = record(raw, "the costs") as unknown as CostChange;
  checkSchema(costs.schema, COSTS_SCHEMA, "costs");
  const { modules: known = [] } = changes.comparison;
  const matches = list(costs.matches, "costs of matches") as CostChange["matches"];
  const modules = list(costs.modules ?? [], "costs of modules") as NonNullable<CostChange["modules"]>;
  list(costs.rules, "costs of rules");
  numbers(
    matches.map(({ match }) => match),
    "matches with a cost",
    matches.length,
    0,
    changes.count,
  );
  numbers(
    modules.map(({ module }) => module),
    "modules with a cost",
    modules.length,
    0,
    known.length,
  );
  return costs;
}

function checkSchema(found: unknown, known: number, what: string): void {
  if (found !== known)
    throw new UnreadableComparison(
      `The ${what} are of schema ${String(found)}, and this viewer reads ${known}.`,
    );
}

function checkMatches(
  columns: MatchColumns,
  nodes: readonly [number, number],
  below: Readonly<Record<"kinds" | "fields" | "evidence" | "reasons" | "rules", number>>,
): void {
  const count = list(columns.kinds, "kinds").length;
  for (const name of ["kinds", "fields", "evidence", "reasons", "rules"] as const) {
    const least = name === "reasons" || name === "rules" ? -1 : 0;
    numbers(columns[name], name, count, least, below[name]);
  }
  for (const [side, total] of [["a", nodes[0]] as const, ["b", nodes[1]] as const]) {
    const counts = numbers(
      columns[`${side}_counts`],
      `counts of ${side}`,
      count,
      0,
      Number.POSITIVE_INFINITY,
    );
    const sum = counts.reduce((all, each) => all + each, 0);
    numbers(columns[`${side}_nodes`], `nodes of ${side}`, sum, 0, total);
  }
}

/** Whole numbers of this count, each at least `least` and less than `below`. */
function numbers(raw: unknown, what: string, count: number, least: number, below: number): readonly number[] {
  const found = list(raw, what) as readonly number[];
  const isRight = (each: unknown): boolean =>
    Number.isInteger(each) && (each as number) >= least && (each as number) < below;
  if (found.length === count && found.every(isRight)) return found;
  throw new UnreadableComparison(`The ${what} of the comparison are not ${count} numbers below ${below}.`);
}

function list(raw: unknown, what: string): readonly unknown[] {
  if (Array.isArray(raw)) return raw;
  throw new UnreadableComparison(`The ${what} of the comparison are not a list.`);
}

function record(raw: unknown, what: string): Record<string, unknown> {
  if (typeof raw === "object" && raw !== null && !Array.isArray(raw)) return raw as Record<string, unknown>;
  throw new UnreadableComparison(`The comparison has invalid data for ${what}.`);
}
