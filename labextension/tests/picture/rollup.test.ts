import { expect, test } from "vitest";
import { stateByPath } from "../../src/picture/rollup";
import { type PageSkeleton, Snapshot } from "../../src/snapshot";
import { skeletonOf } from "../programs";

/** A method with two parameters of 24 B that share memory, and a delegate with a constant of 24 B. */
function tied(): Snapshot {
  const names = ["a.weight", "b.weight"];
  const made = skeletonOf(
    {
      name: "forward",
      nodes: [
        ...names.map((parameter) => ({ name: `p_${parameter}`, op: "placeholder" as const, parameter })),
        { name: "lowered", op: "get_attr", holds: "lowered_module_0" },
      ],
    },
    { name: "lowered_module_0", nodes: [{ name: "c_k", op: "placeholder", parameter: "k" }] },
  );
  const skeleton: PageSkeleton = {
    ...made,
    methods: made.methods.map((method) => ({
      ...method,
      state: method.state?.filter(({ name }) => name !== "k").map((one) => ({ ...one, storage: 0 })) ?? [],
    })),
    graphs: made.graphs.map((graph, number) =>
      number === 0
        ? graph
        : {
            ...graph,
            type: "delegate",
            delegate: { backend: "XnnpackBackend" },
            signature: {
              inputs: [{ kind: "constant_tensor", arg: { type: "tensor", name: "c_k" }, target: "k" }],
              outputs: [],
            },
          },
    ),
  };
  return new Snapshot(skeleton, () => Promise.reject(new Error("none")));
}

test("shared memory counts once in a module, and state in delegates counts, too", () => {
  const snapshot = tied();
  const [method] = snapshot.methods;
  if (!method) throw new Error("no method");
  expect(method.state).toHaveLength(2);
  const root = stateByPath(snapshot, method).get("");
  expect(root?.bytes).toBe(48); // the constant, too
  expect(root?.parameters).toBe(6);
});
