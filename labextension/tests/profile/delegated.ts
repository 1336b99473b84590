/**
 * A profile of a delegate that spans modules. Separate from other records, because the gallery reads these in
 * a browser.
 */
import { Profile } from "../../src/profile";
import { Snapshot } from "../../src/snapshot";
import { skeletonOf } from "../programs";
import { recordOf } from "./records";

/** Two modules in one delegate, and an op of the second outside it; run by eager torch, and as one. */
export function delegatedProfile(executor: "cpu" | "executorch"): { profile: Profile; emulated: Profile } {
  const skeleton = skeletonOf(
    {
      name: "forward",
      nodes: [
        { name: "x", op: "placeholder" },
        { name: "held", op: "get_attr", holds: "lowered_0" },
        {
          name: "executorch_call_delegate",
          target: "higher_order.executorch_call_delegate",
          inputs: ["held", "x"],
          inferred: "",
        },
        { name: "cumsum", inputs: ["executorch_call_delegate"], module: "second" },
        { name: "output", op: "output", inputs: ["cumsum"] },
      ],
    },
    {
      name: "lowered_0",
      nodes: [
        { name: "a", op: "placeholder" },
        { name: "linear", inputs: ["a"], module: "first" },
        { name: "linear_1", inputs: ["linear"], module: "second" },
        { name: "output", op: "output", inputs: ["linear_1"] },
      ],
    },
  );
  const graphs = skeleton.graphs.map((graph, number) =>
    number === 1 ? { ...graph, delegate: { backend: "XnnpackBackend" } } : graph,
  );
  const snapshot = new Snapshot({ ...skeleton, graphs }, () =>
    Promise.reject(new Error("It has no detail.")),
  );
  const times = { executorch_call_delegate: 40, linear: 150, linear_1: 50, cumsum: 20 };
  const record = recordOf(snapshot, times);
  const { columns } = record;
  const basis = columns.nodes.map((name) => (name.endsWith("cumsum") ? 0 : 1));
  const emulated = new Profile({ ...record, columns: { ...columns, basis } }, snapshot);
  if (executor === "cpu") return { profile: emulated, emulated };
  const call = columns.nodes.findIndex((name) => name.endsWith("executorch_call_delegate"));
  const one = Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, [column[call]]]),
  ) as unknown as typeof columns;
  const conditions = { ...record.conditions, executor };
  return {
    profile: new Profile({ ...record, conditions, columns: { ...one, basis: [2] } }, snapshot),
    emulated,
  };
}
