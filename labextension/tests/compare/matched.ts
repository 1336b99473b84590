/** Two small programs and any matches between them, by the ids of nodes. */
import { Changes } from "../../src/compare";
import { KINDS, SCHEMA } from "../../src/compare/model/schema";
import { type GraphOf, snapshotOf } from "../programs";
import type { MatchOf } from "./compared";

export function matched(a: readonly GraphOf[], b: readonly GraphOf[], matches: readonly MatchOf[]): Changes {
  const snapshots = [snapshotOf(...a), snapshotOf(...b)] as const;
  const nodes = (side: 0 | 1, names: readonly string[]): number[] =>
    names.map((name) => {
      const node = snapshots[side].find(name);
      if (node === undefined) throw new Error(`There is no ${name} on side ${side}.`);
      return node;
    });
  const none = matches.map(() => -1);
  const column = {
    kinds: matches.map(([kind]) => KINDS.indexOf(kind)),
    fields: matches.map(() => 0),
    evidence: matches.map(() => 0),
    reasons: none,
    rules: none,
    a_counts: matches.map(([, names]) => names.length),
    a_nodes: matches.flatMap(([, names]) => nodes(0, names)),
    b_counts: matches.map(([, , names]) => names.length),
    b_nodes: matches.flatMap(([, , names]) => nodes(1, names)),
  };
  const counts = Object.fromEntries(
    KINDS.map((kind) => [kind, matches.filter(([each]) => each === kind).length]),
  );
  const fields = [[]];
  return new Changes({ schema: SCHEMA, a: "before", b: "after", counts, fields, matches: column }, snapshots);
}
