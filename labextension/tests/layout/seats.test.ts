/** Boxes with a seat keep the order of their seats; all others are fitted in between. */
import { expect, test } from "vitest";
import { Layout, UNSEATED } from "../../src/layout";
import { TreeBuilder } from "./builder";

/** Four sources into one sink, side by side. */
function fan() {
  const builder = new TreeBuilder();
  const sources = ["a", "b", "c", "d"].map((label) => builder.leaf(-1, label));
  const sink = builder.leaf(-1, "sink");
  for (const source of sources) builder.edge(source, sink);
  return { tree: builder.tree(), sources };
}

function order(seats?: readonly number[]): number[] {
  const { tree, sources } = fan();
  const open = new Uint8Array(tree.parent.length);
  const all = new Float64Array(tree.parent.length).fill(UNSEATED);
  sources.forEach((source, i) => {
    all[source] = seats?.[i] ?? UNSEATED;
  });
  const scene = new Layout(tree).scene({ open, ...(seats && { seats: all }) });
  const x = (item: number): number => scene.rect[4 * (scene.slotOf[item] ?? 0)] ?? 0;
  return [...sources].sort((a, b) => x(a) - x(b));
}

test("without seats the program's order stands; with seats, theirs", () => {
  expect(order()).toEqual([0, 1, 2, 3]);
  expect(order([400, 300, 200, 100])).toEqual([3, 2, 1, 0]);
  expect(order([100, 400, 200, 300])).toEqual([0, 2, 3, 1]);
});

test("some with seats: these keep their order, and nothing is lost", () => {
  const found = order([400, UNSEATED, 100, UNSEATED]);
  expect(found.indexOf(2)).toBeLessThan(found.indexOf(0));
  expect([...found].sort()).toEqual([0, 1, 2, 3]);
});

test("the same engine answers anew when only the seats changed", () => {
  const { tree, sources } = fan();
  const layout = new Layout(tree);
  const open = new Uint8Array(tree.parent.length);
  const seated = (first: number): number => {
    const seats = new Float64Array(tree.parent.length).fill(UNSEATED);
    sources.forEach((source, i) => {
      seats[source] = i === 0 ? first : 100 * i;
    });
    const scene = layout.scene({ open, seats });
    return scene.rect[4 * (scene.slotOf[sources[0] ?? 0] ?? 0)] ?? 0;
  };
  expect(seated(1000)).toBeGreaterThan(seated(0));
});
