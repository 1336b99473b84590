/** A module that a backend took in part: a's graph is two graphs of b, one of them in a delegate. */
import { Changes } from "../../src/compare";
import type { ModuleChange } from "../../src/compare/model/schema";
import { matched } from "./matched";

const X = { name: "x", op: "placeholder" } as const;

export function split(): Changes {
  const { comparison, snapshots } = matched(
    [
      {
        name: "forward",
        nodes: [
          X,
          { name: "sin", inputs: ["x"], module: "attn" },
          { name: "cos", inputs: ["sin"], module: "attn" },
          { name: "relu", inputs: ["cos"], module: "attn" },
          { name: "neg", inputs: ["relu"], module: "attn" },
          { name: "dropout", inputs: ["neg"], module: "drop" },
        ],
      },
    ],
    [
      {
        name: "forward",
        nodes: [
          X,
          { name: "lowered", op: "get_attr", holds: "inner" },
          { name: "run", target: "higher_order.call_delegate", inputs: ["lowered", "x"] },
          { name: "neg", inputs: ["run"], module: "attn" },
          { name: "clone", inputs: ["neg"], module: "attn" },
        ],
      },
      {
        name: "inner",
        nodes: [
          { name: "y", op: "placeholder" },
          { name: "sin", inputs: ["y"], module: "attn" },
          { name: "cos", inputs: ["sin"], module: "attn" },
        ],
      },
    ],
    [
      ["same", ["forward/x"], ["forward/x"]],
      ["moved", ["forward/sin"], ["forward/inner/sin"]],
      ["moved", ["forward/cos"], ["forward/inner/cos"]],
      ["removed", ["forward/relu"], []],
      ["same", ["forward/neg"], ["forward/neg"]],
      ["added", [], ["forward/clone"]],
      ["removed", ["forward/dropout"], []],
    ],
  );
  const scope = (side: 0 | 1, path: string): number =>
    snapshots[side].scopes.findIndex((each) => each.path === path);
  const module = (path: string, change: Pick<ModuleChange, "before" | "after" | "counts">): ModuleChange => ({
    ...{ path, cls: "test.Layer", depth: 1, a: scope(0, path), b: scope(1, path) },
    ...{ ...change, own: change.counts },
  });
  const modules = [
    module("attn", { before: 4, after: 4, counts: { same: 1, moved: 2, removed: 1, added: 1 } }),
    module("drop", { before: 1, after: 0, counts: { removed: 1 } }),
  ];
  return new Changes({ ...comparison, modules }, snapshots);
}
