/**
 * The modules that nodes are attributed to: the cases of `tests/compare/test_modules.py` for counts by
 * module.
 */
import { expect, test, vi } from "vitest";
import { ModuleAttribution } from "../../src/compare/model/module_attribution";
import { type GraphOf, snapshotOf } from "../programs";
import { changesOf } from "./compared";
import { matched } from "./matched";

const GRAPHS: readonly GraphOf[] = [
  {
    name: "forward",
    nodes: [
      { name: "weight", op: "placeholder", parameter: "fc.weight" },
      { name: "shared", op: "placeholder", parameter: "fc.shared" },
      { name: "spare", op: "placeholder", parameter: "fc.spare" },
      { name: "stray", op: "placeholder", parameter: "stray" },
      { name: "x", op: "placeholder" },
      { name: "linear", inputs: ["x", "weight", "shared"], module: "fc" },
      { name: "getitem", target: "getitem", inputs: ["linear"], inferred: "fc" },
      { name: "mul", inputs: ["getitem", "shared"], module: "head.scale" },
      { name: "body", op: "get_attr", holds: "inner" },
      { name: "run", target: "higher_order.while_loop", inputs: ["body", "mul"], module: "head" },
      { name: "output", op: "output", inputs: ["run"] },
    ],
  },
  {
    name: "inner",
    nodes: [
      { name: "y", op: "placeholder" },
      { name: "sin", inputs: ["y"], inferred: "head" },
    ],
  },
];

test("a node is in its own module, state where it is read, and all else in the whole model", () => {
  const snapshot = snapshotOf(...GRAPHS);
  const owners = new ModuleAttribution(snapshot);
  const paths = (id: string): readonly string[] =>
    owners.of(snapshot.find(id) ?? -1).map((scope) => snapshot.scopes[scope]?.path ?? "?");
  expect(paths("forward/linear")).toEqual(["fc"]);
  expect(paths("forward/getitem")).toEqual(["fc"]);
  expect(paths("forward/weight")).toEqual(["fc"]);
  expect(paths("forward/shared")).toEqual(["fc", "head.scale"]);
  expect(paths("forward/spare")).toEqual(["fc"]);
  expect(paths("forward/stray")).toEqual([""]);
  expect(paths("forward/body")).toEqual(["head"]);
  expect(paths("forward/inner/sin")).toEqual(["head"]);
  expect(paths("forward/x")).toEqual([""]);
  expect(paths("forward/output")).toEqual([""]);
});

test("a module lists the matches that count in it, and each names the same module", () => {
  const ids = ["weight", "shared", "spare", "getitem", "mul"].map((name) => `forward/${name}`);
  const changes = matched(
    GRAPHS,
    GRAPHS,
    ids.map((id) => ["changed", [id], [id]] as const),
  );
  const scope = (path: string): number => changes.snapshots[0].scopes.findIndex((each) => each.path === path);
  const within = (path: string): readonly number[] => {
    const at = scope(path);
    const counts = {};
    return changes.within([
      {
        ...{ path, cls: "", depth: 0, a: at, b: at, before: 0, after: 0 },
        ...{ counts, own: counts },
      },
    ]);
  };
  expect(within("fc")).toEqual([0, 1, 2, 3]);
  expect(within("head")).toEqual([1, 4]);
  expect(within("")).toEqual([0, 1, 2, 3, 4]);
  expect([0, 1, 2, 3, 4].map((match) => changes.path(match))).toEqual(["fc", "fc", "fc", "fc", "head.scale"]);
});

test("the modules of each node are computed once, for any number of modules", () => {
  const requests = vi.spyOn(ModuleAttribution.prototype, "of");
  const changes = changesOf();
  const { modules = [] } = changes.comparison;
  expect(requests).not.toHaveBeenCalled();
  for (const module of modules) changes.within([module]);
  expect(changes.within(modules)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(changes.ownOf(modules)).toEqual([1, 2, 3, 4, 5, 6]);
  const [a, b] = changes.snapshots;
  expect(requests).toHaveBeenCalledTimes(a.nodeCount + b.nodeCount);
  requests.mockRestore();
});
