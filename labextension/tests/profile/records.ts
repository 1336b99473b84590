/**
 * Profiles of small programs: each call takes the given number of microseconds, else that of its position.
 */
import { Profile, type ProfileRecord } from "../../src/profile";
import { UNKNOWN } from "../../src/profile/schema";
import type { Snapshot } from "../../src/snapshot";

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
    conditions: {
      executor: "cpu",
      threads: 1,
      repeats: 9,
      warmup: 2,
      torch: "2.13.0",
      cpu: "a CPU",
      cores: 2,
    },
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
