/** Boxes with a previous position keep their order; others are placed between them. */
import { expect, test } from "vitest";
import { Layout, NO_POSITION } from "../../src/layout";
import { TreeBuilder } from "./builder";

/** Four parallel sources and one sink. */
function fan() {
  const builder = new TreeBuilder();
  const sources = ["a", "b", "c", "d"].map((label) => builder.leaf(-1, label));
  const sink = builder.leaf(-1, "sink");
  for (const source of sources) builder.edge(source, sink);
  return { tree: builder.tree(), sources };
}

function order(previousX?: readonly number[]): number[] {
  const { tree, sources } = fan();
  const open = new Uint8Array(tree.parent.length);
  const all = new Float64Array(tree.parent.length).fill(NO_POSITION);
  sources.forEach((source, i) => {
    all[source] = previousX?.[i] ?? NO_POSITION;
  });
  const scene = new Layout(tree).scene({ open, ...(previousX && { previousX: all }) });
  const x = (item: number): number => scene.rect[4 * (scene.slotOf[item] ?? 0)] ?? 0;
  return [...sources].sort((a, b) => x(a) - x(b));
}

test("without previousX the program's order is used; with previousX, that one", () => {
  expect(order()).toEqual([0, 1, 2, 3]);
  expect(order([400, 300, 200, 100])).toEqual([3, 2, 1, 0]);
  expect(order([100, 400, 200, 300])).toEqual([0, 2, 3, 1]);
});

test("with previousX for some: these keep their order, and nothing is lost", () => {
  const found = order([400, NO_POSITION, 100, NO_POSITION]);
  expect(found.indexOf(2)).toBeLessThan(found.indexOf(0));
  expect([...found].sort()).toEqual([0, 1, 2, 3]);
});

test("the same engine computes again if only previousX changed", () => {
  const { tree, sources } = fan();
  const layout = new Layout(tree);
  const open = new Uint8Array(tree.parent.length);
  const xWith = (first: number): number => {
    const previousX = new Float64Array(tree.parent.length).fill(NO_POSITION);
    sources.forEach((source, i) => {
      previousX[source] = i === 0 ? first : 100 * i;
    });
    const scene = layout.scene({ open, previousX });
    return scene.rect[4 * (scene.slotOf[sources[0] ?? 0] ?? 0)] ?? 0;
  };
  expect(xWith(1000)).toBeGreaterThan(xWith(0));
});
