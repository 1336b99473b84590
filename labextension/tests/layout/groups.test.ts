/** Runs of identical modules, and groups for programs without any. */

import { describe, expect, it } from "vitest";
import { findRuns, foldRuns, indexTree, insertGroups, Kind, Layout, STRETCH, split } from "../../src/layout";
import { TreeBuilder } from "./builder";
import { overlaps } from "./measure";

/** `count` identical layers in a chain, each with two ops and a shared input. */
function layers(count: number): { builder: TreeBuilder; model: number; items: number[] } {
  const builder = new TreeBuilder();
  const model = builder.group(-1, "model Model");
  const mask = builder.leaf(model, "mask");
  let last = builder.leaf(model, "embed");
  const items: number[] = [];
  for (let i = 0; i < count; i++) {
    const layer = builder.group(model, `layers.${i} Layer`);
    const a = builder.leaf(layer, "mm");
    const b = builder.leaf(layer, "add");
    builder.edge(last, a);
    builder.edge(mask, a);
    builder.edge(a, b);
    builder.edge(last, b);
    items.push(layer);
    last = b;
  }
  builder.edge(last, builder.leaf(-1, "output"));
  return { builder, model, items };
}

describe("runs", () => {
  it("finds identical modules that feed each other", () => {
    const { builder, model, items } = layers(6);
    const tree = builder.tree();
    expect(findRuns(tree, new Layout(tree).local(model))).toEqual([Int32Array.from(items)]);
  });

  it("does not merge identical parallel modules", () => {
    const builder = new TreeBuilder();
    const x = builder.leaf(-1, "x");
    for (const name of ["q", "k", "v"])
      builder.edge(x, builder.leaf(builder.group(-1, `${name} Linear`), "mm"));
    const tree = builder.tree();
    const layout = new Layout(tree);
    expect(findRuns(tree, layout.local(layout.hierarchy.root))).toEqual([]);
  });

  it("ends a run at a different module", () => {
    const { builder, model, items } = layers(5);
    builder.leaf(items[2] ?? 0, "extra");
    const tree = builder.tree();
    const runs = findRuns(tree, new Layout(tree).local(model));
    expect(runs).toEqual([Int32Array.from(items.slice(0, 2)), Int32Array.from(items.slice(3))]);
  });

  it("is one box while closed, and splits around an open member", () => {
    const { builder, model, items } = layers(8);
    const tree = builder.tree();
    const layout = new Layout(tree);
    const runs = findRuns(tree, layout.local(model));
    const open = new Uint8Array(tree.parent.length);
    open[model] = 1;
    const shown = (): [number, number][] => {
      const scene = layout.scene({ open, runHead: foldRuns(open.length, runs, open) });
      expect(overlaps(scene, (item) => tree.parent[item] ?? -1)).toEqual([]);
      return [...scene.item.keys()]
        .filter((s) => scene.kind[s] !== Kind.Leaf && items.includes(scene.item[s] ?? -1))
        .map((s) => [items.indexOf(scene.item[s] ?? -1), scene.members[s] ?? 0]);
    };
    expect(shown()).toEqual([[0, 8]]);
    open[items[3] ?? 0] = 1;
    expect(shown()).toEqual([
      [0, 3],
      [3, 1],
      [4, 4],
    ]);
    open[items[3] ?? 0] = 0;
    expect(shown()).toEqual([[0, 8]]);
  });

  it("is a small box for hidden siblings, ops and modules", () => {
    const { builder, model, items } = layers(3);
    const tree = builder.tree();
    const layout = new Layout(tree);
    const open = new Uint8Array(tree.parent.length);
    open[model] = 1;
    const runHead = Int32Array.from(open.keys());
    const head = 1; // the mask, then the embedding and the first layer
    const alone = layout.scene({ open, runHead: runHead.slice() });
    for (const item of [2, items[0] ?? 0]) runHead[item] = head;
    const stretch = new Uint8Array(open.length);
    stretch[head] = 1;
    const scene = layout.scene({ open, runHead, stretch });
    const slot = scene.slotOf[head] ?? -1;
    expect(scene.item.length).toBe(alone.item.length - 2);
    expect(scene.members[slot]).toBe(3);
    expect([...scene.rect.subarray(4 * slot + 2, 4 * slot + 4)]).toEqual([STRETCH.width, STRETCH.height]);
    expect(scene.slotOf[items[0] ?? 0]).toBe(slot);
    expect(overlaps(scene, (item) => tree.parent[item] ?? -1)).toEqual([]);
    expect(layout.scene({ open, runHead: Int32Array.from(open.keys()) }).item).toEqual(alone.item);
  });
});

