/** Links through a stage in between, by the cases that Python generates: `tests/cases/lineages.py`. */
import { expect, test } from "vitest";
import { isInferred, weakest } from "../../src/stages/evidence";
import { Links } from "../../src/stages/links";
import type { Evidence, Lineage } from "../../src/stages/schema";
import { StageMapping } from "../../src/stages/stage_mapping";
import { cases } from "../cases";

const { exact = [], compose = [] } = cases("lineage");

test.each(exact)("%s is exact: %s", (evidence, isExact) => {
  expect(isInferred(evidence as Evidence)).toBe(!isExact);
});

test.each(compose)("links are composed with the weakest evidence of the strongest way (%#)", (...given) => {
  const [late, early, expected] = given as unknown as [Lineage, Lineage, unknown[]];
  const mapping = new StageMapping([new Links(late), new Links(early)], []);
  const found = [...new Set(late.nodes)].flatMap((node) =>
    mapping.of(node).map((ancestor) => [node, ancestor.node, weakest(ancestor.chain)]),
  );
  expect(found).toEqual(expected);
});
