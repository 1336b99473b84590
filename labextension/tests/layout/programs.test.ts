/** Real programs: nothing overlaps, no line crosses another box, identical modules are laid out once. */

import { describe, expect, it } from "vitest";
import { findRuns, foldRuns, Layout, LayoutCache } from "../../src/layout";
import { hasProgram, missing, program } from "./corpus";
import { crossings, looseEnds, overlaps, throughBoxes } from "./measure";

const names = [
  "llama32.core",
  "resnet50",
  "bert.core",
  "gpt2",
  "vit.core",
  "mobilenetv2.core",
  "control_flow.core",
  "unbacked",
];

describe.each(names)("%s", (name) => {
  it.skipIf(!hasProgram(name))(`is clean, all open (${hasProgram(name) ? "corpus" : missing(name)})`, () => {
    const tree = program(name).builder.tree();
    const scene = new Layout(tree).scene({ open: new Uint8Array(tree.parent.length).fill(1) });
    const parentOf = (item: number): number => tree.parent[item] ?? -1;
    expect(scene.item.length).toBe(tree.parent.length);
    expect(overlaps(scene, parentOf)).toEqual([]);
    expect(throughBoxes(scene, parentOf)).toEqual([]);
    expect(looseEnds(scene)).toEqual([]);
  });
});

describe.skipIf(!hasProgram("llama32.core"))("llama32.core", () => {
  const { builder, groups } = program("llama32.core");
  const tree = builder.tree();
  const model = groups.get("model") ?? -1;

  it("shows its 32 identical layers as one run", () => {
    expect(findRuns(tree, new Layout(tree).local(model)).map((run) => run.length)).toEqual([32]);
  });

  it("puts its layers in one straight line, one of them open", () => {
    const layout = new Layout(tree);
    const open = new Uint8Array(tree.parent.length);
    open[model] = 1;
    for (const [path, item] of groups) if (path.startsWith("model.layers.5")) open[item] = 1;
    const scene = layout.scene({
      open,
      runHead: foldRuns(open.length, findRuns(tree, layout.local(model)), open),
    });
    const above = scene.slotOf[groups.get("model.layers.4") ?? 0] ?? 0;
    const below = scene.slotOf[groups.get("model.layers.6") ?? 0] ?? 0;
    expect([scene.members[above], scene.members[below]]).toEqual([5, 26]);
    expect(scene.rect[4 * above]).toBe(scene.rect[4 * below]);
  });

  it("lays out identical modules once: nine of ten groups come from the cache", () => {
    const cache = new LayoutCache();
    new Layout(tree, {}, cache).scene({ open: new Uint8Array(tree.parent.length).fill(1) });
    expect(cache.hits / (cache.hits + cache.misses)).toBeGreaterThan(0.9);
  });

  it("has fewer crossings, all open, than ELK's 1,105", () => {
    const scene = new Layout(tree).scene({ open: new Uint8Array(tree.parent.length).fill(1) });
    expect(crossings(scene)).toBeLessThan(1105);
  });
});
