/**
 * Measurements of the two small programs: values that diverge at a relu and end in a NaN, costs up and down.
 */
import { SCHEMA as COSTS, type CostChange } from "../../src/compare/costs/schema";
import { type NumberRow, SCHEMA as VALUES, type ValuesRecord } from "../../src/compare/values/schema";
import { changesOf } from "./compared";

export const changes = changesOf();
export const node = (side: 0 | 1, name: string): number =>
  changes.snapshots[side].find(`forward/${name}`) ?? -1;

const row = (a: string, b: string, numbers: Partial<NumberRow["numbers"]>): NumberRow => ({
  match: changes.of(1, node(1, b)),
  a: node(0, a),
  b: node(1, b),
  numbers: { elements: 4, ...numbers },
});

export const values: ValuesRecord = {
  schema: VALUES,
  a: "before",
  b: "after",
  rtol: 1e-3,
  atol: 1e-5,
  rows: [
    row("x", "x", { relative: 0 }),
    row("linear", "addmm", { max_abs: 2e-7, relative: 1e-7, snr: 121.4 }),
    row("relu", "relu", { max_abs: 0.02, relative: 0.5, snr: 3.21, diverged: true }),
    {
      ...row("sin", "sin", { max_abs: 0.1, relative: 0.2, unlike: 2, diverged: true }),
      health_b: { nan: 2 },
    },
  ],
  first: 2,
  producers: [{ side: "b", trouble: "nan", node: node(1, "relu"), count: 2 }],
  uncompared: [{ match: changes.of(1, node(1, "neg")), reason: 0 }],
  reasons: ["no values of one shape"],
};

export const match = (name: string): number => changes.of(1, node(1, name));

export const costs: CostChange = {
  schema: COSTS,
  before: 0.01,
  after: 0.02,
  overhead: [0.001, 0.002],
  matches: [
    { match: match("addmm"), before: 0.002, after: 0.008, ratio: 4 },
    { match: match("relu"), before: 0.005, after: 0.001, ratio: 0.2 },
    { match: match("clone"), before: 0, after: 0.003 },
  ],
  rules: [],
  modules: [{ module: 0, before: 0.007, after: 0.009, ratio: 9 / 7 }],
};
