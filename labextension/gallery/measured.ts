/** Generated values and costs of a comparison for scenes: the same in every run, with each kind of mark. */

import type { CostChange } from "../src/compare/costs/schema";
import { SCHEMA as COSTS } from "../src/compare/costs/schema";
import type { Measured } from "../src/compare/measurements/schema";
import type { Comparison } from "../src/compare/model/schema";
import { type NumberRow, SCHEMA as VALUES, type ValuesRecord } from "../src/compare/values/schema";

const MICROSECOND = 1e-6;

export function measuredOf(comparison: Comparison): Measured {
  return { values: valuesOf(comparison), costs: costsOf(comparison) };
}

function valuesOf({ a, b, matches }: Comparison): ValuesRecord {
  const rows: NumberRow[] = [];
  let [from, to] = [0, 0];
  matches.kinds.forEach((_, match) => {
    from += matches.a_counts[match] ?? 0;
    to += matches.b_counts[match] ?? 0;
    const isBoth = matches.a_counts[match] && matches.b_counts[match];
    if (isBoth)
      rows.push(rowOf(match, matches.a_nodes[from - 1] ?? 0, matches.b_nodes[to - 1] ?? 0, rows.length));
  });
  const first = rows.findIndex(({ numbers }) => numbers.diverged);
  const nan = rows.findIndex(({ numbers }) => numbers.unlike);
  return {
    schema: VALUES,
    a,
    b,
    rtol: 1e-3,
    atol: 1e-5,
    rows,
    first,
    outputs: rows.slice(-1).map(({ numbers }) => ({ name: "output 0", numbers })),
    producers: nan < 0 ? [] : [{ side: "b", trouble: "nan", node: rows[nan]?.b ?? 0, count: 4 }],
  };
}

/** From equal to very different; every eleventh exceeds the tolerance, some with a NaN. */
function rowOf(match: number, a: number, b: number, at: number): NumberRow {
  const relative = at % 4 === 0 ? 0 : 10 ** -(8 - (at % 7));
  const unlike = at % 23 === 5 ? 4 : 0;
  const numbers = {
    elements: 64,
    max_abs: relative,
    relative,
    cosine: 1 - relative / 2,
    ...(relative && { snr: -20 * Math.log10(relative) }),
    unlike,
    diverged: at % 11 === 2 || unlike > 0,
  };
  return { match, a, b, numbers, ...(unlike && { health_b: { nan: unlike } }) };
}

function costsOf({ matches, modules = [], rules = [] }: Comparison): CostChange {
  const change = (at: number) => {
    const before = (2 + (at % 5)) * MICROSECOND;
    const after = at % 3 === 0 ? before : before * ([0.25, 0.8, 1.1, 3][at % 4] ?? 1);
    return { before, after, ratio: after / before };
  };
  const all = matches.kinds.map((_, match) => ({ match, ...change(match) }));
  const sum = (side: "before" | "after") => all.reduce((total, each) => total + each[side], 0);
  const overhead = [20 * MICROSECOND, 24 * MICROSECOND] as const;
  return {
    schema: COSTS,
    before: sum("before") + overhead[0],
    after: sum("after") + overhead[1],
    overhead,
    matches: all,
    rules: rules.map(({ text, count }, at) => ({ rule: text, matches: count, ...change(at) })),
    modules: modules.map((_, module) => ({ module, ...change(module) })),
  };
}
