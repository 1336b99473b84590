/**
 * Selection by the kernel: whole modules as modules, so that a click on a chart's bar keeps the picture as it
 * is.
 */
import { expect, test } from "vitest";
import { Explorer } from "../../src/explorer";
import { isSelected, selectNodes } from "../../src/explorer/select_nodes";
import { sevenWide, snapshotOf, stack } from "../programs";

const opened = (): Explorer => new Explorer(snapshotOf(stack(3)), sevenWide, { width: 900, height: 700 });

/** The nodes of modules with a path prefix. */
const nodesIn = ({ snapshot }: Explorer, path: string): number[] =>
  snapshot.graphs.flatMap((graph) =>
    Array.from({ length: graph.count }, (_, i) => graph.base + i).filter((node) =>
      snapshot.scopeChain(snapshot.scopeOf(node)).some((scope) => snapshot.scopes[scope]?.path === path),
    ),
  );

const keys = ({ state, picture }: Explorer): string[] =>
  state.selected.map((item) => picture.words.key(item));

test("the nodes of several whole modules select these and open nothing", async () => {
  const explorer = opened();
  await explorer.closeAll();
  const nodes = [...nodesIn(explorer, "model.layers.0"), ...nodesIn(explorer, "model.layers.2")];
  expect(nodes.length).toBeGreaterThan(2);
  await selectNodes(explorer, nodes);
  expect(keys(explorer)).toEqual(["forward:L__self__model.layers.0", "forward:L__self__model.layers.2"]);
  const layers = explorer.state.selected;
  expect(layers.some((item) => explorer.state.open.has(item))).toBe(false);
  expect(isSelected(explorer, nodes)).toBe(true);
});

test("a node whose module is not completely selected is selected itself", async () => {
  const explorer = opened();
  const [one, ...others] = nodesIn(explorer, "model.layers.1");
  await selectNodes(explorer, [...nodesIn(explorer, "model.layers.0"), one ?? -1]);
  expect(others.length).toBeGreaterThan(0);
  const [first, second] = explorer.state.selected;
  expect(explorer.picture.words.key(first ?? -1)).toBe("forward:L__self__model.layers.0");
  expect(explorer.picture.nodeOf(second ?? -1)).toBe(one);
});
