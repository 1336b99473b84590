/** Costs of a sweep for other sizes: measured, interpolated, or none. */
import { describe, expect, it } from "vitest";
import { BASES, type ProfileRecord, UNKNOWN } from "../../src/profile/schema";
import { costsAtSizes } from "../../src/profile/size_profiles";

const COLUMNS = [
  "calls",
  "n",
  "time",
  "min",
  "p25",
  "median",
  "p75",
  "output_bytes",
  "allocated_bytes",
] as const;
const BYTES = ["live_bytes", "flops", "bytes_moved"] as const;

function measured(symbols: Record<string, number>, times: readonly number[]): ProfileRecord {
  const same = Object.fromEntries([...COLUMNS, ...BYTES].map((name) => [name, times]));
  const conditions = { executor: "cpu", threads: 1, repeats: 3, warmup: 1, symbols } as const;
  const nodes = times.map((_, i) => `forward/n${i}`);
  return {
    schema: 1,
    method: "forward",
    dialect: "aten",
    conditions,
    columns: { ...same, nodes, basis: times.map(() => 0) } as unknown as ProfileRecord["columns"],
    whole: { n: 3, time: 100 * (times[0] ?? 0), min: 1, p25: 1, median: 1, p75: 1 },
  };
}

const nameOf = (symbol: string): string => (symbol === "s0" ? "batch" : symbol);
const SWEEP = [
  measured({ s0: 8 }, [80, UNKNOWN]),
  measured({ s0: 2 }, [20, 7]),
  measured({ s0: 64 }, [640, 9]),
];
const at = (records: readonly ProfileRecord[], sizes: Record<string, number>) =>
  costsAtSizes(records, new Map(Object.entries(sizes)), nameOf);

describe("costs for other sizes", () => {
  it("are those that were measured", () => {
    expect(at(SWEEP, { s0: 64 })?.record).toBe(SWEEP[2]);
    expect(at(SWEEP, { s0: 64 })?.text).toBe("Costs were measured at these sizes.");
  });

  it("are interpolated between the nearest measured ones, and say so", () => {
    const found = at(SWEEP, { s0: 36 });
    expect(found?.text).toBe("Costs are estimates, interpolated between batch = 8 and 64.");
    expect(found?.record?.columns.time).toEqual([360, UNKNOWN]);
    expect(found?.record?.whole?.time).toBe(36_000);
    expect(found?.record?.columns.basis.map((each) => BASES[each])).toEqual(["estimated", "estimated"]);
    expect(found?.record?.columns.p25).toEqual([UNKNOWN, UNKNOWN]);
    expect(found?.record?.remarks).toEqual([{ code: "interpolated", text: found?.text }]);
    expect(found?.record?.conditions.symbols).toEqual({ s0: 36 });
  });

  it("do not exist outside of what was measured", () => {
    expect(at(SWEEP, { s0: 65 })).toEqual({
      record: undefined,
      text: "No costs for these sizes: they were measured for batch = 2, 8, 64.",
    });
    expect(at(SWEEP, { s0: 8, s1: 3 })?.record).toBeUndefined();
  });

  it("take every symbol of a sweep into account", () => {
    const grid = [2, 4].flatMap((s0) => [10, 20].map((s1) => measured({ s0, s1 }, [s0 * s1])));
    expect(at(grid, { s0: 3, s1: 15 })?.record?.columns.time).toEqual([45]);
    expect(at(grid.slice(1), { s0: 3, s1: 15 })?.record).toBeUndefined();
    expect(at(grid.slice(1), { s0: 4, s1: 15 })?.record?.columns.time).toEqual([60]);
  });

  it("stay those of the only profile, which is said", () => {
    const only = [measured({ s0: 8 }, [80])];
    expect(at(only, { s0: 9 })).toEqual({ record: only[0], text: "Costs were measured for batch = 8." });
    expect(at(only, { s0: 8 })?.text).toBe("");
    expect(at([], { s0: 8 })).toBeUndefined();
  });
});
