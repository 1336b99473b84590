import { expect, test } from "vitest";
import { Explorer } from "../../src/explorer";
import { execute } from "../../src/hosts/orders";
import { RULES, rulesOverlay } from "../../src/overlay";
import { PALETTE } from "../../src/snapshot";
import { asView, linkOf, viewOfLink } from "../../src/store";
import { sevenWide, snapshotOf, stack } from "../programs";

const explore = (): Explorer => new Explorer(snapshotOf(stack(3)), sevenWide, { width: 900, height: 700 });

const found = ({ state, snapshot }: Explorer): string[] =>
  [...state.ruled].map(([node, rule]) => `${snapshot.id(node)} ${state.rules[rule]?.query}`);

test("the results of a query have its colour; of two rules the first counts", async () => {
  const explorer = explore();
  const [first = 0] = await explorer.search.nodesOf("kind:pointwise or kind:matrix or kind:other");
  const name = explorer.snapshot.name(first);
  await explorer.coloring.add(`name:${name}`);
  await explorer.coloring.add("name:*", "#123456");
  const { rules, ruled, overlay, picture, scene } = explorer.state;
  expect(rules).toEqual([
    { query: `name:${name}`, color: PALETTE[0] },
    { query: "name:*", color: "#123456" },
  ]);
  expect(overlay.name).toBe(RULES);
  expect(ruled.get(first)).toBe(0);
  expect(new Set(ruled.values())).toEqual(new Set([0, 1]));
  const painted = rulesOverlay(picture, scene, rules, ruled);
  expect(painted.color(first)?.color).toBe(PALETTE[0]);
  const { legend } = painted;
  expect(legend.type === "categories" && legend.swatches.map(({ count }) => count)).toEqual([
    1,
    ruled.size - 1,
  ]);
});

test("a rule can be removed or get another colour; without rules, kinds of ops are shown", async () => {
  const explorer = explore();
  await explorer.coloring.add("name:*");
  await explorer.coloring.recolor("name:*", "#00ff00");
  expect(explorer.state.rules).toEqual([{ query: "name:*", color: "#00ff00" }]);
  await explorer.coloring.remove("name:*");
  expect(explorer.state.rules).toEqual([]);
  expect(found(explorer)).toEqual([]);
  expect(explorer.state.overlay.name).toBe("kind");
});

test("an invalid query colours nothing", async () => {
  const explorer = explore();
  await explorer.coloring.add("name:(");
  expect(found(explorer)).toEqual([]);
});

test("a link keeps the rules, without invalid colours", async () => {
  const explorer = explore();
  await explorer.coloring.add("name:*", "#123456");
  const view = viewOfLink(linkOf(explorer.view()));
  expect(view?.rules).toEqual([{ query: "name:*", color: "#123456" }]);
  const other = explore();
  if (view) await other.show(view);
  expect(found(other)).toEqual(found(explorer));
  expect(other.state.overlay.name).toBe(RULES);
  const hostile = { ...view, rules: [{ query: "x", color: "url(javascript:alert(1))" }] };
  expect(asView(hostile)?.rules).toBeUndefined();
});

test("Python adds and removes rules", async () => {
  const explorer = explore();
  await execute(explorer, { kind: "do", action: "color", query: "name:*", color: null });
  await execute(explorer, { kind: "do", action: "color", query: "op:relu", color: "#d55e00" });
  expect(explorer.state.rules.map(({ color }) => color)).toEqual([PALETTE[0], "#d55e00"]);
  await execute(explorer, { kind: "do", action: "uncolor", queries: ["name:*"] });
  expect(explorer.state.rules.map(({ query }) => query)).toEqual(["op:relu"]);
  await execute(explorer, { kind: "do", action: "uncolor", queries: [] });
  expect(explorer.state.rules).toEqual([]);
});
