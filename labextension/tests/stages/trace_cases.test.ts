/** The levels of a node's trace, by the cases that Python generates: `tests/cases/traces.py`. */
import { expect, test } from "vitest";
import { Links } from "../../src/stages/links";
import { traceLevels } from "../../src/stages/node_trace";
import type { Lineage, StageRecord } from "../../src/stages/schema";
import { cases } from "../cases";

const { traces = [] } = cases("traces");

type Stage = StageRecord & { readonly lineage: Lineage };

test.each(traces)(
  "every node of every stage has the trace that Python finds (%#)",
  async (given, expected) => {
    const stages = given as Stage[];
    const linksOf = async (id: string) => new Links(stages.find((each) => each.id === id)?.lineage ?? {});
    for (const [stage, node, levels] of expected as [string, number, unknown][])
      expect(await traceLevels({ tree: { stages }, linksOf }, stage, node), `${stage} ${node}`).toEqual(
        levels,
      );
  },
);
