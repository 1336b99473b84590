/**
 * Two small programs and their comparison: a linear that became two ops, one op removed, one added, one
 * changed.
 */
import { Changes } from "../../src/compare";
import { type Comparison, KINDS, type MatchKind, SCHEMA } from "../../src/compare/model/schema";
import type { Snapshot } from "../../src/snapshot";
import { type GraphOf, snapshotOf } from "../programs";

const before: GraphOf = {
  name: "forward",
  nodes: [
    { name: "x", op: "placeholder" },
    { name: "linear", inputs: ["x"], module: "model.first" },
    { name: "relu", inputs: ["linear"], module: "model.first" },
    { name: "dropout", inputs: ["relu"], module: "model.second" },
    { name: "neg", inputs: ["dropout"], module: "model.second" },
    { name: "sin", inputs: ["neg"], module: "model.third" },
    { name: "output", op: "output", inputs: ["sin"] },
  ],
};

const after: GraphOf = {
  name: "forward",
  nodes: [
    { name: "x", op: "placeholder" },
    { name: "permute", inputs: ["x"], module: "model.first" },
    { name: "addmm", inputs: ["permute"], module: "model.first" },
    { name: "relu", inputs: ["addmm"], module: "model.first", dtype: "float16" },
    { name: "neg", inputs: ["relu"], module: "model.second" },
    { name: "clone", inputs: ["neg"], module: "model.second" },
    { name: "sin", inputs: ["clone"], module: "model.third" },
    { name: "output", op: "output", inputs: ["sin"] },
  ],
};

export type MatchOf = readonly [kind: MatchKind, a: readonly string[], b: readonly string[]];

export const MATCHES: readonly MatchOf[] = [
  ["same", ["x"], ["x"]],
  ["rewritten", ["linear"], ["permute", "addmm"]],
  ["changed", ["relu"], ["relu"]],
  ["removed", ["dropout"], []],
  ["same", ["neg"], ["neg"]],
  ["added", [], ["clone"]],
  ["same", ["sin"], ["sin"]],
  ["same", ["output"], ["output"]],
];

export const NAMES = ["first", "second", "third"] as const;

export const programs = (): [Snapshot, Snapshot] => [snapshotOf(before), snapshotOf(after)];

export function comparisonOf([a, b]: readonly [Snapshot, Snapshot]): Comparison {
  const nodes = (snapshot: Snapshot, names: readonly string[]): number[] =>
    names.map((name) => snapshot.find(`forward/${name}`) ?? -1);
  const scope = (snapshot: Snapshot, path: string): number =>
    snapshot.scopes.findIndex((each) => each.path === path);
  const module = (name: (typeof NAMES)[number], counts: Comparison["counts"]) => ({
    path: `model.${name}`,
    cls: "test.Layer",
    depth: 1,
    a: scope(a, `model.${name}`),
    b: scope(b, `model.${name}`),
    before: 2,
    after: 3,
    counts,
    own: counts,
  });
  return {
    schema: SCHEMA,
    a: "before",
    b: "after",
    counts: { same: 4, rewritten: 1, changed: 1, removed: 1, added: 1 },
    fields: [[], ["dtype"]],
    evidence: [{ name: "structure", text: "the same op between the same neighbours", confidence: 0.99 }],
    reasons: ["`linear` became `permute` + `addmm`"],
    rules: [
      {
        kind: "rewritten",
        text: "r",
        short: "linear → permute + addmm",
        count: 1,
        before: ["aten.linear"],
        after: ["aten.permute", "aten.addmm"],
      },
    ],
    modules: [
      module("first", { rewritten: 1, changed: 1 }),
      module("second", { removed: 1, added: 1, same: 1 }),
      module("third", { same: 1 }),
    ],
    matches: {
      kinds: MATCHES.map(([kind]) => KINDS.indexOf(kind)),
      fields: MATCHES.map(([kind]) => (kind === "changed" ? 1 : 0)),
      evidence: MATCHES.map(() => 0),
      reasons: MATCHES.map(([kind]) => (kind === "rewritten" ? 0 : -1)),
      rules: MATCHES.map(([kind]) => (kind === "rewritten" ? 0 : -1)),
      a_counts: MATCHES.map(([, names]) => names.length),
      a_nodes: MATCHES.flatMap(([, names]) => nodes(a, names)),
      b_counts: MATCHES.map(([, , names]) => names.length),
      b_nodes: MATCHES.flatMap(([, , names]) => nodes(b, names)),
    },
  };
}

export function changesOf(): Changes {
  const both = programs();
  return new Changes(comparisonOf(both), both);
}
