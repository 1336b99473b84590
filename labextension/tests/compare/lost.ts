/** Four identical layers of which the last two are removed. */
import { Changes } from "../../src/compare";
import { KINDS, SCHEMA } from "../../src/compare/model/schema";
import { NONE, type Snapshot } from "../../src/snapshot";
import { type NodeOf, snapshotOf } from "../programs";

const LAYER = ["relu", "tanh"] as const;

function stack(count: number): Snapshot {
  const nodes: NodeOf[] = [{ name: "x", op: "placeholder" }];
  for (let layer = 0; layer < count; layer++) {
    for (const op of LAYER) {
      const before = nodes[nodes.length - 1]?.name ?? "x";
      nodes.push({ name: `${op}_${layer}`, inputs: [before], module: `layers.${layer}.act` });
    }
  }
  const last = nodes[nodes.length - 1]?.name ?? "x";
  return snapshotOf({ name: "forward", nodes: [...nodes, { name: "output", op: "output", inputs: [last] }] });
}

export function lost(): Changes {
  const [a, b] = [stack(4), stack(2)];
  const names = a.graph(0).columns.names;
  const kept = names.map((name) => b.find(`forward/${name}`) ?? NONE);
  const scope = ({ scopes }: Snapshot, path: string): number =>
    scopes.findIndex((each) => each.path === path);
  const none = names.map(() => 0);
  return new Changes(
    {
      schema: SCHEMA,
      a: "four",
      b: "two",
      counts: { same: 6, removed: 4 },
      fields: [[]],
      evidence: [{ name: "structure", text: "", confidence: 0.99 }],
      modules: [0, 1, 2, 3].map((layer) => {
        const counts = layer < 2 ? { same: 2 } : { removed: 2 };
        const path = `layers.${layer}.act`;
        const [before, after] = [2, layer < 2 ? 2 : 0];
        return {
          ...{ path, cls: "test.act", depth: 2, before, after, counts, own: counts },
          ...{ a: scope(a, path), b: scope(b, path) },
        };
      }),
      matches: {
        kinds: kept.map((node) => KINDS.indexOf(node === NONE ? "removed" : "same")),
        ...{ fields: none, evidence: none, reasons: none.map(() => NONE), rules: none.map(() => NONE) },
        a_counts: names.map(() => 1),
        a_nodes: names.map((name) => a.find(`forward/${name}`) ?? NONE),
        b_counts: kept.map((node) => (node === NONE ? 0 : 1)),
        b_nodes: kept.filter((node) => node !== NONE),
      },
    },
    [a, b],
  );
}
