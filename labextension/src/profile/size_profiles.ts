/**
 * The profiles of a sweep over sizes: measured costs for its sizes, and interpolated ones for sizes between
 * them. Outside the measured range there are none.
 */
import type { SymbolValues } from "../snapshot";
import { BASES, type Columns, type ProfileRecord, type Times, UNKNOWN } from "./schema";

/** The costs for some sizes, and how they were obtained, in words. */
export interface CostsAtSizes {
  readonly record: ProfileRecord | undefined;
  readonly text: string;
}

/** The measured values of one symbol around a wanted one; one value if it was measured itself. */
interface Bracket {
  readonly name: string;
  readonly ends: readonly number[];
  /** The weight of each end. */
  readonly weights: readonly number[];
}

interface Corner {
  readonly record: ProfileRecord;
  readonly weight: number;
}

const ESTIMATED = BASES.indexOf("estimated");

/** Columns that are spreads or counts of runs, which cannot be interpolated. */
const NOT_MIXED: ReadonlySet<string> = new Set(["min", "p25", "median", "p75"]);

/** `records`: of one program, the main one first. `sizes`: by torch's names. `nameOf`: the user's name. */
export function costsAtSizes(
  records: readonly ProfileRecord[],
  sizes: SymbolValues,
  nameOf: (symbol: string) => string,
): CostsAtSizes | undefined {
  const [first] = records;
  if (!first) return undefined;
  const known = [...sizes.keys()].map((name) => ({ name, values: measuredSizes(records, name) }));
  const varied = known.filter(({ values }) => values.length > 1);
  const isOther = known.some(({ name, values }) => values.length <= 1 && values[0] !== sizes.get(name));
  const measured = known
    .filter(({ values }) => values.length > 0)
    .map(({ name, values }) => `${nameOf(name)} = ${values.join(", ")}`)
    .join("; ");
  if (varied.length === 0) {
    const text = measured ? `Costs were measured for ${measured}.` : "Costs were measured for other sizes.";
    return { record: first, text: isOther ? text : "" };
  }
  const none = { record: undefined, text: `No costs for these sizes: they were measured for ${measured}.` };
  if (isOther) return none;
  const brackets = varied.map(({ name, values }) => bracket(name, sizes.get(name) ?? 0, values));
  if (!brackets.every((each) => each !== undefined)) return none;
  const corners = cornersOf(records, brackets);
  const [corner] = corners ?? [];
  if (!corners || !corner || !corners.every(({ record }) => isAlike(record, corner.record))) return none;
  if (corners.length === 1) return { record: corner.record, text: "Costs were measured at these sizes." };
  const between = brackets
    .filter(({ ends }) => ends.length > 1)
    .map(({ name, ends }) => `${nameOf(name)} = ${ends.join(" and ")}`);
  const text = `Costs are estimates, interpolated between ${between.join(", ")}.`;
  return { record: mixed(corners, sizes, text), text };
}

function measuredSizes(records: readonly ProfileRecord[], name: string): number[] {
  const found = records.flatMap(({ conditions }) => conditions.symbols?.[name] ?? []);
  return [...new Set(found)].sort((a, b) => a - b);
}

function bracket(name: string, size: number, known: readonly number[]): Bracket | undefined {
  const low = known.filter((each) => each <= size).at(-1);
  const high = known.find((each) => each >= size);
  if (low === undefined || high === undefined) return undefined;
  if (low === high) return { name, ends: [low], weights: [1] };
  const part = (size - low) / (high - low);
  return { name, ends: [low, high], weights: [1 - part, part] };
}

/** The records of all combinations of ends; undefined if one was not measured. */
function cornersOf(
  records: readonly ProfileRecord[],
  brackets: readonly Bracket[],
): readonly Corner[] | undefined {
  let combinations: { sizes: ReadonlyMap<string, number>; weight: number }[] = [
    { sizes: new Map(), weight: 1 },
  ];
  for (const { name, ends, weights } of brackets)
    combinations = combinations.flatMap(({ sizes, weight }) =>
      ends.map((end, i) => ({
        sizes: new Map(sizes).set(name, end),
        weight: weight * (weights[i] ?? 0),
      })),
    );
  const corners = combinations.flatMap(({ sizes, weight }) => {
    const record = records.find(({ conditions }) =>
      [...sizes].every(([name, size]) => conditions.symbols?.[name] === size),
    );
    return record ? [{ record, weight }] : [];
  });
  return corners.length === combinations.length ? corners : undefined;
}

/** Whether two records have the same nodes, in the same order. */
const isAlike = (
  { columns: { nodes: a } }: ProfileRecord,
  { columns: { nodes: b } }: ProfileRecord,
): boolean => a === b || (a.length === b.length && a.every((node, i) => node === b[i]));

function mixed(corners: readonly Corner[], sizes: SymbolValues, text: string): ProfileRecord {
  const [{ record: first }] = corners as readonly [Corner];
  const number = (of: (record: ProfileRecord) => number | undefined): number | undefined => {
    let sum = 0;
    for (const { record, weight } of corners) {
      const value = of(record);
      if (value === undefined || value === UNKNOWN) return undefined;
      sum += weight * value;
    }
    return Math.round(sum);
  };
  const column = (name: keyof Columns): readonly number[] => {
    if (name === "basis") return first.columns.nodes.map(() => ESTIMATED);
    if (name === "n") return first.columns.nodes.map(() => 0);
    if (NOT_MIXED.has(name)) return first.columns.nodes.map(() => UNKNOWN);
    return first.columns.nodes.map((_, row) => number((each) => Number(each.columns[name][row])) ?? UNKNOWN);
  };
  const times = (of: (record: ProfileRecord) => Times | undefined): Times | undefined => {
    const time = number((record) => of(record)?.time);
    if (time === undefined) return undefined;
    return { n: 0, time, min: UNKNOWN, p25: UNKNOWN, median: UNKNOWN, p75: UNKNOWN };
  };
  const names = Object.keys(first.columns).filter((name) => name !== "nodes") as (keyof Columns)[];
  const columns = Object.fromEntries(names.map((name) => [name, column(name)]));
  const whole = times((record) => record.whole);
  const overhead = times((record) => record.overhead);
  const stateBytes = number((record) => record.state_bytes);
  const inputBytes = number((record) => record.input_bytes);
  return {
    schema: first.schema,
    method: first.method,
    dialect: first.dialect,
    conditions: {
      ...first.conditions,
      inputs: [],
      inputs_from: "unknown",
      symbols: Object.fromEntries(sizes),
    },
    columns: { ...columns, nodes: first.columns.nodes } as Columns,
    ...(whole && { whole }),
    ...(overhead && { overhead }),
    ...(stateBytes !== undefined && { state_bytes: stateBytes }),
    ...(inputBytes !== undefined && { input_bytes: inputBytes }),
    complete: true,
    remarks: [{ code: "interpolated", text }],
  };
}
