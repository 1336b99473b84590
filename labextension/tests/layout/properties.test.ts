/** Properties of every scene, tested with random programs and random open groups. */

import { describe, expect, it } from "vitest";
import { EdgeFlag, Kind, Layout, LayoutCache, type Scene, type Tree } from "../../src/layout";
import { looseEnds, overlaps, throughBoxes } from "./measure";
import { randomOpen, randomProgram, tangledProgram } from "./random";

const seeds = Array.from({ length: 40 }, (_, i) => i + 1);
const sizes = (seed: number): number => 10 + ((seed * 37) % 160);

const treeOf = (seed: number): Tree => randomProgram(seed, sizes(seed)).tree();
const sceneOf = (tree: Tree, open: Uint8Array): Scene => new Layout(tree).scene({ open });
const wrongIn = (tree: Tree, scene: Scene): string[] => [
  ...overlaps(scene, (item) => tree.parent[item] ?? -1),
  ...throughBoxes(scene, (item) => tree.parent[item] ?? -1),
  ...looseEnds(scene),
];

describe("every scene", () => {
  it.each(seeds)("has separate boxes, no lines over boxes, and line ends on borders (seed %i)", (seed) => {
    const tree = treeOf(seed);
    for (const chance of [0.3, 0.7, 1]) {
      expect(wrongIn(tree, sceneOf(tree, randomOpen(seed, tree.parent.length, chance)))).toEqual([]);
    }
  });

  it.each(seeds.slice(0, 16))("has them too if groups feed each other in cycles (seed %i)", (seed) => {
    const tree = tangledProgram(seed, 40).tree();
    const scene = sceneOf(tree, randomOpen(seed, tree.parent.length, 0.6));
    expect(wrongIn(tree, scene)).toEqual([]);
  });

  it.each(seeds.slice(0, 10))("has them too in columns (seed %i)", (seed) => {
    const tree = treeOf(seed);
    const open = randomOpen(seed, tree.parent.length, 0.8);
    const scene = new Layout(tree, { foldHeight: 300, maxAspect: 1 }).scene({ open });
    expect(wrongIn(tree, scene)).toEqual([]);
  });

  it.each(seeds.slice(0, 10))("has them too with stubs for long edges (seed %i)", (seed) => {
    const tree = treeOf(seed);
    const open = randomOpen(seed, tree.parent.length, 0.8);
    const scene = new Layout(tree, { stubSpan: 3 }).scene({ open });
    expect(wrongIn(tree, scene)).toEqual([]);
    for (let e = 0; e < scene.edgeSource.length; e++) {
      const line = scene.points.subarray(2 * (scene.pointStart[e] ?? 0), 2 * (scene.pointStart[e + 1] ?? 0));
      expect(line.includes(Number.NaN)).toBe(((scene.edgeFlags[e] ?? 0) & EdgeFlag.Stub) !== 0);
    }
  });

  it.each(seeds.slice(0, 10))("represents each visible data edge once (seed %i)", (seed) => {
    const tree = treeOf(seed);
    const scene = sceneOf(tree, randomOpen(seed, tree.parent.length, 0.5));
    const seen = (item: number): number => {
      let at = item;
      while (scene.slotOf[at] === -1) at = tree.parent[at] ?? -1;
      return scene.slotOf[at] ?? -1;
    };
    const expected = new Map<string, number>();
    for (let s = 0; s < tree.parent.length; s++) {
      for (let e = tree.edgeStart[s] ?? 0; e < (tree.edgeStart[s + 1] ?? 0); e++) {
        const key = `${seen(s)} ${seen(tree.edgeTarget[e] ?? 0)}`;
        if (seen(s) !== seen(tree.edgeTarget[e] ?? 0)) expected.set(key, (expected.get(key) ?? 0) + 1);
      }
    }
    const drawn = new Map<string, number>();
    for (let e = 0; e < scene.edgeSource.length; e++) {
      const key = `${scene.edgeSource[e]} ${scene.edgeTarget[e]}`;
      drawn.set(key, (drawn.get(key) ?? 0) + (scene.edgeCount[e] ?? 0));
    }
    expect(drawn).toEqual(expected);
  });

  it.each(seeds.slice(0, 8))("is the same for the same input (seed %i)", (seed) => {
    const tree = treeOf(seed);
    const open = randomOpen(seed, tree.parent.length, 0.7);
    expect(sceneOf(tree, open)).toEqual(sceneOf(treeOf(seed), open));
  });

  it.each(seeds.slice(0, 12))(
    "is the same step by step and from scratch, with one cache (seed %i)",
    (seed) => {
      const tree = treeOf(seed);
      const cache = new LayoutCache();
      const layout = new Layout(tree, {}, cache);
      const groups = [...tree.isGroup.keys()].filter((i) => tree.isGroup[i]);
      const open = new Uint8Array(tree.parent.length).fill(1);
      for (let step = 0; step < 16; step++) {
        const group = groups[(seed * 31 + step * 17) % groups.length] ?? 0;
        open[group] = open[group] ? 0 : 1;
        expect(layout.scene({ open })).toEqual(sceneOf(tree, open));
      }
    },
  );

  it("shows nothing inside a closed group", () => {
    const tree = treeOf(3);
    const scene = sceneOf(tree, new Uint8Array(tree.parent.length));
    expect([...scene.kind].some((k) => k === Kind.Open)).toBe(false);
    expect([...scene.item].every((item) => tree.parent[item] === -1)).toBe(true);
  });
});

describe("caching", () => {
  it("lays out only the toggled group and its ancestors", () => {
    const tree = treeOf(11);
    const cache = new LayoutCache();
    const layout = new Layout(tree, {}, cache);
    const open = new Uint8Array(tree.parent.length).fill(1);
    layout.scene({ open });
    const before = cache.hits + cache.misses;
    const deepest = [...tree.isGroup.keys()].filter((i) => tree.isGroup[i]).pop() ?? 0;
    let ancestors = 1; // the root
    for (let g = tree.parent[deepest] ?? -1; g !== -1; g = tree.parent[g] ?? -1) ancestors++;
    open[deepest] = 0;
    layout.scene({ open });
    expect(cache.hits + cache.misses - before).toBe(ancestors);
  });

  it("computes nothing if nothing changed", () => {
    const tree = treeOf(11);
    const cache = new LayoutCache();
    const layout = new Layout(tree, {}, cache);
    const open = new Uint8Array(tree.parent.length).fill(1);
    layout.scene({ open });
    const before = cache.hits + cache.misses;
    layout.scene({ open });
    expect(cache.hits + cache.misses).toBe(before);
  });
});

describe("an invalid tree", () => {
  const tree = treeOf(1);
  it("is refused if a parent is a leaf", () => {
    const leaf = [...tree.isGroup].indexOf(0);
    const parent = tree.parent.slice();
    parent[parent.length - 1] = leaf;
    expect(() => new Layout({ ...tree, parent })).toThrow(`its parent ${leaf} is not a group`);
  });

  it("is refused if a group contains itself", () => {
    const group = [...tree.isGroup].indexOf(1);
    const parent = tree.parent.slice();
    parent[group] = group;
    expect(() => new Layout({ ...tree, parent })).toThrow("their own ancestors");
  });
});
