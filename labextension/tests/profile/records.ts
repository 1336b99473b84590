/** Profiles of small programs: each call takes as many microseconds as is said, else as its position. */
import { Profile, type ProfileRecord } from "../../src/profile";
import { UNKNOWN } from "../../src/profile/schema";
import { Snapshot } from "../../src/snapshot";
import { skeletonOf } from "../programs";

export function recordOf(snapshot: Snapshot, times: Readonly<Record<string, number>> = {}): ProfileRecord {
  const nodes: string[] = [];
  const time: number[] = [];
  for (const graph of snapshot.graphs) {
    for (let i = 0; i < graph.count; i++) {
      if (graph.op(i) !== "call_function") continue;
      nodes.push(`${graph.path}/${graph.name(i)}`);
      time.push(1000 * (times[graph.name(i)] ?? i + 1));
    }
  }
  const all = (value: number): number[] => nodes.map(() => value);
  const whole = time.reduce((sum, each) => sum + each, 0) + 500;
  const stats = { n: 9, min: 1, p25: 1, median: 1, p75: 1 };
  return {
    schema: 1,
    method: snapshot.methods[0]?.name ?? "",
    dialect: "aten",
    conditions: { executor: "cpu", threads: 1, repeats: 9, warmup: 2, cpu: "a CPU", cores: 2 },
    columns: {
      nodes,
      basis: all(0),
      calls: all(1),
      n: all(9),
      time,
      min: time,
      p25: time,
      median: time,
      p75: time,
      output_bytes: all(24),
      allocated_bytes: all(24),
      live_bytes: nodes.map((_, i) => 1024 * (1 + (i % 3))),
      flops: all(UNKNOWN),
      bytes_moved: all(48),
    },
    whole: { ...stats, time: whole },
    overhead: { ...stats, time: 500 },
  };
}

export const profileOf = (snapshot: Snapshot, times?: Readonly<Record<string, number>>): Profile =>
  new Profile(recordOf(snapshot, times), snapshot);

/** Two modules that one delegate takes, and an op of the second that it does not; run by eager torch, and as one. */
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
  const snapshot = new Snapshot({ ...skeleton, graphs } as typeof skeleton);
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
