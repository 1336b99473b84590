/** Modules by their path or class, as the search box and the command palette list them. */
import { expect, test } from "vitest";
import { isModuleBetter, modulesNamed } from "../../src/search";
import { snapshotOf } from "../programs";

const scopes = [
  ["", "Model"],
  ["layers", "torch.nn.ModuleList"],
  ...[1, 10, 2].flatMap((layer) => [
    [`layers.${layer}`, "m.Layer"],
    [`layers.${layer}.post_attention_norm`, "m.Norm"],
    [`layers.${layer}.self_attn`, "m.Attention"],
    [`layers.${layer}.self_attn.q_proj`, "torch.nn.Linear"],
  ]),
  ["layers.1.self_attn", "m.Attention"], // called again
].map(([path = "", cls = ""]) => ({ path, cls, call: 0, parent: -1 }));

const named = (text: string, most = 20, isDrawn?: (scope: number) => boolean): string[] =>
  modulesNamed({ scopes } as never, text, isDrawn)
    .slice(0, most)
    .map((scope) => scopes[scope]?.path ?? "");

test("a path that ends with the text hides what only contains it", () => {
  expect(named("layers.1")).toEqual(["layers.1"]);
  expect(named("layers.1.self_attn")).toEqual(["layers.1.self_attn"]);
});

test("all words are in the path or the class, the outermost first, each path once", () => {
  expect(named("layers.1. attn")).toEqual(["layers.1.self_attn", "layers.1.self_attn.q_proj"]);
  expect(named("attention", 3)).toEqual(["layers.1.self_attn", "layers.10.self_attn", "layers.2.self_attn"]);
  expect(named("layer", 2)).toEqual(["layers", "layers.1"]);
});

test("a number in a word, or with no space before it, is the whole number of a layer", () => {
  const first = ["layers.1.self_attn", "layers.1.self_attn.q_proj"];
  expect(named("layer 1 self_attn")).toEqual(first);
  expect(named("layer1 self_attn")).toEqual(first);
  expect(named("Layers10attn", 1)).toEqual(["layers.10.self_attn"]);
  expect(named("layer3 attention")).toEqual([]);
});

test("of equally deep modules the one comes first whose own class or name ends with a word", () => {
  expect(named("layer 2 attention", 2)).toEqual(["layers.2.self_attn", "layers.2.post_attention_norm"]);
  expect(named("layer 2 norm", 1)).toEqual(["layers.2.post_attention_norm"]);
});

test("nothing for an empty text, a field of the language, or a module that is not drawn", () => {
  expect(named(" ")).toEqual([]);
  expect(named("in:layers.1")).toEqual([]);
  expect(named("layers.1", 20, () => false)).toEqual([]);
});

test("a module is better than nodes that the text finds only by their module", () => {
  const snapshot = snapshotOf({
    name: "forward",
    nodes: [
      { name: "fc_weight", op: "placeholder" },
      { name: "mm", inputs: ["fc_weight"] },
    ],
  });
  expect(isModuleBetter(snapshot, "fc", [0, 1])).toBe(true);
  expect(isModuleBetter(snapshot, "mm", [0, 1])).toBe(false);
  expect(isModuleBetter(snapshot, "fc mm", [0, 1])).toBe(true);
  expect(isModuleBetter(snapshot, "layers.5", [])).toBe(true);
});