/** One flat module: a prologue, `count` repeats of `period` ops with a residual, an epilogue. */
function flatProgram(count: number, period: number) {
  const builder = new TreeBuilder();
  const kinds: number[] = [];
  const op = (kind: number, ...from: number[]): number => {
    const leaf = builder.leaf(-1, `op${kind}`);
    for (const f of from) if (f >= 0) builder.edge(f, leaf);
    kinds.push(kind);
    return leaf;
  };
  let last = -1;
  for (let i = 0; i < 70; i++) last = op(1000 + ((i * i) % 61), last);
  for (let k = 0; k < count; k++) {
    const start = last;
    for (let i = 0; i < period; i++) last = op(i, last, i === period - 1 ? start : -1);
  }
  for (let i = 0; i < 130; i++) last = op(2000 + ((i * i) % 127), last);
  return { tree: builder.tree(), kinds };
}

describe("pseudo-groups", () => {
  it("do not split a small group", () => {
    const { tree, kinds } = flatProgram(3, 10);
    const h = indexTree(tree);
    expect(split(h, h.root, kinds, { most: 300 })).toEqual([]);
  });

  it("find the repeated pattern, cut it at its seam, and chunk the rest", () => {
    const { tree, kinds } = flatProgram(12, 40);
    const h = indexTree(tree);
    const groups = split(h, h.root, kinds);
    const repeats = groups.filter((g) => g.pattern);
    expect(repeats).toHaveLength(12);
    expect(repeats[0]?.members[0]).toBe(70);
    expect(repeats.every((g) => g.ours && g.reason === "1 of 12 repeats of the same 40 nodes")).toBe(true);
    const chunks = groups.filter((g) => !g.pattern);
    expect(chunks.every((g) => g.members.length <= 100 && g.reason.includes("consecutive nodes"))).toBe(true);
    const all = groups.flatMap((g) => [...g.members]).sort((a, b) => a - b);
    expect(all).toEqual([...kinds.keys()]);
  });

  it("find a pattern that is there only twice, if it is as long as a layer", () => {
    const repeated = (period: number) => {
      const { tree, kinds } = flatProgram(2, period);
      const h = indexTree(tree);
      return split(h, h.root, kinds).filter((g) => g.pattern);
    };
    expect(repeated(40).map((g) => g.members.length)).toEqual([40, 40]);
    expect(repeated(12)).toEqual([]);
  });

  it("are nested if there are many, and form a valid tree", () => {
    const { tree, kinds } = flatProgram(400, 8);
    const h = indexTree(tree);
    const groups = split(h, h.root, kinds);
    expect(groups.some((g) => g.members.some((m) => m < 0))).toBe(true);
    const grown = insertGroups(tree, -1, groups, { width: 200, height: 38 });
    const open = new Uint8Array(grown.parent.length);
    const closed = new Layout(grown).scene({ open });
    expect(closed.item.length).toBeLessThanOrEqual(160);
    const scene = new Layout(grown).scene({ open: open.fill(1) });
    expect(scene.item.length).toBe(grown.parent.length);
    expect(overlaps(scene, (item) => grown.parent[item] ?? -1)).toEqual([]);
  });

  it("have one shape for all repeats, so that they form a run", () => {
    const { tree, kinds } = flatProgram(12, 40);
    const h = indexTree(tree);
    const grown = insertGroups(tree, -1, split(h, h.root, kinds), { width: 200, height: 38 });
    const layout = new Layout(grown);
    expect(findRuns(grown, layout.local(layout.hierarchy.root)).map((r) => r.length)).toEqual([12]);
  });
});
