/** The order in which rules are listed. */
import { expect, test } from "vitest";
import { byWeight } from "../../src/compare/model/rules";
import type { ChangeRule } from "../../src/compare/model/schema";

const rule = (text: string, minor = false): ChangeRule => ({
  kind: "removed",
  text,
  short: text,
  count: 0,
  minor,
});

test("the most frequent rule comes first, and those about nodes that do no work last", () => {
  const rules = [
    { rule: rule("input added", true), count: 30 },
    { rule: rule("neg"), count: 2 },
    { rule: rule("linear"), count: 22 },
    { rule: rule("getitem removed", true), count: 40 },
  ];
  expect(byWeight(rules).map((each) => each.rule.text)).toEqual([
    "linear",
    "neg",
    "getitem removed",
    "input added",
  ]);
});
