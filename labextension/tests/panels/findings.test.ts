import { expect, it } from "vitest";
import { filtered, type Severity } from "../../src/panels/findings/panel";
import { type FindingGroup, NONE } from "../../src/snapshot";

const NAMES = ["forward/relu", "forward/linear"];
const group = (rule: string, severity: Severity, nodes: number[]): FindingGroup => ({
  rule,
  severity,
  title: `Title of ${rule}`,
  section: "Export IR: Graph",
  url: "https://example.org",
  remedy: "Correct it.",
  nodes,
  messages: nodes.map((node) => (node === NONE ? "The method is odd." : `${NAMES[node]} is odd.`)),
});
const GROUPS = [group("no-mutation", "error", [0, 1]), group("unused-input", "hint", [1, NONE])];
const filter = (text: string, ...hidden: Severity[]) =>
  filtered(GROUPS, { text, hidden: new Set(hidden), name: (node) => NAMES[node] ?? "" });

it("keeps everything without a filter", () => {
  expect(filter("")).toEqual(GROUPS);
});

it("hides severities", () => {
  expect(filter("", "hint").map(({ rule }) => rule)).toEqual(["no-mutation"]);
  expect(filter("", "hint", "error")).toEqual([]);
});

it("keeps all findings of a rule that matches", () => {
  expect(filter("MUTATION")).toEqual([GROUPS[0]]);
});

it("keeps the findings of a node, and their messages", () => {
  const found = filter("linear");
  expect(found.map(({ nodes }) => nodes)).toEqual([[1], [1]]);
  expect(found.map(({ messages }) => messages)).toEqual([
    ["forward/linear is odd."],
    ["forward/linear is odd."],
  ]);
});

it("finds the whole method by its message", () => {
  expect(filter("the method").map(({ nodes }) => nodes)).toEqual([[NONE]]);
});
